"""What an object of a library was given before it sends something: a client's headers, a request's fields.

`session.headers["Authorization"] = token` sends nothing yet; every later request of the session carries the token.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolgate.model.effect import Connect, Effect
from toolgate.model.word import Hole

from .leaf_texts import leaf_words
from .shared_state import Evaluation
from .values import Instance, Reference, Value, collect_sources, holds_environment, list_alternatives, list_parts

_SETTINGS = "settings"
"""The field of an instance that holds what it was given."""
_MAX_DEPTH = 3


def keep_settings(evaluation: Evaluation, owner: Value | None, *given: Value) -> None:
    """Keeps what an object of a library, or a part of one, is given, if it comes from a variable or a file."""
    values = [each for each in given if _is_worth_keeping(each)]
    for each in list_alternatives(owner) if owner is not None and values else ():
        holder = _find_holder(each)
        if holder is not None:
            kept = evaluation.join_values(holder.fields.get(_SETTINGS), *values)
            evaluation.journal.put_field(holder, _SETTINGS, kept)
            evaluation.has_settings = True


def send_settings(evaluation: Evaluation, reported: Sequence[Effect], *used: Value | None) -> None:
    """Reports that these connections carry what the objects used for them were given. A call that names no address of its own
    connects to one that was reported before."""
    settings = [kept for value in used if value is not None for kept in _find_settings(value)]
    if not settings:
        return
    targets = [effect.target for effect in reported if isinstance(effect, Connect) and not effect.target.head.startswith("/")]
    for target in targets or [effect.target for effect in evaluation.report.effects if isinstance(effect, Connect)]:
        evaluation.report.connect(target, *settings)


def _is_worth_keeping(value: Value) -> bool:
    is_variable = any(isinstance(part, Hole) and part.variable for word in leaf_words(value) for part in word.parts)
    return is_variable or bool(collect_sources(value)) or holds_environment(value)


def _find_holder(value: Value) -> Instance | None:
    """Returns the object of a library that this is a part of: the session of `session.headers`."""
    while isinstance(value, Reference) and value.receiver is not None:
        value = value.receiver
    return value if isinstance(value, Instance) and value.cls is None and not value.type.endswith("response") else None


def _find_settings(value: Value, depth: int = _MAX_DEPTH) -> Iterator[Value]:
    for each in list_alternatives(value):
        holder = _find_holder(each)
        if holder is not None and _SETTINGS in holder.fields:
            yield holder.fields[_SETTINGS]
        elif holder is None and depth:
            for part in list_parts(each):
                yield from _find_settings(part, depth - 1)
