"""Programs that transfer files by commands, one per line: sftp, lftp."""

from collections.abc import Iterator

from toolgate.model.effect import Connect, Interpret, Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word

from .options import Flags
from .program import Program, via

_GIVES = frozenset(("put", "mput", "reput", "send", "append"))
_TAKES = frozenset(("get", "mget", "reget", "recv", "pget"))
_LINES = 200


def dialogue(flags: Flags) -> Program:
    """`-b` and `-f` name a file of commands, `-e` and `-c` contain some; otherwise they come from standard input."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = flags.read(argv)
        for program in given.all("-S"):
            yield Interpret("shell", program, seen.origin, via=via(argv, "-S"))
        for option in given.all("-o"):
            name, _, command = option.partition("=")
            if (name.text or "").strip().lower() in ("proxycommand", "localcommand", "knownhostscommand"):
                yield Interpret("shell", command, seen.origin, via=via(argv, f"-o {name.text}"))
        files = [file for file in given.all("-b", "-f") if file.text != "-"]
        texts = [*(seen.read(file) for file in files), *given.all("-e", "-c")] or [seen.stdin]
        host = given.operands[0] if given.operands else None
        if host is not None:
            yield Connect(host, seen.origin)
        for text in texts:
            for line in [part for whole in text.lines() for part in whole.pieces(";")][:_LINES]:
                yield from _said(line, host, via(argv), seen)

    return Program(does=does)


def _said(line: Word, host: Word | None, name: str, seen: Seen) -> Iterator[Reported]:
    if line.starts("!") is True:
        yield Interpret("shell", line.cut(1), seen.origin, via=f"{name} !")
        return
    words = [word for word in line.pieces(" ") if word.parts and word.starts("-") is not True]
    if len(words) < 2:
        return
    verb, file = words[0].text, words[1]
    if verb in _GIVES:
        yield Read(seen.place(file), seen.origin)
        if host is not None:
            yield Connect(host, seen.origin, sends=seen.read(file))
    elif verb in _TAKES and len(words) > 2:
        yield Write(seen.place(words[2]), seen.output(f"what {name} fetches"), False, seen.origin)


ROWS: dict[str, Program] = {
    "sftp": dialogue(
        Flags(
            "-4 -6 -A -a -B= -b= -C -c= -D= -F= -f -i= -J= -l= -N -o= -P= -p -q -R= -r -S= -s= -v -X=",
        )
    ),
    "lftp": dialogue(Flags("-e= -c= -f= -u,--user= -p= -d --norc")),
}
