"""Connections: HTTP, sockets, databases."""

ROWS = """
fetch|Bun.fetch|undici.fetch|ky|got|request|needle|superagent|navigator.sendBeacon|EventSource(url, options=, callback=) -> invoke_done(send(url, options), callback) => response()
axios|axios.request|got.stream|undici.request|undici.stream|phin|bent|ky.get|ky.head|got.get|got.head|axios.get|axios.head|axios.options|request.get|superagent.get|superagent.head|needle.get(url, options=, callback=) -> invoke_done(send(url, options), callback) => response()
axios.post|axios.put|axios.patch|needle.post|needle.put|superagent.post|superagent.put(url, data=, options=) -> send(url, options, data) => response()
got.post|got.put|got.patch|ky.post|ky.put|ky.patch|request.post|request.put|request.patch(url, options=, callback=) -> invoke_done(send(url, options), callback) => response()
axios.delete|got.delete|ky.delete|request.delete|request.del|superagent.delete|superagent.del|needle.delete(url, options=, *rest) -> delete_address(url, options) => response()
axios.create|got.extend|ky.extend|ky.create(options=) => instance('axios')
http.get|https.get|http.request|https.request(target, options=, callback=) -> invoke_request(target, options, callback) => response()
http2.connect(target, *rest) -> invoke_request(target) => response()
response.setEncoding|response.resume|response.abort(*rest) => none()
net.connect|net.createConnection|tls.connect|Deno.connect|Deno.connectTls|Bun.connect|socket.connect(port=, host=, *rest) => open_socket(port, host)
net.Socket|tls.TLSSocket(*rest) => instance('socket')
net.Socket.connect(port=, host=, *rest) => open_socket(port, host)
WebSocket|ws|ws.WebSocket(url, *rest) -> connect(url) => instance('socket')
dgram.createSocket(*rest) => instance('socket')
?.write|?.end|?.send(data=, *rest) -> send_more(data)
nodemailer.createTransport(options=) -> connect(option(options, 'host')) => instance('mailer')
mailer.sendMail(message, *rest) -> connect('mail', option(message, 'text'), option(message, 'html'), option(message, 'attachments'))
# databases
?.query|?.execute|?.exec|?.run|?.unsafe|?.prepare|?.none|?.$executeRawUnsafe|?.$queryRawUnsafe|?.$executeRaw|?.$queryRaw(query=, *rest) -> sql_change(query), invoke_all(rest)
?.dropDatabase|?.dropSchema|?.dropAllSchemas|?.dropTable|?.dropTableIfExists|?.dropCollection(*rest) -> database_call('database.drop', 'a database or a part of it')
?.flushall|?.flushAll|?.flushdb|?.flushDb(*rest) -> database_call('database.delete', 'everything')
?.deleteMany|?.updateMany(query=, *rest) -> delete_all(query)
"""
