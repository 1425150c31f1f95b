"""Commands that code runs: calls with literal arguments, and programs that the properties of an object describe."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words

from .arguments import read_arguments, read_command
from .calls import Calls

ADDED_ARGUMENTS = re.compile(r"\.(?:args?|ArgumentList\.Add)\s*\(\s*(?:&?\[|vec!\[)?\s*")
"""Rust and C# build a command by calls: `Command::new("sh").arg("-c").args(["x", "y"])`, `info.ArgumentList.Add("x")`."""
_VARIABLE = re.compile(r"(\w+)\s*=\s*$")
_REPEATS_NAME = re.compile(r"\bexec[lv]|create_process|posix_spawn|syscall\.Exec")
"""Calls whose arguments begin with the program's name, after the program."""
_DESCRIBED_ARGUMENTS = re.compile(
    r"\b[aA]rg(?:ument)?s\s*[=:]\s*(?:new\s*(?:\w*\s*\[\])?\s*)?[\[{]?(?=\s*\")|\bArgumentList\.Add\s*\(\s*(?=\")"
)
_REACH = 400
"""Characters in which the arguments of a described program stand."""


def report_commands(text: str, calls: Calls, code: Interpret, context: ExecutionContext) -> Iterator[ReportedEffect]:
    for match in calls.runs.finditer(text):
        words = [*read_command(text, match.end(), context), *_find_added_arguments(text, match, context)]
        if _REPEATS_NAME.search(match[0]) and len(words) > 1:
            del words[1]
        yield from _report_command(words, Carrier(code.language, match[0].strip(" (")), code, context)
    for match in calls.describes.finditer(text):
        words = read_arguments(text, match.end(), context)[:1]
        following = calls.describes.search(text, match.end())
        end = min(match.end() + _REACH, following.start() if following is not None else len(text))
        for given in _DESCRIBED_ARGUMENTS.finditer(text, match.end(), end):
            words += read_arguments(text, given.end(), context)
        yield from _report_command(words, Carrier(code.language, match[0].strip(" =:")), code, context)


def _find_added_arguments(text: str, call: re.Match[str], context: ExecutionContext) -> Iterator[Word]:
    """Yields the arguments that methods add to a command: in the same statement, or to the variable that it is assigned to."""
    statement_end = text.find(";", call.end())
    for added in ADDED_ARGUMENTS.finditer(text, call.end(), len(text) if statement_end < 0 else statement_end):
        yield from read_arguments(text, added.end(), context)
    if (variable := _VARIABLE.search(text, max(0, call.start() - _REACH), call.start())) is not None:
        for statement in re.finditer(rf"\b{variable[1]}\s*(?=\.(?:args?|ArgumentList\.Add)\s*\()[^;]*", text[call.end() :]):
            for added in ADDED_ARGUMENTS.finditer(statement[0]):
                yield from read_arguments(statement[0], added.end(), context)


def _report_command(words: list[Word], via: Carrier, code: Interpret, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if len(words) == 2 and code.language == "dotnet" and " " in (words[1].text or ""):  # all arguments in one text
        words = [join_words(words, " ")]
    if len(words) > 1 and words[0].text is not None and " " not in words[0].text:
        yield Run(tuple(words), context.origin, via)
    elif words:
        yield Interpret("shell", words[0], context.origin, via=via)
