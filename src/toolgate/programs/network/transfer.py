"""Network transfers: data that is sent, received and stored."""

from collections.abc import Iterator
from functools import reduce

from toolgate.model.effect import (
    Carrier,
    Connect,
    Delete,
    Interpret,
    Operation,
    PrintedOutput,
    Read,
    ReportedEffect,
    Run,
    Site,
    Write,
)
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import Place
from toolgate.model.word import Word, join_words, known_word, unknown_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, program_name
from toolgate.programs.files.coreutils import possible_destinations

from .curl_configuration import list_configured_words
from .http_services import find_deletions
from .httpie import HTTP

CURL = Flags(
    "-X,--request= -H,--header= -d,--data= --data-ascii= --data-binary= --data-raw= --data-urlencode= --json= -F,--form= --form-string= -T,--upload-file="
    " -o,--output= -O,--remote-name --remote-name-all --output-dir= -s,--silent -S,--show-error -L,--location --location-trusted -f,--fail --fail-with-body"
    " -k,--insecure -u,--user= -A,--user-agent= -e,--referer= -b,--cookie= -c,--cookie-jar=write -v,--verbose -i,--include -I,--head -G,--get -m,--max-time="
    " --connect-timeout= --retry= --retry-delay= --retry-max-time= --retry-all-errors --retry-connrefused -x,--proxy= -w,--write-out= -D,--dump-header=write"
    " -K,--config=read --cacert= --cert= -E= --key= --compressed -C,--continue-at= -r,--range= -z,--time-cond= -n,--netrc --netrc-file=read"
    " -N,--no-buffer -#,--progress-bar --progress-meter -g,--globoff --url= --resolve= --connect-to= --unix-socket= --interface= -4,--ipv4 -6,--ipv6"
    " --http1.1 --http2 --tlsv1.2 --tlsv1.3 --proto= --create-dirs -J,--remote-header-name -R,--remote-time -Z,--parallel --limit-rate= -q,--disable"
    " --oauth2-bearer= --aws-sigv4= -h,--help=? -V,--version -Q,--quote= -P,--ftp-port= --stderr=write --trace=write --trace-ascii=write"
)
_BODY_OPTIONS = ("--data", "--data-ascii", "--data-binary", "--json", "--data-urlencode", "--form", "--upload-file")
_TEXT_OPTIONS = ("--data-raw", "--form-string")
_HEADER_OPTIONS = ("--header", "--user", "--cookie", "--user-agent", "--referer", "--oauth2-bearer")


