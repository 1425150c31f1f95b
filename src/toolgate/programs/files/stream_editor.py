"""sed: what a script makes of a known text is known, too."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program
from toolgate.programs.interpreters.script_interpreters import run_script_file
from toolgate.record_fields import change_found_path, join_known_lines, known_lines, pass_lines
from toolgate.stream_editing.sed_scripts import apply_script

_OPTIONS = Flags(
    "-n,--quiet,--silent -e,--expression= -f,--file=read -i,--in-place=? -E,-r,--regexp-extended -s,--separate -z,--null-data -u,--unbuffered"
    " -l,--line-length= -b,--binary --posix --debug --sandbox --follow-symlinks --help --version"
)
_OTHER_LINES = ("--null-data", "--posix", "--debug", "--help", "--version")
"""Options with which the text is split into lines, or the script is read, in another way."""


def sed(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = _OPTIONS.parse(argv)
    operands = list(options.operands)
    scripts = list(options.values_of("--expression"))
    if not scripts and options.value_of("--file") is None and operands:
        scripts.append(operands.pop(0))
    in_place = options.has_flag("--in-place")
    for code in scripts:
        yield Interpret("sed", code, context.origin, via=Carrier("sed"))
    for file in options.values_of("--file"):
        yield from run_script_file("sed", known_word("/dev/stdin") if file.text == "-" else file, (), context)
    sources = context.unknown_output("").src
    printed: Word | None = None
    for file in operands:
        yield Read(context.resolve_place(file), context.origin)
        content = context.read(file)
        sources |= content.src
        edited = _edit(content, scripts, options, context)
        if in_place is not False:
            yield Write(context.resolve_place(file), edited or unknown_word("sed -i", sources), False, context.origin)
        printed = edited if len(operands) == 1 else None
    if not operands:
        sources |= context.stdin.src
        printed = _edit(context.stdin, scripts, options, context) or _pass_selected(scripts, options, context)
    if in_place is not True:
        yield PrintedOutput(printed or unknown_word("$(sed)", sources))


def _edit(content: Word, scripts: list[Word], options: ParsedOptions, context: ExecutionContext) -> Word | None:
    """Returns the edited text; None if it is not known."""
    texts = [script.text for script in scripts]
    if content.text is None or None in texts or not texts or options.value_of("--file") is not None:
        return None
    quiet, extended = options.has_flag("--silent"), options.has_flag("--regexp-extended")
    if options.has_flag(*_OTHER_LINES) is not False or quiet is None or extended is None:
        return None
    script = "\n".join(text for text in texts if text is not None)
    edited = apply_script(script, content.text, extended=extended, quiet=quiet)
    sources = content.src.union(*(script.src for script in scripts)) | context.unknown_output("").src
    return None if edited is None else known_word(edited, sources)


_SELECTS_LINES = re.compile(
    r"(?:\s*(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)?(?:\s*[,~]\s*[+~]?(?:\d+|\$|/(?:[^/\\\n]|\\.)*/))?\s*!?\s*[pdq]\s*;?)+"
).fullmatch
"""Matches scripts that pass some lines, and change none: `3,$p`, `1d`, `/x/!d`."""


def _pass_selected(scripts: list[Word], options: ParsedOptions, context: ExecutionContext) -> Word | None:
    """Returns the lines of a search that pass a script; None for other scripts and other input."""
    selects = scripts and all(script.text is not None and _SELECTS_LINES(script.text) is not None for script in scripts)
    is_plain = options.has_flag(*_OTHER_LINES) is False and options.value_of("--file") is None
    if not is_plain or selects:
        return pass_lines(context.stdin) if is_plain else None
    found = _SUBSTITUTES(scripts[0].text or "") if len(scripts) == 1 else None
    lines = known_lines(context.stdin) if found is not None and context.stdin.text is None else []
    return join_known_lines([_substitute(line, found["pattern"], found["by"]) for line in lines]) if found is not None else None


_SUBSTITUTES = re.compile(
    r"\s*s(?P<mark>[/|#,@])(?P<pattern>(?:(?!(?P=mark))[^\n])*)(?P=mark)(?P<by>(?:(?!(?P=mark))[^\n&\\])*)(?P=mark)"
).fullmatch
_LITERAL = re.compile(r"(?:[\w/ -]|\\\.)+").fullmatch


def _substitute(line: Word, pattern: str, by: str) -> Word | None:
    """Returns a path after `s|^|folder/|`, `s/$/.bak/` or `s/\\.txt$/.md/`; None if what is known of it may change."""
    if pattern in ("^", "$"):
        return known_word(by) + line if pattern == "^" else line + known_word(by)
    literal = pattern.removesuffix("$")
    return change_found_path(line, "/", literal.replace("\\.", "."), by) if _LITERAL(literal) else None


ROWS: dict[str, Program] = {"sed": Program(does=sed), "gsed": Program(does=sed)}
