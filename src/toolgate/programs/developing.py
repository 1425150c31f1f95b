"""Editors and debuggers: what their options have them run."""

from collections.abc import Iterator

from toolgate.model.effect import Interpret, Read, Reported, Run, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .options import Flags
from .program import Program, via


def debugger(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """gdb and lldb: `-ex '!cmd'`, `-ex 'shell cmd'`, and the program after --args."""
    given = Flags("-ex,--eval-command= -iex= -x,--command=read -batch -q -p= --args -n -nx -quiet -o= -O= -s=read").read(
        argv, stop=True
    )
    for code in given.all("--eval-command", "-iex", "-o", "-O"):
        for prefix in ("!", "shell ", "platform shell ", "make "):
            if code.starts(prefix) is True:
                yield Interpret("shell", code.cut(len(prefix)), seen.origin, via=via(argv, "-ex"))
        if code.contains("system(") is True or code.starts("python ") is True:
            yield Interpret("gdb", code, seen.origin, via=via(argv, "-ex"))
    rest = argv[given.rest :]
    if given.flag("--args") is True and rest:
        yield Run(tuple(rest), seen.origin, via(argv))


def editor(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """vi and its kin: `-c ':!cmd'` runs, `-c 'w file'` writes."""
    given = Flags(
        "-c,--cmd= -S=read -s=read -u=read -e -E -n -R -N -d -O -p -o -t= -T= -w= -i= --clean --noplugin --not-a-term --version --help -es -Es"
    ).read(argv)
    batch = given.flag("-e", "-E", "-es", "-Es") is not False or via(argv) == "ex"  # its commands come from standard input
    commands = [*given.all("--cmd"), *(word.cut(1) for word in given.operands if word.starts("+") is True)]
    for code in commands:
        command = code.cut(1) if code.starts(":") is True else code
        for prefix in ("!", "r !", "r!", "w !", "w!", "silent !", "silent! !", "terminal ", "term "):
            if command.starts(prefix) is True:
                yield Interpret("shell", command.cut(len(prefix)), seen.origin, via=via(argv, "-c"))
        if command.contains("system(") is True or command.starts("py") is True or command.starts("lua") is True:
            yield Interpret("vim", command, seen.origin, via=via(argv, "-c"))
    for file in (*given.operands, *(given.all("-s") if via(argv) == "ex" else ())):
        if file.starts("+") is not True:
            yield Read(seen.place(file), seen.origin)
            if commands or batch:
                yield Run((known("touch"), file), seen.origin, via(argv))


def line_editor(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """ed: its commands come from standard input, and mostly end with a `w`."""
    for file in Flags("-s,--quiet,--silent -p,--prompt= -r -E -l -v -G --version --help").read(argv).operands:
        yield Read(seen.place(file), seen.origin)
        yield Write(seen.place(file), None, False, seen.origin)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("ed", "red"), Program(does=line_editor)),
    **dict.fromkeys(("gdb", "lldb"), Program(does=debugger)),
    **dict.fromkeys(("vim", "vi", "nvim", "view", "ex"), Program(does=editor)),
}
