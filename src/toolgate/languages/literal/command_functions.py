"""Functions that run a command they are given: `fn cargo(args: &[&str]) { Command::new("cargo").args(args) }`, and what their
calls run."""

import re
from collections.abc import Iterator

from toolgate.languages import word_from_text
from toolgate.model.effect import Carrier, Interpret, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word

from .arguments import read_arguments
from .called_functions import LiteralFunction, find_calls, list_functions
from .commands import ADDED_ARGUMENTS
from .texts import TEXT, split_arguments

_PROGRAM = rf"(?P<program>{TEXT}|\w+)"
_RUNS = (
    re.compile(rf"\bCommand::new\(\s*&?{_PROGRAM}\s*\)[^;]*?\.args\(\s*&?\*?(?P<arguments>\w+)\s*\)"),
    re.compile(rf"\b(?:Process\.Start|new\s+ProcessStartInfo|ProcessStartInfo)\s*\(\s*{_PROGRAM}\s*,\s*(?P<arguments>\w+)\s*\)"),
    re.compile(rf"\bsystem2\s*\(\s*{_PROGRAM}\s*,\s*(?:args\s*=\s*)?(?P<arguments>\w+)\b"),
    re.compile(r"\b(?:new\s+)?ProcessBuilder\s*\(\s*\*?(?P<arguments>\w+)(?:\.toList\(\))?\s*\)"),
)
_RUNS_SHELL = re.compile(
    r"\bCommand::new\(\s*\"(?:ba|z)?sh\"\s*\)\s*\.arg\(\s*\"-l?c\"\s*\)\s*\.arg\(\s*&?(?P<command>\w+)\s*\)"
    r"|\b(?:new\s+)?ProcessBuilder\s*\((?:listOf\()?\s*\"(?:ba|z)?sh\"\s*,\s*\"-l?c\"\s*,\s*(?P<built>\w+)"
    r"|(?<![\w.])system\s*\(\s*(?P<asked>\w+)\s*[,)]"
)
_ITEM = re.compile(TEXT)
_MOST_CALLS = 40


def report_wrapped_commands(text: str, language: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the commands of calls with literal words."""
    for function in list_functions(text):
        body = text[function.body : function.end]
        shell = _RUNS_SHELL.search(body)
        run = next((found for pattern in _RUNS if (found := pattern.search(body)) is not None), None)
        for (start, _), _ in zip(find_calls(text, function) if shell or run else (), range(_MOST_CALLS), strict=False):
            given = split_arguments(text, text.index("(", start))
            if shell is not None:
                named = next(group for group in shell.groups() if group)
                yield from _report_shell(_argument_of(function, named, given), language, context)
            elif run is not None:
                yield from _report_run(function, run, given, language, context)


def _report_shell(argument: str | None, language: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if argument is not None and _ITEM.fullmatch(argument) and "{" not in argument:
        yield Interpret("shell", word_from_text(_unquote(argument)), context.origin, via=Carrier(language, "a function"))


def _report_run(
    function: LiteralFunction, run: re.Match[str], given: list[str], language: str, context: ExecutionContext
) -> Iterator[ReportedEffect]:
    parameter = run["arguments"]
    if parameter not in function.parameters:
        return
    at = function.parameters.index(parameter)
    is_last = at == len(function.parameters) - 1
    source = ", ".join(given[at:]) if is_last else given[at] if at < len(given) else ""
    words = _list_words(source)
    program = run.groupdict().get("program")
    if program is not None:
        named = program if program.startswith('"') else _argument_of(function, program, given)
        if named is None or not _ITEM.fullmatch(named):
            return
        added = [word for each in ADDED_ARGUMENTS.finditer(run[0]) for word in read_arguments(run[0], each.end(), context)]
        words = [
            known_word(_unquote(named)),
            *added,
            *(part for word in words for part in (word.split_at(" ") if len(words) == 1 else [word])),
        ]
    if len(words) > 1 and words[0].text:
        yield Run(tuple(words), context.origin, Carrier(language, "a function"))


def _argument_of(function: LiteralFunction, parameter: str, given: list[str]) -> str | None:
    at = function.parameters.index(parameter) if parameter in function.parameters else len(given)
    return given[at].lstrip("&") if at < len(given) else None


def _list_words(source: str) -> list[Word]:
    """Returns the words of a list, or of several arguments, up to the last literal one; computed ones between are unknown."""
    opening = re.match(r"&?(?:vec!|listOf|List\.of|arrayOf|c|new\s*(?:string)?\s*\[\]\s*)?\s*(?=[\[({])", source)
    parts = split_arguments(source, opening.end()) if opening is not None else split_arguments(f"({source})", 0)
    literal = [n for n, part in enumerate(parts) if _ITEM.fullmatch(part)]
    return [
        word_from_text(_unquote(part)) if _ITEM.fullmatch(part) else unknown_word(part[:60])
        for part in parts[: literal[-1] + 1 if literal else 0]
    ]


def _unquote(literal: str) -> str:
    return literal[1:-1].replace('\\"', '"')
