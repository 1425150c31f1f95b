"""Servers of files and shells: whoever reaches the port can read a folder, or type commands here."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.address import is_loopback
from toolgate.model.effect import Connect, Operation, PrintedOutput, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import Program, program_name

_INFORMATION_WORDS = frozenset(("--help", "-h", "--version", "-V", "version", "help"))


def file_server(options: str, *, operand: bool = True, skips: str = "", idle: str = "") -> Program:
    """A server of one folder: the value of one of `options`, an operand, or the current directory. `skips`: other options with
    a value; `idle`: subcommands that serve nothing."""
    names, others, informing = options.split(), skips.split(), _INFORMATION_WORDS | frozenset(idle.split())

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if not informing.isdisjoint(word.text for word in argv[1:2]):
            return
        yield from _serve_folder(_served_folder(argv, names, others, operand=operand), context)
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


def _served_folder(argv: tuple[Word, ...], names: list[str], others: list[str], *, operand: bool) -> Word:
    for option, value in pairwise(argv[1:]):
        if option.text in names:
            return value
    for word in argv[1:]:
        name, attached, value = word.partition("=")
        if attached and name.text in names:
            return value
    valued = {id(value) for option, value in pairwise(argv) if option.text in others}
    folders = (
        word for word in argv[1:] if word.starts_with("-") is False and id(word) not in valued and not (word.text or "").isdigit()
    )
    return next(folders, known_word(".")) if operand else known_word(".")


def _serve_folder(folder: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield Read(context.resolve_place(folder), context.origin, True)
    yield Connect(known_word("0.0.0.0"), context.origin, context.read(folder), listens=True)


def server_mode(mark: str, before_folder: str) -> Program:
    """A program that is a server of one folder if an argument begins with `mark`. The folder follows the word
    `before_folder`, if there is one."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if any(word.starts_with(mark) is True for word in argv[1:]):
            folders = (
                value for word, value in pairwise(argv) if word.text == before_folder and value.starts_with("-") is not True
            )
            yield from _serve_folder(next(folders, known_word(".")), context)

    return Program(does=report_effects)


def exposing_program(verbs: str = "") -> Program:
    """A program that lets others type commands here, or publishes a port. `verbs`: the first words with which it does; none if
    it always does."""
    exposing_verbs = verbs.split()

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        words = [word.text or "" for word in argv[1:] if word.starts_with("-") is not True]
        if (
            _INFORMATION_WORDS.isdisjoint(word.text for word in argv[1:])
            and (not exposing_verbs or (words[:1] and words[0] in exposing_verbs))
            and not _is_bound_to_loopback(argv)
        ):
            yield Operation("network.expose", context.origin, known_word(program_name(argv)))
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


_BINDING_OPTIONS = ("-i", "--interface", "-a", "--address", "--host", "-H", "-b", "--bind", "-host")


def _is_bound_to_loopback(argv: tuple[Word, ...]) -> bool:
    """Returns whether an option binds a server to this machine: `ttyd -i lo`, `gotty --address=127.0.0.1`."""
    pairs = [(word.text or "").split("=", 1) if word.contains("=") else None for word in argv]
    attached = [(pair[0], pair[1]) for pair in pairs if pair is not None and len(pair) == 2]
    following = [(option.text or "", value.text or "") for option, value in pairwise(argv)]
    return any(
        option in _BINDING_OPTIONS and (value in ("lo", "lo0") or (is_loopback(value) and value not in ("0.0.0.0", "::", "[::]")))
        for option, value in attached + following
    )


