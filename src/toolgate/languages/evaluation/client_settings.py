"""What an object of a library was given before it sends something: a client's headers, a request's fields.

`session.headers["Authorization"] = token` sends nothing yet; every later request of the session carries the token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from toolgate.model.effect import Connect, Effect
from toolgate.model.word import Hole, Word, unknown_word

from .leaf_texts import find_open_files, leaf_words
from .shared_state import Arguments, Evaluation
from .values import (
    Constant,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Value,
    collect_sources,
    holds_environment,
    list_alternatives,
    list_parts,
    text_of,
    word_of,
)

_SETTINGS = "settings"
"""The field of an instance that holds what it was given."""
_MAX_DEPTH = 3
_ADDRESS = re.compile(r"\w+://|localhost\b|[\w-]+[.:]\w")


def keep_settings(evaluation: Evaluation, owner: Value | None, *argument: Value) -> None:
    """Keeps what an object of a library, or a part of one, is given, if it comes from a variable or a file."""
    values = [each for each in argument if _is_worth_keeping(each)]
    for each in list_alternatives(owner) if owner is not None and values else ():
        root = _find_root(each)
        if isinstance(root, Reference):
            module = root.name.partition(".")[0]
            kept = evaluation.join_values(evaluation.module_settings.get(module), *values)
            evaluation.journal.set_cell(evaluation.module_settings, module, kept)
        elif _is_client(root):
            kept = evaluation.join_values(root.fields.get(_SETTINGS), *values)
            evaluation.journal.put_field(root, _SETTINGS, kept)
        else:
            continue
        evaluation.has_settings = True


def send_settings(evaluation: Evaluation, call: str, reported: Sequence[Effect], *used: Value | None) -> None:
    """Reports that the connections of a call carry what its module and the objects used for it were given. A call that names
    no address of its own connects to one that was reported before."""
    settings = [kept for value in used if value is not None for kept in _find_settings(value)]
    if of_module := evaluation.module_settings.get(call.partition(".")[0]):
        settings.append(of_module)
    if not settings:
        return
    earlier = _find_addresses(evaluation.report.effects)
    for target in _find_addresses(reported) or earlier or [unknown_word("a server")]:
        evaluation.report.connect(target, *settings)


def _find_addresses(effects: Sequence[Effect]) -> list[Word]:
    """Returns the addresses that these effects connect to. A path alone, or its first word, is relative to another address."""
    targets = [effect.target for effect in effects if isinstance(effect, Connect)]
    return [target for target in targets if _ADDRESS.match(target.head)]


def _is_worth_keeping(value: Value) -> bool:
    is_variable = any(isinstance(part, Hole) and part.variable for word in leaf_words(value) for part in word.parts)
    return is_variable or bool(collect_sources(value)) or holds_environment(value) or any(True for _ in find_open_files(value))


def _find_root(value: Value) -> Value:
    """Returns the object or the module that this is a part of: the session of `session.headers`."""
    while isinstance(value, Reference) and value.receiver is not None:
        value = value.receiver
    return value


def _is_client(value: Value) -> TypeGuard[Instance]:
    return isinstance(value, Instance) and value.cls is None and not value.type.endswith("response")


def _find_settings(value: Value, depth: int = _MAX_DEPTH) -> Iterator[Value]:
    for each in list_alternatives(value):
        root = _find_root(each)
        if _is_client(root):
            yield from (root.fields[name] for name in root.fields if name == _SETTINGS)
        elif depth:
            for part in list_parts(each):
                yield from _find_settings(part, depth - 1)


def report_base_address(evaluation: Evaluation, arguments: Arguments) -> None:
    """Reports where a client sends the key that it is given: `OpenAI(base_url=.., api_key=..)`."""
    given: dict[str, Value] = dict(arguments.named)
    for each in arguments.positional:
        given.update(_list_entries(each))
    for name, address in given.items() if not evaluation.report.is_excused else ():
        if name.lower().replace("_", "") in _BASE_NAMES and word_of(address).head.startswith("http"):
            evaluation.report.connect(address, *(value for key, value in given.items() if key != name))


_BASE_NAMES = frozenset("baseurl apibase basepath endpoint endpointurl serverurl".split())


def list_settings(arguments: Arguments) -> list[tuple[str, object]]:
    """Returns the known settings that a call is given by name, or in an object of options and the objects in it."""
    found: list[tuple[str, Value]] = list(arguments.named.items())
    for each in arguments.positional:
        found += _list_entries(each)
    found += [entry for _, value in found for entry in _list_entries(value)]
    return [(key, _plain_setting(value)) for key, value in found]


def _plain_setting(value: Value) -> object:
    """Returns a setting as a plain value; for a constant of a library, its own name: `PublicAccess.CONTAINER`."""
    if isinstance(value, ListValue) and len(value.items) == 1 and value.rest is None:  # `DryRun: []string{"All"}`
        return _plain_setting(value.items[0])
    if isinstance(value, Reference) and value.receiver is None:
        return value.name.rpartition(".")[2].lower()
    return value.value if isinstance(value, Constant) else text_of(value)


def _list_entries(value: Value) -> list[tuple[str, Value]]:
    return [(key, each) for key, each in value.known_entries if isinstance(key, str)] if isinstance(value, MapValue) else []
