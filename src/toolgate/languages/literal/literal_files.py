"""Files whose literal path code reads, writes or sends, by functions of any of these languages."""

import re
from collections.abc import Iterator

from toolgate.languages import word_from_text
from toolgate.model.effect import Connect, Read, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import NO_SOURCES, Word, known_word, unknown_word

from .arguments import find_first_arguments
from .calls import either, methods
from .texts import TEXT


def _functions(*found: str) -> re.Pattern[str]:
    """Returns a pattern of functions whose first argument is a literal path."""
    return re.compile(rf"(?<![\w$@-])(?:{'|'.join(found)})(?![\w-])\s*\(?\s*(?=\")")


_WRITING_MODE = (
    rf"{TEXT}\s*,?\s*(?:mode\s*=\s*)?"
    r"(?:fm(?:Append|Write|ReadWrite)\w*|(?:Append|Write|ReadWrite)Mode|\"[wa]b?\+?\"|\[\s*:(?:append|write)\b|:(?:append|write)\b)"
)
_WRITES = either(
    _functions(
        *(r"appendFile", r"Files\.write(?:String)?", r"(?:new\s+)?(?:FileWriter|FileOutputStream|PrintWriter|StreamWriter)"),
        *(r"os\.write(?:\.append|\.over)?", r"os\.(?:open_append|create|write_lines)", r"open_out(?:_bin)?", "spit", "sink"),
        *(r"Out_channel\.(?:open_\w+|with_open_\w+)", r"File\.(?:AppendAll\w+|AppendText|CreateText)"),
        *(r"open-output-file", r"with-output-to-file", r"call-with-output-file\*?", r"(?:std\.file\.)?append", "toFile"),
    ),
    re.compile(rf"(?<![\w.$@])(?:File\.)?(?:open|File|openFile|withFile)!?\s*\(?\s*(?={_WRITING_MODE})"),
    re.compile(r"\b(?:cat|write|writeLines|saveRDS|write\.\w+)\s*\([^;\n]*?\b(?:file|con)\s*=\s*(?=\")"),
    re.compile(rf"\bwriteLines\s*\([^;\n]*?,\s*(?={TEXT}\s*[),])"),
    re.compile(
        r"\.write\s*\(\s*to(?:File|Path)?:\s*(?=\")|\b(?:forWriting(?:AtPath|To)|toFileAtPath|createFile\s*\(\s*atPath):\s*(?=\")"
    ),
    re.compile(r"\((?:display|write|display-lines|write-lines)-to-file\s+(?:\"[^\"\n]*\"|[^\s\"()]+)\s+(?=\")"),
    re.compile(r"\bopen_out_gen\s*\[[^\]]*\]\s*\w+\s*(?=\")"),
    methods(
        r"(?:write|append)(?:Text|Bytes|String|Lines)", r"(?:write(?:As\w+)?|append)(?=\s*\()", r"text(?=\s*=(?!=))", "setText"
    ),
    methods("openWrite", "printWriter", "bufferedWriter", "outputStream", r"with(?:Writer|PrintWriter|OutputStream)\w*"),
    re.compile(r"(?=\"[^\"\n]*/[^\"\n]*\"\s*<<)"),
)
_READS = either(
    _functions(
        *(r"Files\.(?:readString|readAllBytes|readAllLines|lines|newInputStream|newBufferedReader)", r"BodyPublishers\.ofFile"),
        *(r"(?:new\s+)?(?:FileInputStream|FileReader|StreamReader)", r"Source\.fromFile", "slurp", "readLines", "readChar"),
        *(r"(?:os\.)?read_(?:file|lines|bytes)", "readFile", r"File\.(?:read|stream)!?", r"open_in(?:_bin)?", "upload_file"),
        *(r"In_channel\.with_open_\w+", r"file->\w+", r"call-with-input-file\*?", r"open-input-file", r"with-input-from-file"),
        *(
            r"uiop:read-file-\w+",
            "read",
            "readlines",
            "readText",
            r"File\.(?:ReadAll\w+|OpenText|OpenRead)",
            r"(?:std\.file\.)?read",
        ),
    ),
    re.compile(rf"(?<![\w.$@])open\s*\(\s*(?={TEXT}\s*(?:,\s*\"rb?\"\s*)?\))"),
    re.compile(r"\b(?:contentsOf(?:File)?|contents\s*\(\s*atPath|fromFile|forReading(?:AtPath|From)):\s*(?=\")"),
    methods(r"read(?:As)?(?:String|Bytes|Lines|Text)\w*", "openRead", r"text\b(?!\s*=[^=])", "getText", "bytes", "inputStream"),
    methods("bufferedReader", "newReader", "withReader", "eachLine", "useLines", "newInputStream"),
)
_REQUESTS = re.compile(
    r"\b(?:HttpRequest|HttpClient|HttpURLConnection|openConnection|URLSession|URLRequest|RestTemplate|OkHttpClient|HTTParty)\b"
    r"|\b(?:Req|HTTPoison|Tesla|HTTP|httr2?|http|client|dio|requests|std\.net\.curl)(?:\.|::?)\w+"
    r"|\b(?:POST|PUT)\s*\(|\b(?:postContent|postForm|multipart|fileUpload|httpLbs|httpBS|simpleHTTP|postWith|req_perform)\b"
    r"|:httpc\.request|\b(?:PostAsync|PutAsync|UploadString|UploadData|UploadFile)\w*\s*\(|\.(?:post|put)(?:Url|Async)?\s*\("
    r"|\b(?:http-sendrecv|http-conn-send!|post-pure-port|drakma:http-request|url-retrieve|dex:post)\b|/post\b"
)
"""Clients of HTTP that send a body."""
_SERVES = re.compile(
    r"\b(?:createFileServer\s*\([^;]{0,200}?|servr::\w+\s*\(\s*(?:dir\s*=\s*)?|httd\s*\(\s*(?:dir\s*=\s*)?|document_root\s*,\s*|ServeDir::new\s*\(\s*"
    r"|(?:warp::)?fs::dir\s*\(\s*|Files::new\s*\(\s*\"[^\"]*\"\s*,\s*|createStaticHandler\s*\(\s*|static(?:Files|Resources)?\s*\(\s*\"[^\"]*\"\s*,\s*"
    r"|PhysicalFileProvider\s*\(\s*|wrap-file\s+[^\s\"]+\s+|defaultWebAppSettings\s+|defaultFileServerSettings\s+|LiveServer\.serve\s*\([^)]{0,200}?dir\s*=\s*"
    r"|Plug\.Static\b[^\n]{0,200}?\bfrom:\s*|pr_static\s*\([^;\n]{0,200}?|staticPath\s*=\s*)(?=\")"
)
"""Servers of a folder, up to its literal path."""
_CONNECTIONS = re.compile(
    r"(?:\bTcpStream::connect|\bnew\s+(?:Tcp)?Socket|\bTcpClient|\bTcpSocket|\bInternetAddress|:?gen_tcp[.:]connect"
    r"|\bsocketConnection|\bSocket\.connect|\bADDR_INET|\btcp-connect|\btcpConnectTo(?:Host|Address)|\bconnectTo"
    r"|\bmake-(?:network-process|socket)\b[^)]{0,200}:host|\bnet\.dial(?:_tcp)?|\binet_addr_of_string|\.connect|\bconnect"
    r"|\bsocket(?=\s+[\w.-]+\s+\d)|\bHost\.ipv4)"
    r"\s*\(*\s*(?:\w+\s*,\s*)?[~c]*\"?(?P<host>(?:[\w-]+\.)+(?!db\b|sqlite|duckdb|csv\b)\w+(?::\d+)?(?=\")|localhost\b|[\w.-]+(?=\s+\d+))"
)
"""Calls that connect a socket to a literal address."""
_URL = re.compile(r"\"(https?://[^\"\s]+)\"")


def report_literal_files(text: str, own_reads: re.Pattern[str], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the writes and reads of files, and the request of code that reads files and sends a request: its body may be their
    content. `own_reads`: further functions of the language that read a file."""
    for file in find_first_arguments(text, _WRITES, context):
        yield Write(context.resolve_place(file), None, None, context.origin)
    for folder in find_first_arguments(text, _SERVES, context):
        yield Run((known_word("http-server"), folder), context.origin)
    files = list(find_first_arguments(text, _READS, context))
    for file in files:
        yield Read(context.resolve_place(file), context.origin)
    files += find_first_arguments(text, own_reads, context)
    for target in _find_servers(text) if files else ():
        yield Connect(
            target, context.origin, unknown_word("a file", NO_SOURCES.union(*(context.read(file).src for file in files)))
        )


def _find_servers(text: str) -> Iterator[Word]:
    """Yields the servers that code sends a request to, or connects a socket to."""
    if _REQUESTS.search(text) is not None:
        url = _URL.search(text)
        yield word_from_text(url[1]) if url is not None else unknown_word("a server")
    for connection in _CONNECTIONS.finditer(text):
        yield word_from_text(connection["host"])
