"""Flags of a program's command line: `flag.String("dir", "out", "usage")` is the value that the program is started with."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import FALSE, TRUE, ListValue, Unknown, Value, join_all, text_of
from toolgate.model.word import Word

_TEXTS = ("String", "StringSlice", "StringArray")
_OTHERS = ("Int", "Int64", "Uint", "Uint64", "Float64", "Duration")
_OWNERS = ("flag", "pflag", "flag.FlagSet")


def _list_arguments(evaluation: Evaluation) -> tuple[list[Value], Value | None]:
    found = evaluation.report.script_arguments()
    return (list(found.items[1:]), found.rest) if isinstance(found, ListValue) else ([], found)


def _find_given(evaluation: Evaluation, name: str) -> tuple[Value | None, bool]:
    """Returns the value that the command line gives a flag, and whether all of the command line is known."""
    items, rest = _list_arguments(evaluation)
    found: Value | None = None
    for n, each in enumerate(items):
        if not isinstance(each, Word):
            continue
        option, is_set, value = each.partition("=")
        if (option.text or "").lstrip("-") == name and (option.text or "").startswith("-"):
            found = value if is_set else items[n + 1] if n + 1 < len(items) else None
    return found, rest is None and all(isinstance(each, Word) and each.text is not None for each in items)


def _flag(is_text: bool) -> SpecialCall:
    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        name = text_of(arguments.positional[0]) if arguments.positional else None
        if name is None or len(arguments.positional) < 2:
            return Unknown("a flag")
        given, is_complete = _find_given(evaluation, name)
        if not is_text:
            return Unknown("a number")
        if given is not None:
            return given
        return arguments.positional[1] if is_complete else evaluation.join_values(arguments.positional[1], Unknown("a flag"))

    return call


def _truth(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`flag.Bool("force", false, "usage")`."""
    name = text_of(arguments.positional[0]) if arguments.positional else None
    if name is None or len(arguments.positional) < 2:
        return Unknown("a test")
    items, rest = _list_arguments(evaluation)
    words = [text_of(each) or "" for each in items]
    if rest is None and f"-{name}" not in words and f"--{name}" not in words and not any("=" in each for each in words):
        return arguments.positional[1] if arguments.positional[1] in (TRUE, FALSE) else Unknown("a test")
    return TRUE if f"-{name}" in words or f"--{name}" in words else Unknown("a test")


def _operands(evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    items, rest = _list_arguments(evaluation)
    if not any(isinstance(each, Word) and each.starts_with("-") is not False for each in items):
        return ListValue("array", items, rest)
    return ListValue("array", (), join_all((*items, rest)))


def _operand(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    operands = _operands(evaluation, receiver, arguments)
    return evaluation.read_index(operands, arguments.positional[0]) if operands is not None and arguments.positional else None


CALLS: Mapping[str, SpecialCall] = {
    f"{owner}.{name}": special
    for owner in _OWNERS
    for name, special in (
        *((each, _flag(True)) for each in _TEXTS),
        *((each, _flag(False)) for each in _OTHERS),
        ("Bool", _truth),
        ("Args", _operands),
        ("Arg", _operand),
    )
}