def curl(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = CURL.parse(argv)
    if options.has_flag("--help", "--version") is True:
        return
    yield from _files_of_options(CURL, [each for each in options.values if each[1].text != "-"], context)
    if configured := list_configured_words(options, context):
        yield Run((*argv, *configured), context.origin, Carrier("curl", "--config"))
        return
    headers = options.values_of(*_HEADER_OPTIONS)
    sends, shows = None, _join_bodies(context.stdin if word.text == "@-" else word for word in headers)
    for name, value in options.values:
        if name in _TEXT_OPTIONS:
            sends = _append_body(sends, value)
        elif name in _BODY_OPTIONS:
            file = _attached_file(name, value)
            if file is None:
                sends = _append_body(sends, value)
            elif file.text in ("-", "."):
                sends = _append_body(sends, context.stdin)
            else:
                meant = _possible_paths(file, context)
                yield from (Read(context.resolve_place(path), context.origin) for path in meant)
                sends = reduce(_append_body, (context.read(path) for path in meant), sends)
    urls = [*options.operands, *options.values_of("--url")]
    got = context.unknown_output("the response of " + (urls[0].display_text if urls else "the server"))
    method = options.value_of("--request")
    for url in _resolve_docker_socket(options, urls):
        yield Connect(url, context.origin, sends, shows=shows)
        verb = (method.text or "").upper() if method is not None else "POST" if options.values else "GET"
        yield from find_deletions(url, verb, context, sends, shows)
        if url.starts_with("file:") is True:
            path = url.drop_first(len("file://") if url.starts_with("file://") is True else len("file:"))
            yield Read(context.resolve_place(path), context.origin)
            got = got.from_commands(context.read(path).src)
    yield from _keep_response(options, urls, got, context)


def _keep_response(
    options: ParsedOptions, urls: list[Word], got: Word, context: ExecutionContext
) -> Iterator[Write | PrintedOutput]:
    """Yields the files that the response is written to; without one, it is printed."""
    outputs = [word for word in options.values_of("--output") if word.text != "-"]
    if options.has_flag("--remote-name", "--remote-name-all") is True:
        outputs += [_remote_name(url) for url in urls]
    folder = options.value_of("--output-dir")
    for output in outputs:
        target = folder + known_word("/") + output if folder is not None else output
        yield Write(context.resolve_place(target), got, False, context.origin)
    if not outputs:
        yield PrintedOutput(got)


def _resolve_docker_socket(options: ParsedOptions, urls: list[Word]) -> list[Word]:
    """Returns docker requests through its socket as requests to its port."""
    socket = options.value_of("--unix-socket")
    if socket is None or not socket.tail.endswith(("docker.sock", "podman.sock")):
        return urls
    paths = (url.partition("://")[2].partition("/")[2] for url in urls)
    return [known_word("http://localhost:2375/") + path for path in paths]


def _append_body(sends: Word | None, more: Word) -> Word:
    return more if sends is None else sends + known_word("&") + more


def _join_bodies(texts: Iterator[Word]) -> Word | None:
    result: Word | None = None
    for text in texts:
        result = _append_body(result, text)
    return result


def _attached_file(option: str, value: Word) -> Word | None:
    """Returns the file of a body: `@file`, `name=@file`, `name=<file`."""
    if option == "--upload-file":
        return value
    if value.starts_with("@") is True:
        return value.drop_first(1).partition(";")[0]
    if option == "--form":
        _, assigned, content = value.partition("=")
        if assigned and content.head[:1] in ("@", "<"):
            return content.drop_first(1).partition(";")[0]
    if option == "--data-urlencode":
        _, at, content = value.partition("@")
        return content if at else None
    return None


def _possible_paths(file: Word, context: ExecutionContext) -> tuple[Word, ...]:
    """Returns the possible paths of `@~/x`: neither shell nor curl expands the tilde, but the home folder is meant, and a folder
    `~` may exist."""
    return (file, known_word(context.home) + file.drop_first(1)) if file.starts_with("~/") is True else (file,)


def _remote_name(url: Word) -> Word:
    text = url.text
    if text is None:
        return unknown_word("a name the server chose", url.src, like="*")
    return known_word(text.split("?")[0].rstrip("/").rpartition("/")[2] or "index.html", url.src)


def _files_of_options(flags: Flags, values: list[tuple[str, Word]], context: ExecutionContext) -> Iterator[ReportedEffect]:
    for name, value in values:
        if flags.roles.get(name) == "read":
            yield Read(context.resolve_place(value), context.origin)
        elif flags.roles.get(name) == "write" and value.text != "-":
            yield Write(context.resolve_place(value), None, False, context.origin)


WGET = Flags(
    "-O,--output-document= -o,--output-file=write -a,--append-output=write -q,--quiet -v,--verbose -nv,--no-verbose -i,--input-file=read -c,--continue"
    " -N,--timestamping -S,--server-response -T,--timeout= -t,--tries= -P,--directory-prefix= -r,--recursive -l,--level= -k,--convert-links -p,--page-requisites"
    " -np,--no-parent -nc,--no-clobber -nd,--no-directories -nH --user= --password= --header= --post-data= --post-file= --body-data= --body-file= --method="
    " -U,--user-agent= --no-check-certificate --spider -b,--background -e,--execute= --show-progress --progress= --load-cookies=read --save-cookies=write"
    " --content-disposition -4 -6 --limit-rate= -A= -R= -D= -m,--mirror -E -H -K -x --use-askpass= -h,--help -V,--version"
)


def _mirrors_without_limits(options: ParsedOptions, argv: tuple[Word, ...]) -> bool:
    """Returns whether wget follows all links, although the site forbids it to robots, or to other hosts, without a pause."""
    if options.has_flag("--recursive", "--mirror") is not True:
        return False
    ignores_robots = any(word.contains("robots=off") is True for word in argv)
    waits = any(word.text != "--wait=0" and (word.text or "").startswith(("--wait", "-w", "--random-wait")) for word in argv)
    return not waits and (ignores_robots or options.has_flag("-H") is True)


def wget(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = WGET.parse(argv)
    if options.has_flag("--help", "--version") is True:
        return
    yield from _files_of_options(WGET, options.values, context)
    sends: Word | None = None
    for file in options.values_of("--post-file", "--body-file"):
        yield Read(context.resolve_place(file), context.origin)
        sends = _append_body(sends, context.read(file))
    for text in options.values_of("--post-data", "--body-data"):
        sends = _append_body(sends, text)
    shows = _join_bodies(options.values_of("--header"))
    for program in options.values_of("--use-askpass"):
        yield Interpret("shell", program, context.origin, via=Carrier("wget", "--use-askpass"))
    got = context.unknown_output("the response of " + (options.operands[0].display_text if options.operands else "the server"))
    folder = options.value_of("--directory-prefix")
    output = options.value_of("--output-document")
    method = options.value_of("--method")
    for url in options.operands:
        yield Connect(url, context.origin, sends, shows=shows)
        if _mirrors_without_limits(options, argv):
            yield Operation("network.flood", context.origin, url)
        yield from find_deletions(url, (method.text or "").upper() if method is not None else "GET", context)
        if output is None and options.has_flag("--spider") is not True:
            name = _remote_name(url)
            yield Write(
                context.resolve_place(folder + known_word("/") + name if folder is not None else name), got, False, context.origin
            )
    if output is not None and output.text != "-":
        yield Write(context.resolve_place(output), got, False, context.origin)
    elif output is not None:
        yield PrintedOutput(got)


def scp_or_rsync(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """scp and rsync: `host:path` is remote. The key of `-i` is used for authentication, neither sent nor shown."""
    name = argv[0].file_name
    options = (RSYNC if name == "rsync" else SCP).parse(argv)
    yield from _commands_of_options(name, options, context)
    for file in options.values_of("--files-from", "--exclude-from", "--include-from", "--password-file"):
        yield Read(context.resolve_place(file), context.origin)
    if options.has_flag("--dry-run") is True or not options.operands:
        return
    sources, target = options.operands[:-1], options.operands[-1]
    there, content = _is_remote(target), None
    tree = options.has_flag("--recursive", "--archive", "-r", "-a") is not False
    for source in sources:
        if _is_remote(source):
            yield Connect(source, context.origin)
            content = context.unknown_output(f"the content of {source.display_text}")
        else:
            yield Read(context.resolve_place(source), context.origin, tree)
            content = context.read(source)
        if there:
            yield Connect(target, context.origin, sends=content)
            yield Write(_on_server(target, context), content, False, context.origin)
        else:
            is_folder_content = source.tail.endswith("/")  # rsync: the content of the folder, not the folder
            named = source.partition(":")[2] if _is_remote(source) else source
            is_folder = program_name(argv) == "rsync" and context.is_folder(context.resolve_place(named)) is True
            inside = possible_destinations(named, target, several=len(sources) > 1 or is_folder, context=context)
            for destination in [target] if is_folder_content else inside:
                copied = None if _is_remote(source) else context.resolve_place(source)
                yield Write(context.resolve_place(destination), content, False, context.origin, tree=tree, source=copied)
                if tree and copied is None and content is not None:
                    context.record_folder_contents(destination, content)
    if options.has_flag("--remove-source-files") is not False:
        for source in sources:
            if not _is_remote(source):
                yield Delete(context.resolve_place(source, follow=False), True, context.origin)
    if options.has_flag("--delete") is not False:
        yield from _delete_extraneous(target, context)


def unison(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """unison: two roots become alike; with `-force ROOT` the other one loses what that one does not have."""
    options = _UNISON.parse(argv)
    winner = options.value_of("-force", "-prefer")
    for root in options.operands:
        if winner is not None and root.text != winner.text:
            yield from _delete_root(root, context)
        elif root.contains("://") is True:
            yield Connect(root, context.origin)


def _delete_root(root: Word, context: ExecutionContext) -> Iterator[Delete]:
    """Yields what a root loses: a folder here, or of a server (`ssh://host//folder`)."""
    _, there, address = root.partition("://")
    host, _, path = address.partition("/")
    place = context.resolve_place(path) if there else context.resolve_place(root)
    yield Delete(place._replace(machine=f"ssh:{host.display_text}") if there else place, True, context.origin)


_UNISON = Flags(
    "-batch -auto -force= -prefer= -confirmbigdel=? -path= -ignore= -ui= -sshargs= -servercmd= -times -perms= -owner -group -silent"
    " -terse -repeat= -retry= -fastcheck= -root= -logfile= -maxbackups= -backup= -follow= -nodeletion= -noupdate= -nocreation= -log"
)


def _commands_of_options(name: str, options: ParsedOptions, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the commands in options: for the connection, and for the other end."""
    for program in options.values_of("--rsh", "-S"):
        yield Interpret("shell", program, context.origin, via=Carrier(name, "-e"))
    for option in options.values_of("-o"):
        key, _, command = option.partition("=")
        if (key.text or "").lower() in ("proxycommand", "localcommand"):
            yield Interpret("shell", command, context.origin, via=Carrier(name, "-o"))
    hosts = [word for word in options.operands if _is_remote(word)]
    for program in options.values_of("--rsync-path") if hosts else ():
        site = Site(f"ssh:{hosts[0].partition(':')[0].display_text}")
        yield Interpret("shell", program, context.origin, via=Carrier("rsync", "--rsync-path"), site=site)


def _delete_extraneous(target: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`--delete` removes files that the source does not have; on a server they are unknown."""
    if not _is_remote(target):
        yield Delete(context.resolve_place(target), True, context.origin)
    else:
        yield Delete(_on_server(target, context), True, context.origin)


def _on_server(target: Word, context: ExecutionContext) -> Place:
    """Returns the place of `host:path`; a relative path is in the remote home folder."""
    host, _, path = target.partition(":")
    place = context.resolve_place(path, base=known_word("~") if path.starts_with("/") is False else None)
    return place._replace(machine=f"ssh:{host.display_text}")


def _is_remote(word: Word) -> bool:
    before, colon, _ = word.partition(":")
    return colon and "/" not in before.outline and before.outline[:1] not in (".", "~", "")


SCP = Flags("-3 -4 -6 -A -B -C -c= -D= -F= -i= -J= -l= -O -o= -P= -p -q -R -r -S= -s -T -v -X=")
RSYNC = Flags(
    "-a,--archive -v,--verbose -z,--compress -r,--recursive -u,--update -l -p -t -g -o -D -n,--dry-run -P -h -i,--itemize-changes -e,--rsh= -c -H -A -X -x -S -W"
    " -q -b --backup --backup-dir= --suffix= --delete,--delete-before,--delete-after,--delete-during,--delete-excluded,--delete --remove-source-files --exclude= --include= --exclude-from="
    " --include-from= --files-from= --progress --stats --partial --inplace --rsync-path= --bwlimit= --timeout= --port= --password-file= --chmod= --chown="
    " --ignore-existing --existing --size-only --max-size= --min-size= --filter= -f= -C -m -R -L -k -K -O -J -E -0 --info= --log-file= --numeric-ids -s -y -T= -B= -M="
    " --delete-delay --force --no-perms --no-owner --no-group --mkpath --append --copy-links"
)


def download_program(spec: str, output_options: str = "", *, saves: bool = False) -> Program:
    """A program that fetches addresses. `output_options`: options that name the file; `saves`: without one it uses the address's
    file name."""
    flags = Flags(spec + " -h,--help --version")

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = flags.parse(argv)
        if options.has_flag("--help", "--version") is True:
            return
        operands = enumerate(options.operands)
        urls = [word for n, word in operands if word.starts_with("-") is False and not _is_method(word, first=n == 0)]
        got = context.unknown_output("the response of " + (urls[0].display_text if urls else "the server"))
        methods = [(word.text or "").upper() for word in options.operands[:1] if (word.text or "").upper() in _METHODS]
        shown = join_words([word for word in argv[1:] if word not in urls])
        for url in urls:
            yield Connect(url, context.origin, context.stdin, shows=shown)
            yield from find_deletions(url, methods[0] if methods else "GET", context)
        outputs = list(options.values_of(*output_options.split())) if output_options else []
        if not outputs and saves:
            outputs = [_remote_name(url) for url in urls]
        folder = options.value_of("--dir")
        for output in outputs:
            if output.text != "-":
                file = output if folder is None else folder + known_word("/") + output
                yield Write(context.resolve_place(file), got, False, context.origin)
        if not outputs or any(output.text == "-" for output in outputs):
            yield PrintedOutput(got)

    return Program(does=report_effects)


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def _is_method(word: Word, *, first: bool) -> bool:
    """Returns whether a word of `http POST host name=value` is not the address. A method may be lower case."""
    text = word.text or ""
    if first and text.upper() in _METHODS:
        return True
    before_slash = text.partition("/")[0]
    return text.isupper() or ("=" in before_slash and "://" not in text) or ":=" in text


ROWS: dict[str, Program] = {
    **dict.fromkeys(("http", "https", "xh", "xhs", "curlie", "httpie"), HTTP),
    **dict.fromkeys(
        ("lynx", "links", "elinks", "w3m"),
        download_program("-source -dump -dump_source -mime_header -T= -o= -nolist -accept_all_cookies"),
    ),
    "fetch": download_program("-o= -q -v -s -1 -a -m -n -r -T= -w=", "-o", saves=True),
    "aria2c": download_program("-o,--out= -d,--dir= -x= -s= -c -i= -q,--quiet --header= -k= -j=", "--out", saves=True),
    "axel": download_program("-o,--output= -n= -s= -q -a -v -H=", "--output", saves=True),
    **dict.fromkeys(
        ("GET", "POST", "HEAD", "lwp-request"),
        download_program("-m= -f -b= -t= -i= -c= -a -p= -P -H= -u -U -s -S -e -d -o= -v -x -C="),
    ),
    **dict.fromkeys(("lwp-download", "lwp-mirror", "youtube-dl"), download_program("-a -s", saves=True)),
    **dict.fromkeys(("telnet", "finger"), download_program("-a -l= -d -K -E -8 -b= -p=")),
    "curl": Program(does=curl),
    "wget": Program(does=wget),
    "scp": Program(does=scp_or_rsync),
    **dict.fromkeys(
        ("ssh-copy-id", "ssh-import-id", "ssh-import-id-gh", "ssh-import-id-lp"), Program(operation="account.change")
    ),
    "rsync": Program(does=scp_or_rsync),
    "unison": Program(does=unison),
}
