"""Raw connections: programs that tie a connection to a file, a program or standard input."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Connect, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.shells import SHELLS
from toolgate.model.word import EMPTY, Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier


def netcat(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-4 -6 -b -C -c=? -D -d -e,--exec= -F -h -I= -i= -k -l,--listen -M= -m= -N -n -O= -P= -p= -q= -r -S -s= -T= -t -U -u -V= -v -W= -w= -X= -x= -z"
        " --sh-exec= --ssl --proxy= --proxy-type= --lua-exec= --allow= --deny= -g= -G= --keep-open --source-port="
    ).parse(argv)
    target = options.operands[0] if options.operands else EMPTY
    for program in options.values_of("--exec", "--sh-exec", "-c"):
        yield Operation("network.shell", context.origin, target)
        yield Interpret("shell", program, context.origin, via=make_carrier(argv, "-e"))
    remote = bool(options.values and any(name in ("--exec", "--sh-exec", "-c") for name, _ in options.values))
    shells = [word for word in options.operands if _is_shell(word)] if options.has_flag("-c") is True else []
    if shells:  # `nc -c bash`: the option has a value in some variants
        remote, target = True, next((word for word in options.operands if word not in shells), EMPTY)
        yield Operation("network.shell", context.origin, target)
    yield from _find_protocol_commands(options.operands, context)
    if options.has_flag("-U") is True and options.has_flag("--listen") is True:
        yield Write(context.resolve_place(target), None, False, context.origin)
    yield Connect(
        target,
        context.origin,
        context.unknown_output("a shell") if remote else context.stdin,
        listens=options.has_flag("--listen") is not False,
    )
    yield PrintedOutput(context.unknown_output(f"the response of {target.display_text}"))


def _is_shell(word: Word) -> bool:
    """`bash`, `/bin/sh -i`."""
    words = (word.text or "").split()
    return bool(words) and words[0].rpartition("/")[2] in SHELLS


def _find_protocol_commands(operands: list[Word], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the effects of plain-text commands for Redis, memcached and haproxy."""
    port = operands[-1].text if len(operands) > 1 else ""
    text = "".join(part for part in context.stdin.parts if isinstance(part, str)).lower()
    if port in ("6379", "11211") and any(verb in text for verb in ("flushall", "flushdb", "flush_all")):
        yield Operation("database.delete", context.origin, known_word("every key"), (("disposable", False),))
    if any(word.contains("haproxy") is True for word in operands) and _HAPROXY_COMMAND.search(text):
        yield Operation("service.control", context.origin, known_word("haproxy"), (("stop", True), ("user", False)))


_HAPROXY_COMMAND = re.compile(
    r"\b(?:disable\s+(?:server|frontend|health)|shutdown\s+(?:sessions?|frontend)|set\s+server\s+\S+\s+state\s+(?:maint|drain)|del\s+\w+)\b"
)


def _is_bound_here(address: Word) -> bool:
    return any(option in address.outline for option in ("bind=127.", "bind=localhost", "bind=[::1]"))


def _starts_plain_program(address: Word) -> bool:
    """Returns whether `EXEC:cat` starts a program that takes no commands."""
    command = address.partition(":")[2].partition(",")[0].outline.split(" ")
    return address.outline.upper().startswith("EXEC:") and command[0].rpartition("/")[2] in _PLAIN_PROGRAMS


_PLAIN_PROGRAMS = frozenset("cat tac rev tr wc date echo printf uptime hostname true nl tee md5sum sha256sum".split())


def socat(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """socat connects two addresses: EXEC and SYSTEM run a program, TCP and similar connect, a plain path is a file."""
    addresses = [word for word in argv[1:] if word.starts_with("-") is not True or word.text == "-"]
    kinds = [(word.partition(":")[0].outline.upper().removesuffix("4").removesuffix("6"), word) for word in addresses]
    runs = [word for kind, word in kinds if kind in ("EXEC", "SYSTEM", "SHELL")]
    files = [word.partition(":")[2].partition(",")[0] for kind, word in kinds if kind in ("OPEN", "FILE", "GOPEN")]
    for file in files:
        yield Read(context.resolve_place(file), context.origin)
    sent = join_words((context.stdin, *(context.read(file) for file in files)), "")
    yield from _find_protocol_commands(addresses, context)
    for word in runs:
        yield Interpret("shell", word.partition(":")[2].partition(",")[0], context.origin, via=Carrier("socat"))
    sockets = [word for kind, word in kinds if kind in ("UNIX-CONNECT", "UNIX") and word.contains(".sock") is True]
    for kind, word in kinds:
        if sockets and kind.startswith("TCP-L") and not _is_bound_here(word):
            yield Operation("network.expose", context.origin, sockets[0].partition(":")[2])
        listens = kind.endswith(("-LISTEN", "-L"))
        if kind.startswith(("TCP", "UDP", "OPENSSL", "SSL", "SOCKS", "PROXY", "SCTP", "VSOCK")):
            if runs and not (_is_bound_here(word) and all(map(_starts_plain_program, runs))):
                yield Operation("network.shell", context.origin, word)
            yield Connect(word.partition(":")[2], context.origin, sent, listens=listens)
        elif kind in ("OPEN", "CREATE", "FILE", "GOPEN", "UNIX-LISTEN", "UNIX-L", "UNIX-RECV", "UNIX-RECVFROM"):
            yield Run((known_word("touch"), word.partition(":")[2].partition(",")[0]), context.origin, Carrier("socat"))


ROWS: dict[str, Program] = {
    **dict.fromkeys(
        "nc ncat netcat nc.traditional nc.openbsd nc.exe ncat.exe cryptcat pwncat sbd rcat powercat".split(),
        Program(does=netcat),
    ),
    "socat": Program(does=socat),
}
