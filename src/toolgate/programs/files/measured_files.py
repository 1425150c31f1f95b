"""du, stat and md5sum: sizes, properties and digests of files, in lines that others take the names out of."""

import re
from collections.abc import Iterator

from toolgate.model.effect import PrintedOutput, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Hole, HoleKind, Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import RECURSIVE_GLOB, Program
from toolgate.record_fields import PROPERTY, fill_format, join_known_lines

_DU = Flags(
    "--files0-from=read -X,--exclude-from=read --exclude= -d,--max-depth= -B,--block-size= -t,--threshold= -s,--summarize -a,--all -h -c -k -m"
    " -x -L -P -D -H -S -l -b -0 --time=? --time-style= --apparent-size --inodes --si"
)
_STAT = Flags("-c,--format= --printf= -f,--file-system -L -t,--terse -x --cached=")


def du(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = _DU.parse(argv)
    yield from (
        Read(context.resolve_place(list_), context.origin) for list_ in options.values_of("--files0-from", "--exclude-from")
    )
    own = context.unknown_output("du")
    if not options.operands or options.has_flag("--time", "-0", "-c") is not False:
        yield PrintedOutput(own)
        return
    is_summary = options.has_flag("--summarize") is True
    beneath = Word(("/", Hole(RECURSIVE_GLOB, "files that du measures", kind=HoleKind.SEARCH_RESULT)))
    paths = [path for each in options.operands for path in ((each,) if is_summary else (each + beneath, each))]
    lines = [PROPERTY + known_word("\t") + path for path in paths]
    yield PrintedOutput(join_words(lines, "\n").from_commands(own.src) + known_word("\n"))


def stat(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`stat -c '%Y %n' FILE..` prints a line for each file; on BSD and macOS `-f '%m %N'`."""
    options = _STAT.parse(argv)
    template, own = options.value_of("--format"), context.unknown_output("stat")
    text = None if template is None else template.text
    lines = [fill_format(text, _DIRECTIVE, {**_PROPERTIES, "n": path}) for path in options.operands] if text is not None else []
    known = join_known_lines(lines)
    yield PrintedOutput(own if known is None else known.from_commands(own.src))


def print_digests(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`md5sum FILE..` prints a line for each file; with `-c`, it checks those that a list names."""
    options = _DIGEST.parse(argv)
    yield from (Read(context.resolve_place(file), context.origin) for file in options.operands)
    is_plain = options.has_flag("--check", "--tag", "--zero", "--help", "--version") is False
    lines = [PROPERTY + known_word("  ") + path for path in options.operands] if is_plain else []
    known, own = join_known_lines(lines), context.unknown_output(argv[0].file_name)
    yield PrintedOutput(own if known is None else known.from_commands(own.src))


_DIGEST = Flags(
    "-a,--algorithm= -b,--binary -c,--check -l,--length= -t,--text -z,--zero -w,--warn --tag --quiet --status --strict"
    " --ignore-missing -q -r -s= --debug --help --version"
)
_PROPERTIES = {"%": known_word("%"), **dict.fromkeys("abBdDfFgGhiosTtuUWXYZ", PROPERTY)}
_DIRECTIVE = re.compile(r"%[-0#+ ]*\d*(?:\.\d+)?([a-zA-Z%])")

ROWS: dict[str, Program] = {
    **dict.fromkeys(("du", "gdu"), Program(does=du)),
    **dict.fromkeys(("stat", "gstat"), Program(does=stat)),
    **dict.fromkeys(
        ("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "shasum"), Program(does=print_digests)
    ),
}
