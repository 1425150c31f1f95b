"""Network clients that transfer no files: name servers, web sockets, terminals."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Connect, Interpret, Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program
from toolgate.programs.launchers.simulated_input import terminal_emulator


def remote_shell(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """ztcp opens a connection for the shell itself; `xterm -display HOST:0` shows a shell on another machine's screen."""
    if argv[0].tail.endswith("telnetd"):
        yield Operation("network.shell", context.origin, known_word("whoever calls"))
        return
    if argv[0].tail.endswith("ztcp"):
        if any(word.starts_with("-") is not True for word in argv[1:]):
            yield Operation("network.shell", context.origin, argv[1])
        return
    for option, value in pairwise(argv):
        if option.text in ("-display", "--display") and (value.text or "").partition(":")[0] not in ("", "localhost", "unix"):
            yield Operation("network.shell", context.origin, value)
    yield from terminal_emulator(argv, context)


def name_server_query(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A query to a name server: any text can come back, or leave as part of the name."""
    options = Flags("-t= -type= -query= -x= -p= -c= -q= -b= -k= -f=read -4 -6 -a -v -r -d -h --help").parse(argv)
    for word in options.operands:
        if word.starts_with("+") is not True and word.starts_with("@") is not True:
            yield Connect(word, context.origin, word if word.src else None)
    yield PrintedOutput(context.unknown_output("the answer of a name server"))


def websocat(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """websocat connects `sh-c:COMMAND` or `exec:PROGRAM` to the other address."""
    for word in argv[1:]:
        kind, _, rest = word.partition(":")
        if kind.text in ("sh-c", "cmd", "exec", "writefile"):
            yield Operation("network.shell", context.origin, rest)
            yield Interpret("shell", rest, context.origin, via=Carrier("websocat"))
        elif kind.text in ("ws", "wss"):
            shown = join_words([other for other in argv[1:] if other is not word])
            yield Connect(word, context.origin, context.stdin, shows=shown)
    yield PrintedOutput(context.unknown_output("the response of a server"))


ROWS: dict[str, Program] = {
    **dict.fromkeys(("dig", "host", "nslookup", "drill", "kdig"), Program(does=name_server_query)),
    "websocat": Program(does=websocat),
    **dict.fromkeys(("ztcp", "xterm", "telnetd"), Program(does=remote_shell)),
}
