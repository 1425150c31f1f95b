"""Connections: HTTP, sockets, databases."""

ROWS = """
get|head|getprint(url) => send(url)
getstore|mirror(url, file) -> write(file) => send(url)
LWP::UserAgent.new|HTTP::Tiny.new|WWW::Mechanize.new|Mojo::UserAgent.new|REST::Client.new|Furl.new(*rest) => instance('client')
client.get|client.head|client.delete|client.GET|client.DELETE(url, *rest) => send(url, argv(rest))
client.post|client.put|client.patch|client.post_form|client.POST|client.PUT|client.request(url, *rest) => send(url, argv(rest))
HTTP::Request.new(method, url=, *rest) -> connect(url) => same(url)
GET|POST|PUT(url, *rest) => send(url, argv(rest))
IO::Socket::INET.new|IO::Socket::SSL.new|IO::Socket::IP.new|IO::Socket.new|IO::Socket::UNIX.new(*rest) => socket_of(rest)
Net::FTP.new|Net::SMTP.new|Net::SSH.new|Net::OpenSSH.new(host, *rest) -> connect(host) => instance('socket')
connect(socket, address) -> connect_to(address)
sockaddr_in|pack_sockaddr_in(port, host) => address_of(host, port)
inet_aton|inet_pton|getprotobyname|gethostbyname(host, *rest) => same(host)
socket(*rest) => instance('socket')
socket.print|socket.send|socket.syswrite(*data) -> send_more(argv(data))
socket.getline|socket.recv|socket.sysread(*rest) => received()
DBI.connect|DBIx::Simple.connect(*rest) => instance('database')
?.do|?.query|?.prepare|?.execute|?.selectall_arrayref|?.selectrow_array|?.prepare_cached|?.dbh_do(query=, *rest) -> ask(query), escape(rest)
?.delete_all|?.drop_table(*rest) -> database_call('database.delete', 'everything')
?.remove_tree|?.rmtree(path=, *rest) -> delete(paths(path or me), True)
"""
