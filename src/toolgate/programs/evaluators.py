"""Interpreters with few options and their own way of taking code: calculators, plotters, IPython."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Interpret, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined

from .convention import written_by
from .interpreters import evaluates, script
from .options import Flags
from .program import Program, text_of, via


def swift(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    for option, code in pairwise(argv):
        if option.text == "-e":
            yield Interpret("swift", code, seen.origin, via="swift -e")
    for file in (word for word in argv[1:] if word.tail.endswith(".swift")):
        yield from script("swift", file, argv[1:], seen)
    yield from written_by(argv, seen)


def desk_calculator(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """dc runs the text after `!`, up to the end of the line, in a shell."""
    given = Flags("-e,--expression= -f,--file= -h,--help -V,--version").read(argv)
    texts = list(given.all("--expression")) or [seen.stdin]
    for file in (*given.all("--file"), *given.operands):
        texts += seen.follow(file)
    for line in (line for text in texts for line in text.lines()):
        _, marked, command = line.partition("!")
        if marked and command.head[:1] not in ("<", ">", "="):
            yield Interpret("shell", command, seen.origin, via="dc !")


def crystal(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Crystal's calls that matter here have the names of Ruby's."""
    if len(argv) > 2 and argv[1].text == "eval":
        yield Interpret("ruby", text_of(list(argv[2:])), seen.origin, via="crystal eval")


def notebook(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """IPython runs a line that begins with `!` in a shell."""
    given = Flags(
        "-c= -m= -i --pylab=? --matplotlib=? --profile= --no-banner --no-confirm-exit --quick --simple-prompt -h,--help --version"
    ).read(argv, stop=True)
    for code in given.all("-c"):
        lines = code.lines()
        for line in lines:
            if line.starts("!") is True:
                yield Interpret("shell", line.cut(1), seen.origin, via=via(argv, "-c !"))
        rest = [line for line in lines if line.starts("!") is not True and line.starts("%") is not True]
        if rest:
            yield Interpret("python", joined(rest, "\n"), seen.origin, via=via(argv, "-c"))
    if not given.values and given.operands:
        yield from script("python", given.operands[0], tuple(given.operands), seen)


def python_tool(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`python -m timeit [-s SETUP] CODE...`, `python -m pdb [-c COMMAND] FILE`."""
    if via(argv) == "timeit":
        given = Flags("-n,--number= -r,--repeat= -s,--setup= -p,--process -u,--unit= -v,--verbose -h,--help").read(
            argv, stop=True
        )
        lines = [*given.all("--setup"), *given.operands]
        if lines:
            yield Interpret("python", joined(lines, "\n"), seen.origin, via="timeit")
        return
    given = Flags("-c,--command= -m=").read(argv, stop=True)
    for command in given.all("--command"):
        yield Interpret("python", command.cut(1) if command.starts("!") is True else command, seen.origin, via="pdb -c")
    for file in given.operands[:1]:
        yield from script("python", file, tuple(given.operands), seen)


ROWS: dict[str, Program] = {
    "ocaml": evaluates("ocaml", "-e", "-I= -w= -noprompt -noinit -init= -stdin"),
    **dict.fromkeys(
        ("octave", "octave-cli"), evaluates("octave", "--eval", "-q,--quiet,--silent --no-gui -W,--no-window-system -p,--path=")
    ),
    "gnuplot": evaluates("gnuplot", "-e", "-p,--persist -c= -d,--default-settings -s,--slow"),
    "swift": Program(does=swift),
    "dc": Program(does=desk_calculator),
    **dict.fromkeys(("raku", "perl6"), evaluates("raku", "-e", "-n -p -I= -M=")),
    "crystal": Program(does=crystal),
    **dict.fromkeys(("ipython", "ipython3"), Program(does=notebook)),
    **dict.fromkeys(("timeit", "pdb"), Program(does=python_tool)),
}
