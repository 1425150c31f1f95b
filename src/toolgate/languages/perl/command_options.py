"""`GetOptions('days=i' => \\$days, 'n|dry-run' => \\$dry)`: gives variables what the command line gives their options."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import TRUE, ListValue, Unknown, Value, text_of
from toolgate.languages.scripting.command_options import Option, read_options
from toolgate.languages.scripting.lowering import call, text

_NAMES = ("GetOptions", "Getopt::Long::GetOptions")
_SPECIFICATION = re.compile(r"(?P<names>[\w|?-]+)(?P<kind>[=:][isfo]|[=:]\d+)?(?P<repeats>[@%]|\{[^}]*\})?[!+]?")


def assign_options(made: nodes.Call) -> nodes.Expression:
    """Returns a call of `GetOptions` as assignments to the variables and the entries of the hash that it fills; any other call
    unchanged."""
    if not isinstance(made.function, nodes.Name) or made.function.name not in _NAMES:
        return made
    values = [each.value for each in made.arguments]
    hash_ = values.pop(0) if values and _find_referenced(values[0]) is not None else None
    names = [text_of(each.value) if isinstance(each, nodes.Literal) else None for each in values]
    specifications = call("specifications", *(text(name) for name in names if name is not None))
    assignments: list[nodes.Expression] = []
    for n, name in enumerate(names):
        if name is None:
            continue
        target = _find_referenced(values[n + 1]) if n + 1 < len(values) else None
        if target is None and hash_ is not None and (holder := _find_referenced(hash_)) is not None:
            target = nodes.Index(holder, text(name.partition("|")[0].partition("=")[0].partition(":")[0].rstrip("!+")))
        if isinstance(target, nodes.Name | nodes.Index):
            given = call("option given", text(name), specifications, target)
            assignments.append(nodes.AssignmentExpression(target, given))
    assignments.append(nodes.AssignmentExpression(nodes.Name("@ARGV"), call("other arguments", specifications)))
    return call("options are read", *assignments)


def _find_referenced(value: nodes.Expression) -> nodes.Expression | None:
    """Returns the variable that a reference refers to: `\\$days`."""
    if not isinstance(value, nodes.Call) or len(value.arguments) != 1:
        return None
    inner = value.arguments[0].value
    if value.function == nodes.Name("list of"):
        return _find_referenced(inner)
    return inner if value.function == nodes.Name("reference to") else None


def _parse(specification: str) -> Option | None:
    found = _SPECIFICATION.fullmatch(specification)
    if found is None:
        return None
    return Option(tuple(found["names"].split("|")), found["kind"] is not None, found["repeats"] is not None)


def _list_options(specifications: Value) -> list[Option]:
    texts = [text_of(each) for each in specifications.items] if isinstance(specifications, ListValue) else []
    return [option for each in texts if each is not None and (option := _parse(each)) is not None]


def _find_given(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns what an option is given, or the value that its variable has already."""
    name, specifications, before = arguments.positional
    option = _parse(text_of(name) or "")
    if option is None:
        return Unknown("an option of the command line")
    given = read_options(evaluation, _list_options(specifications))
    found = given.find(option)
    return before if found is None else found if given.is_known else evaluation.join_values(found, before)


def _find_others(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    given = read_options(evaluation, _list_options(arguments.positional[0]))
    return ListValue("list", given.others, None if given.is_known else Unknown("an argument"))


OPTION_CALLS: Mapping[str, SpecialCall] = {
    "specifications": lambda _evaluation, _receiver, arguments: ListValue("array", arguments.positional),
    "option given": _find_given,
    "other arguments": _find_others,
    "options are read": lambda _evaluation, _receiver, _arguments: TRUE,
}