def sshd(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A login server besides the system's own: another port, other keys, other settings."""
    only_checks = any(word.text in ("-t", "-T", "-G") for word in argv[1:])
    if not only_checks and any(
        word.starts_with(option) is True for word in argv[1:] for option in ("-p", "-o", "-h", "-f", "-D")
    ):
        yield Operation("network.expose", context.origin, known_word("sshd"))


def port_mapping(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`upnpc -a ADDRESS PORT PORT TCP`: the router passes a port on to this machine."""
    if any(word.text in ("-a", "-r", "-A") for word in argv[1:]):
        yield Operation("network.expose", context.origin, known_word("the router"))


def redis_server(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """redis-server is exposed if it listens on all networks without a password."""
    texts = [word.text or "" for word in argv[1:]]
    is_open = ("--protected-mode", "no") in pairwise(texts)
    bound = [value for option, value in pairwise(texts) if option == "--bind"]
    if (is_open and bound not in (["127.0.0.1"], ["localhost"])) or bound in (["0.0.0.0"], ["*"]):
        yield Operation("network.expose", context.origin, known_word("redis-server"))


_WITHOUT_AUTHENTICATION = re.compile(
    r"--no-?auth(?:entication)?|--auth[= ]none|--without-connection-token|-nopw|--disable-auth|--allow-anonymous|--[\w.]*token="
    r"|-SecurityTypes[= ]None|-E\S*security\.enabled=false|--accept-hosts[= ]\S*\.\*|--insecure-bind-address\S*"
)
_LISTENS_EVERYWHERE = re.compile(r"(?:-\S*[= ])?(?:tcp://)?(?:0\.0\.0\.0|\[::\])(?::\d+)?|--bind_ip_all")
_OPEN_IF_PUBLIC = frozenset("dockerd mongod kubectl code-server filebrowser memcached etcd consul opencode kilo debugpy".split())
"""Servers without authentication by default, once they listen on all networks."""
_OPENS_DEBUGGER = re.compile(
    r"--remote-debugging-address[= ](?:0\.0\.0\.0|::)|--inspect(?:-brk|-wait)?[= ](?:0\.0\.0\.0|\[::\])(?::\d+)?|-(?:agentlib:|Xrun)jdwp[:=]\S*address=(?:\*|\ufffc|0\.0\.0\.0):\d+\S*"
)
OPEN_CONFIGURATIONS = {"code-server": re.compile(r"^\s*auth:\s*none\b", re.MULTILINE)}
"""By server, the line of its configuration that lets everybody in."""
_DEBUG_SERVERS = frozenset(("dlv", "gdbserver", "lldb-server", "rdbg"))
_WITHOUT_HOST = re.compile(r"(?:--?(?:listen|host|l)[= ]|\*)?(?:0\.0\.0\.0|\[::\]|\*)?:\d+")


def find_exposure(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reports a server that is told to skip authentication, or one without it that listens on all networks: so does a
    debugger, which runs the code that it is given."""
    texts = [word.outline for word in argv[1:]]
    pairs = [f"{option} {value}" for option, value in pairwise(texts)]
    if any(_WITHOUT_AUTHENTICATION.fullmatch(text) for text in (*texts, *pairs) if text.startswith("-")) or (
        name in _OPEN_IF_PUBLIC and any(_LISTENS_EVERYWHERE.fullmatch(text) for text in (*texts, *pairs))
    ):
        yield Operation("network.expose", context.origin, known_word(name))
    elif any(_OPENS_DEBUGGER.fullmatch(text) for text in (*texts, *pairs)) or (
        name in _DEBUG_SERVERS and any(_WITHOUT_HOST.fullmatch(text) for text in (*texts, *pairs))
    ):
        yield Operation("network.expose", context.origin, known_word(f"the debugger of {name}"))
    elif name in _CLUSTER_CLIENTS and texts[:1] in (["expose"], ["patch"], ["create"]) and _OPENS_SERVICE.search(" ".join(texts)):
        yield Operation("network.expose", context.origin, known_word(f"{name} {texts[0]}"))


_SERVED_ROOT = re.compile(
    r"^[^#\n]*?\b(?:root(?:[ \t]+\*)?|alias|DocumentRoot|document-root[ \t]*=)[ \t]+[\"']?(?P<folder>(?:~|/)[^\s;\"'{}]*)",
    re.MULTILINE,
)


def find_served_roots(_name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the folders that the settings given to a web server let everybody read: `nginx -c own.conf`."""
    values = (word for option, word in pairwise(argv) if option.text in ("-c", "-f", "--config"))
    for text in (text for file in values for text in context.read_alternatives(file)):
        for found in _SERVED_ROOT.finditer(text.text or ""):
            yield from _serve_folder(known_word(found["folder"], text.src), context)


def find_open_configuration(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reports a server whose configuration skips authentication on every network."""
    files = [value for option, value in pairwise(argv) if option.text == "--config"]
    texts = [text.text or "" for file in files for text in context.read_alternatives(file)]
    if any(OPEN_CONFIGURATIONS[name].search(text) and "0.0.0.0" in text for text in texts):
        yield Operation("network.expose", context.origin, known_word(name))


def find_debugger_of_variables(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reports a debugger that a variable opens to every network: `NODE_OPTIONS`, `JAVA_TOOL_OPTIONS`."""
    values = [value for variable in OPTION_VARIABLES[name] for value in context.get_variables(variable)]
    if argv[1:] and any(_OPENS_DEBUGGER.fullmatch(part) for value in values for part in value.outline.split()):
        yield Operation("network.expose", context.origin, known_word(f"the debugger of {name}"))


OPTION_VARIABLES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("node npm npx pnpm yarn tsx ts-node".split(), ("NODE_OPTIONS",)),
    **dict.fromkeys("java gradle mvn kotlin scala".split(), ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")),
}
"""By program, the variables with options of what runs it."""
_CLUSTER_CLIENTS = ("kubectl", "k", "oc", "kubecolor")
_OPENS_SERVICE = re.compile(
    r"(?:--type[= ]|\"type\"\s*:\s*\")(?:LoadBalancer|NodePort)|^create (?:service|svc) (?:loadbalancer|nodeport)\b"
)


ROWS: dict[str, Program] = {
    "http.server": file_server("-d --directory", operand=False),
    **dict.fromkeys(("http-server", "serve", "live-server", "miniserve", "darkhttpd", "simple-http-server", "sirv"), file_server("-d --dir", skips="-p --port -l --listen -a -i -c")),
    "webfsd": file_server("-r", operand=False),
    "caddy": file_server("--root -r", operand=False, idle="validate fmt adapt list-modules build-info hash-password stop environ manpage"),
    **dict.fromkeys(("shell2http", "websocketd", "ttyd", "gotty", "tmate", "upterm", "sshx", "wetty", "shellinaboxd", "rtty", "teleconsole", "dropbear", "vncserver", "x11vnc", "tigervncserver"), exposing_program()),
    **dict.fromkeys(("code", "code-insiders", "codium", "cursor", "code-tunnel"), exposing_program("tunnel serve-web")),
    "devtunnel": exposing_program("host"),
    **dict.fromkeys(("tcpsvd", "udpsvd", "tcpserver"), exposing_program()),
    "upnpc": Program(does=port_mapping),
    "sshd": Program(does=sshd),
    "redis-server": Program(does=redis_server),
    **dict.fromkeys(("traceroute", "mtr", "tracepath"), Program(operands="connect*")),
}  # fmt: skip
