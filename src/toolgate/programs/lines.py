"""Network clients that transfer no files: name servers, web sockets, terminals."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Connect, Interpret, Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .keyboards import emulator
from .options import Flags
from .program import Program


def remote_shell(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """ztcp opens a connection for the shell itself; `xterm -display HOST:0` shows a shell on another machine's screen."""
    if argv[0].tail.endswith("telnetd"):
        yield Operation("network.shell", seen.origin, known("whoever calls"))
        return
    if argv[0].tail.endswith("ztcp"):
        if any(word.starts("-") is not True for word in argv[1:]):
            yield Operation("network.shell", seen.origin, argv[1])
        return
    for option, value in pairwise(argv):
        if option.text in ("-display", "--display") and (value.text or "").partition(":")[0] not in ("", "localhost", "unix"):
            yield Operation("network.shell", seen.origin, value)
    yield from emulator(argv, seen)


def names(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A query to a name server: any text can come back, or leave as part of the name."""
    given = Flags("-t= -type= -query= -x= -p= -c= -q= -b= -k= -f=read -4 -6 -a -v -r -d -h --help").read(argv)
    for word in given.operands:
        if word.starts("+") is not True and word.starts("@") is not True:
            yield Connect(word, seen.origin, word if word.src else None)
    yield Prints(seen.output("what a name server answers"))


def web_socket(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """websocat connects `sh-c:COMMAND` or `exec:PROGRAM` to the other address."""
    for word in argv[1:]:
        kind, _, rest = word.partition(":")
        if kind.text in ("sh-c", "cmd", "exec", "writefile"):
            yield Operation("network.shell", seen.origin, rest)
            yield Interpret("shell", rest, seen.origin, via="websocat")
        elif kind.text in ("ws", "wss"):
            yield Connect(word, seen.origin, seen.stdin)
    yield Prints(seen.output("what a server sends"))


ROWS: dict[str, Program] = {
    **dict.fromkeys(("dig", "host", "nslookup", "drill", "kdig"), Program(does=names)),
    "websocat": Program(does=web_socket),
    **dict.fromkeys(("ztcp", "xterm", "telnetd"), Program(does=remote_shell)),
}
