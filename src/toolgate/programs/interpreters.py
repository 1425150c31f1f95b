"""Programs that run code: from `-c`, from a file, from standard input."""

from collections.abc import Iterator

from toolgate.model.effect import Interpret, Read, Reported, Run
from toolgate.model.place import LOCAL
from toolgate.model.seen import Seen
from toolgate.model.word import Hole, Word, known, unknown

from .options import Flags
from .program import Program, via

SHELL = Flags(
    "-c -i -l,--login -r -s -D -e -u -x -v -n -a -b -f -h -k -m -p -t -B -C -E -H -P -T -o= -O= --norc --noprofile --posix --rcfile= --init-file="
    " --restricted --verbose --debugger --noediting --help --version"
)


def shell(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = SHELL.read(argv, stop=True)
    if given.flag("--help", "--version", "-n") is True:  # -n: read, not run
        return
    name = via(argv)
    for file in given.all("--rcfile", "--init-file"):
        yield from script("shell", file, (), seen)
    operands = list(argv[given.rest :])
    if given.open or given.flag("-c") is None:
        yield Interpret("shell", unknown(f"{name} with unknown options"), seen.origin, via=name)
    if given.flag("-c") is True:
        if operands and operands[0].text == "--":
            operands.pop(0)
        if operands:
            yield Interpret("shell", operands[0], seen.origin, tuple(operands[1:]), f"{name} -c")
    elif operands and operands[0].text != "-" and given.flag("-s") is not True:
        yield from script("shell", operands[0], tuple(operands), seen)
    else:
        yield Interpret("shell", seen.stdin, seen.origin, (argv[0], *operands), f"{name} <stdin")


def script(language: str, file: Word, args: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Code in a file, or in what `<(...)` stands for."""
    if len(file.parts) == 1 and isinstance(hole := file.parts[0], Hole) and hole.like == "/dev/fd/63":
        code = known(hole.why, file.src) if hole.why else unknown("<(...)", file.src)
        yield Interpret(language, code, seen.origin, args, "<(...)")
        return
    if file.text in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        yield Interpret(language, seen.stdin, seen.origin, args, file.shown)
        return
    place = seen.place(file)
    yield Read(place, seen.origin)
    for code in seen.contents(file):
        if code.text is None and place.machine != LOCAL:
            continue  # a script of another machine is that machine's own
        yield Interpret(language, code, seen.origin, args, file.shown, file=file.shown)


MANAGERS = ("manage.py", "artisan", "console", "rails", "rake")
"""Scripts that are programs with a row of their own, whoever runs them."""


def interpreter(language: str, code_options: str, flags: Flags, *, modules: str = "") -> Program:
    """`code_options`: options whose value is code. `modules`: the option that names a module instead of a file."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = flags.read(argv, stop=True)
        if given.flag("--help", "--version") is True:
            return
        operands = argv[given.rest :]
        names = code_options.split()
        codes = [(name, word) for name, word in given.values if name in names]
        for name, code in codes:
            yield Interpret(language, code, seen.origin, tuple(operands), via(argv, name))
        module = given.value(modules) if modules else None
        if module is not None:
            yield Run((module, *operands), seen.origin, via(argv, modules))
        if codes or module is not None:
            return
        if operands and operands[0].text != "-":
            if operands[0].tail.rpartition("/")[2] in MANAGERS:
                yield Run((known(operands[0].tail.rpartition("/")[2]), *operands[1:]), seen.origin, via(argv))
            yield from script(language, operands[0], tuple(operands), seen)
        else:
            yield Interpret(language, seen.stdin, seen.origin, tuple(operands), f"{via(argv)} <stdin")

    return Program(does=does)


PYTHON = interpreter(
    "python",
    "-c",
    Flags("-b -B -c= -d -E -i -I -m= -O -OO -P -q -s -S -u -v -W= -x -X= --check-hash-based-pycs= -h,--help -V,--version"),
    modules="-m",
)
NODE = interpreter(
    "javascript",
    "--eval --print",
    Flags(
        "-e,--eval= -p,--print= -r,--require= --import= -c,--check -i,--interactive --input-type= --experimental-vm-modules --inspect=? --loader="
        " --max-old-space-size=? --test --watch --env-file=? --no-warnings -h,--help -v,--version"
    ),
)
PERL = interpreter(
    "perl",
    "-e -E",
    Flags(
        "-e= -E= -n -p -i=? -w -W -t -T -u -U -c -l=? -0=? -a -F= -s -S -x=? -M= -m= -I= -d=? -D=? -C=? -h,--help -v,--version"
    ),
)
RUBY = interpreter(
    "ruby", "-e", Flags("-e= -n -p -i=? -w -W=? -c -l -0=? -a -F= -s -S -x=? -r= -I= -C= -E= -K= -U -d -y -h,--help -v,--version")
)
PHP = interpreter(
    "php", "-r -B -R -E", Flags("-r= -B= -R= -E= -f= -F= -a -c= -n -d= -e -l -m -s -w -z= -i -S= -t= -q -h,--help -v,--version")
)

SHELLS = ("sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash")
ROWS: dict[str, Program] = {
    **{name: Program(does=shell) for name in SHELLS},
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3"), PYTHON),
    **dict.fromkeys(("node", "nodejs", "deno", "bun"), NODE),
    "perl": PERL,
    "ruby": RUBY,
    "php": PHP,
}
