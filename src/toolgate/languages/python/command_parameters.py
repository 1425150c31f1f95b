"""Parameters of commands as click and Typer declare them, as definitions that a command line is read with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    Constant,
    Instance,
    ListValue,
    Reference,
    Unknown,
    Value,
    text_of,
    truth_of,
)
from toolgate.model.word import known_word

from .command_arguments import Definition

PATH_TYPE = "click.Path"
_CUSTOM: Value = known_word("custom")
_APPEND: Value = known_word("append")
_UNTOLD_SETTINGS = frozenset(("callback", "prompt", "envvar", "cls", "flag_value", "parser", "click_type"))
"""Settings with which the command line alone does not tell what an option holds."""
_TEXT_TYPES = frozenset(("click.Choice", "click.STRING", "click.UUID", "click.DateTime"))
_NUMBER_TYPES: Mapping[str, Value] = {"click.INT": Reference("int"), "click.FLOAT": Reference("float")}
_PLAIN_TYPES = frozenset(("str", "int", "float", "pathlib.Path", "builtins.str"))


class Parameter(NamedTuple):
    """An option or an argument (`is_option`) as it is declared: its names and its settings."""

    is_option: bool
    names: tuple[str, ...]
    settings: Mapping[str, Value]


def define_parameter(evaluation: Evaluation, parameter: Parameter) -> list[Definition]:
    """Returns the definitions of a parameter: two for a flag that has a name to switch it off."""
    settings = _list_settings(evaluation, parameter.settings)
    if not parameter.is_option:
        name = parameter.names[0]
        return [Definition((name,), name.lower().replace("-", "_"), settings | {"nargs": known_word(_arity_of(parameter))})]
    spellings = [each.partition("/") for each in parameter.names if each.startswith("-")]
    on = tuple(each[0].strip() for each in spellings)
    off = tuple(each[2].strip() for each in spellings if each[2])
    target = _find_target(parameter.names, on)
    if not _is_flag(parameter) and not off:
        return [Definition(on, target, settings)]
    default = {"default": settings["default"]} if "default" in settings else {}
    found = [Definition(on, target, {"action": known_word("store_true"), "default": FALSE, **default})]
    return [*found, Definition(off, target, {"action": known_word("store_false")})] if off else found


def _list_settings(evaluation: Evaluation, given: Mapping[str, Value]) -> dict[str, Value]:
    """Returns the settings of argparse that mean the same."""
    default = given.get("default")
    found: dict[str, Value] = {} if default is None else {"default": default}
    if _is_true(given.get("multiple")):
        nothing: Value = ListValue("tuple", ())
        return {"action": _APPEND, "default": nothing} | found
    kind = _plain_type(given.get("type"))
    if _UNTOLD_SETTINGS & set(given):
        return {"action": _CUSTOM, "default": evaluation.join_values(default, Unknown("an option"))}
    if kind is None or "nargs" in given:
        return found | {"action": _CUSTOM}
    return found | {"type": kind}


def _plain_type(given: Value | None) -> Value | None:
    """Returns what converts a text; None where that is not known."""
    if given is None:
        return Reference("str")
    if isinstance(given, Instance) and given.type == PATH_TYPE:
        return _plain_type(given.fields.get("path_type"))
    name = given.name if isinstance(given, Reference | Unknown) else ""
    if name in _PLAIN_TYPES:
        return given
    return Reference("str") if name in _TEXT_TYPES else _NUMBER_TYPES.get(name)


def _arity_of(parameter: Parameter) -> str:
    given = parameter.settings.get("nargs")
    if given is not None:
        return "*" if isinstance(given, Constant) and given.value == -1 else "many"
    is_optional = "default" in parameter.settings or parameter.settings.get("required") is FALSE
    return "?" if is_optional else ""


def _is_flag(parameter: Parameter) -> bool:
    settings = parameter.settings
    return _is_true(settings.get("is_flag")) or ("type" not in settings and is_truth_value(settings.get("default")))


def is_truth_value(value: Value | None) -> bool:
    """Returns whether a default makes its option a flag."""
    return isinstance(value, Constant) and isinstance(value.value, bool)


def _is_true(value: Value | None) -> bool:
    return value is not None and truth_of(value) is True


def _find_target(names: Sequence[str], spellings: Sequence[str]) -> str:
    chosen = next((each for each in names if not each.startswith("-")), None)
    long = max(spellings, key=lambda each: (each.startswith("--"), len(each)), default="")
    return chosen or long.lstrip("-").replace("-", "_").lower()


def read_names(values: Sequence[Value]) -> tuple[str, ...] | None:
    """Returns the names that a parameter is declared with; None if they are not known."""
    texts = [text_of(each) for each in values]
    return None if not texts or None in texts else tuple(map(str, texts))
