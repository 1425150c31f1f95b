"""Interpreters with few options and their own way of taking code: calculators, plotters, IPython."""

import re
from collections.abc import Iterator
from itertools import dropwhile, pairwise

from toolgate.model.effect import Carrier, Interpret, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.conventions import guess_writes
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, combine_programs, join_arguments, make_carrier, program_name
from toolgate.programs.network.exposed_servers import server_mode
from toolgate.programs.tasks.source_programs import SWIFT_RUN

from .script_interpreters import PHP, run_script_file, simple_interpreter
from .served_pages import run_served_pages

_FLAGS_OF_EMACS = ("-batch", "--batch", "-Q", "-q", "-nw", "--no-init-file", "--quick")


def emacs(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """emacs' long options may have one dash or two."""
    for option, value in pairwise(argv):
        name, _, attached = option.partition("=")
        bare = (name.text or "").lstrip("-")
        if bare in ("eval", "execute"):
            yield Interpret("lisp", attached if attached.parts else value, context.origin, via=Carrier("emacs", "--eval"))
        elif bare in ("l", "load", "script"):
            yield from run_script_file("lisp", value, (), context)
    if any(word.contains("save-") is True for word in argv[1:]):
        options = {n for n, word in enumerate(argv) if word.starts_with("-") is True and word.text not in _FLAGS_OF_EMACS}
        operands = [word for n, word in enumerate(argv[1:], 1) if n not in options and n - 1 not in options]
        files = [word for word in operands if word.starts_with("-") is not True]
        yield from (Write(context.resolve_place(file), None, None, context.origin) for file in files)


def swift(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    for option, code in pairwise(argv):
        if option.text == "-e":
            yield Interpret("swift", code, context.origin, via=Carrier("swift", "-e"))
    for file in (word for word in argv[1:] if word.tail.endswith(".swift")):
        yield from run_script_file("swift", file, argv[1:], context)
    yield from guess_writes(argv, context)


def dc(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """dc runs the text after `!`, up to the end of the line, in a shell."""
    options = Flags("-e,--expression= -f,--file= -h,--help -V,--version").parse(argv)
    texts = list(options.values_of("--expression")) or [context.stdin]
    for file in (*options.values_of("--file"), *options.operands):
        texts += context.read_followed_code(file)
    for line in (line for text in texts for line in text.split_lines()):
        _, marked, command = line.partition("!")
        if marked and command.head[:1] not in ("<", ">", "="):
            yield Interpret("shell", command, context.origin, via=Carrier("dc", "!"))


def crystal(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Crystal's calls that matter here have the names of Ruby's."""
    if len(argv) > 2 and argv[1].text == "eval":
        yield Interpret("ruby", join_arguments(list(argv[2:])), context.origin, via=Carrier("crystal", "eval"))


def ipython(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """IPython runs a line that begins with `!` in a shell."""
    options = Flags(
        "-c= -m= -i --pylab=? --matplotlib=? --profile= --no-banner --no-confirm-exit --quick --simple-prompt -h,--help --version"
    ).parse(argv, stop=True)
    for code in options.values_of("-c"):
        lines = code.split_lines()
        for line in lines:
            if line.starts_with("!") is True:
                yield Interpret("shell", line.drop_first(1), context.origin, via=make_carrier(argv, "-c !"))
        rest = [line for line in lines if line.starts_with("!") is not True and line.starts_with("%") is not True]
        if rest:
            yield Interpret("python", join_words(rest, "\n"), context.origin, via=make_carrier(argv, "-c"))
    if not options.values and options.operands:
        yield from run_script_file("python", options.operands[0], tuple(options.operands), context)


def timeit_or_pdb(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`python -m timeit [-s SETUP] CODE...`, `python -m pdb [-c COMMAND] FILE`."""
    if program_name(argv) == "timeit":
        options = Flags("-n,--number= -r,--repeat= -s,--setup= -p,--process -u,--unit= -v,--verbose -h,--help").parse(
            argv, stop=True
        )
        lines = [*options.values_of("--setup"), *options.operands]
        if lines:
            yield Interpret("python", join_words(lines, "\n"), context.origin, via=Carrier("timeit"))
        return
    options = Flags("-c,--command= -m=").parse(argv, stop=True)
    for command in options.values_of("--command"):
        yield Interpret(
            "python",
            command.drop_first(1) if command.starts_with("!") is True else command,
            context.origin,
            via=Carrier("pdb", "-c"),
        )
    for file in options.operands[:1]:
        yield from run_script_file("python", file, tuple(options.operands), context)


_SYSTEM_CALL = re.compile(r"\be?syscmd\(\s*`?(.*?)'?\s*\)(?=\s|$|'|dnl|;)", re.DOTALL)
_M4 = Flags(
    "-D,--define= -U,--undefine= -I,--include= -s,--synclines -P,--prefix-builtins -E,--fatal-warnings -Q,--quiet --silent -e,--interactive"
    " -g,--gnu -G,--traditional -H= -L= -R,--reload-state=read -F,--freeze-state=write -d= -t,--trace= -l= -o= --version --help"
)


def m4(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """m4 hands the arguments of `syscmd` and `esyscmd` to a shell."""
    files = _M4.parse(argv).operands
    yield from (Read(context.resolve_place(file), context.origin) for file in files if file.text != "-")
    texts = [text for file in files for text in context.read_alternatives(file)] if files else [context.stdin]
    for text in texts:
        for found in _SYSTEM_CALL.finditer(text.text or ""):
            yield Interpret("shell", known_word(found[1], text.src), context.origin, via=Carrier("m4", "syscmd"))
    yield PrintedOutput(context.unknown_output("m4"))


def leave_out(words: re.Pattern[str], interpreter: Program) -> Program:
    """An interpreter before whose script such words may stand: verbs, libraries."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        rest = tuple(dropwhile(lambda word: words.fullmatch(word.text or "") is not None, argv[1:]))
        yield from interpreter.effects_of_call((argv[0], *rest), context)

    return Program(does=report_effects)


ROWS: dict[str, Program] = {
    "m4": Program(does=m4),
    **dict.fromkeys(("emacs", "emacsclient"), Program(does=emacs)),
    "ocaml": leave_out(re.compile(r".*\.cm[ao]"), simple_interpreter("ocaml", "-e", "-I= -w= -noprompt -noinit -init= -stdin")),
    **dict.fromkeys(
        ("scala", "scala-cli"),
        leave_out(
            re.compile(r"run|shebang|--power"),
            simple_interpreter(
                "jvm",
                "-e,--execute-script",
                "-cp= -classpath= -d= -S,--scala= --scala-version= --dep= --dependency= --jvm= --main-class= --server=? -q,--quiet",
            ),
        ),
    ),
    **dict.fromkeys(
        ("octave", "octave-cli"),
        simple_interpreter("octave", "--eval", "-q,--quiet,--silent --no-gui -W,--no-window-system -p,--path="),
    ),
    "matlab": simple_interpreter("octave", "-batch -r", "-nodisplay -nosplash -nodesktop -nojvm -sd="),
    "gnuplot": simple_interpreter("gnuplot", "-e", "-p,--persist -c= -d,--default-settings -s,--slow"),
    "php": combine_programs(server_mode("-S", "-t"), Program(does=run_served_pages), PHP),
    "swift": combine_programs(Program(does=swift), SWIFT_RUN),
    "dc": Program(does=dc),
    **dict.fromkeys(("raku", "perl6"), simple_interpreter("raku", "-e", "-n -p -I= -M=")),
    "crystal": Program(does=crystal),
    **dict.fromkeys(("ipython", "ipython3"), Program(does=ipython)),
    **dict.fromkeys(("timeit", "pdb"), Program(does=timeit_or_pdb)),
}
