"""sed scripts: `w file` writes, `r file` reads, `e` and the `e` flag of `s` run a command."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, unknown_word

from . import word_from_text

_SUBSTITUTE = re.compile(
    r"(?:^|[;{}\n]|[0-9$,/!]|\s)s([^\w\s\\;])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gpiImM0-9]*)(e|w\s*(\S[^\n]*))?", re.DOTALL
)
_COMMAND = re.compile(r"(?:^|[;{}\n]|[0-9$!/])[^\S\n]*+([erwRW])\s+([^\n;}]+)")
_RUNS_PATTERN_SPACE = re.compile(r"(?:^|[;{\n]|[0-9$])[^\S\n]*+e\s*+(?:$|[;}\n])")


def read(_code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    rest = text
    for match in _SUBSTITUTE.finditer(text):
        if match[5] == "e":
            yield Interpret("shell", unknown_word("a command made by s///e of sed"), context.origin, via=Carrier("sed", "s///e"))
        elif match[6]:
            yield Write(context.resolve_place(word_from_text(match[6].strip())), None, False, context.origin)
        rest = rest.replace(match[0], ";", 1)
    for match in _COMMAND.finditer(rest):
        command, argument = match[1], match[2].strip()
        if command == "e":
            yield Interpret("shell", word_from_text(argument), context.origin, via=Carrier("sed", "e"))
        elif command in "wW":
            yield Write(context.resolve_place(word_from_text(argument)), None, False, context.origin)
        else:
            yield Read(context.resolve_place(word_from_text(argument)), context.origin)
    if _RUNS_PATTERN_SPACE.search(rest):
        yield Interpret("shell", unknown_word("the line that sed's e runs"), context.origin, via=Carrier("sed", "e"))
    yield PrintedOutput(EMPTY)  # what the script prints depends on sed's input, and sed reports it
