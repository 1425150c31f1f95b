"""Perl's arrays, hashes and references."""

from __future__ import annotations

from toolgate.languages.evaluation import lists
from toolgate.languages.evaluation.expressions import Expressions
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Unknown,
    Value,
    join_all,
    list_alternatives,
    unknown_from,
    unknown_of_kind,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.library import pairs_of
from toolgate.model.word import HoleKind, known_word

_FLATTENED = ("list", "values", "iterator")


def as_list(value: Value | None) -> ListValue:
    """Converts a list result of the shared helpers to a Perl list."""
    if isinstance(value, ListValue):
        return ListValue("list", value.items, value.rest)
    return ListValue("list") if value is None else ListValue("list", (value,))


def list_of_arguments(arguments: Arguments) -> ListValue:
    return ListValue("list", arguments.positional, arguments.rest)


def share_items(value: ListValue, kind: str) -> ListValue:
    """Returns the same items as an array or as a reference to it."""
    made = ListValue(kind)
    made.cell = value.cell
    return made


# ---- lists and references


def list_of(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates a value in list context: an array is flattened, a reference is one value."""
    value = arguments.positional[0]
    found = [_as_items(each) for each in list_alternatives(value)]
    if len(found) == 1:
        return value if isinstance(value, ListValue) and value.kind in _FLATTENED else found[0]
    if all(each.rest is None and len(each.items) == len(found[0].items) for each in found):
        return ListValue("list", [evaluation.join_values(*items) for items in zip(*(each.items for each in found), strict=True)])
    return ListValue("list", (), join_all(one for each in found for one in (*each.items, each.rest)))


def _as_items(value: Value) -> ListValue:
    """Returns the items that a value is in list context."""
    is_list = isinstance(value, ListValue) and value.kind in _FLATTENED
    return value if is_list and isinstance(value, ListValue) else ListValue("list", (value,))


def scalar_of(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates a value in scalar context: an array yields its length, another list its last item."""
    found = [_scalar_of_one(each) for each in list_alternatives(arguments.positional[0])]
    return evaluation.join_values(*found)


def _scalar_of_one(value: Value) -> Value:
    if isinstance(value, ListValue) and value.kind in _FLATTENED:
        if value.rest is not None:
            return join_all((*value.items, value.rest, Unknown("a number"))) or NULL
        return value.items[-1] if value.items else NULL
    return value


def count_items(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `scalar @array`."""
    value = arguments.positional[0] if arguments.positional else NULL
    if isinstance(value, ListValue):
        return Constant(len(value.items)) if value.rest is None else Unknown("a number")
    return value


def last_index(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0]
    return Constant(len(value.items) - 1) if isinstance(value, ListValue) and value.rest is None else Unknown("a number")


def reference_to(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found = list_alternatives(arguments.positional[0])
    return evaluation.join_values(
        *(share_items(each, "array") if isinstance(each, ListValue) and each.kind != "array" else each for each in found)
    )


def dereference(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found = list_alternatives(arguments.positional[0])
    made = [share_items(each, "list") if isinstance(each, ListValue) else each for each in found]
    if len(made) == 1 and isinstance(made[0], Unknown):
        return ListValue("list", (), unknown_from("an item", made[0]))
    return evaluation.join_values(*made)


def fill_holder(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    target, value = arguments.positional
    for each in list_alternatives(target):
        if isinstance(each, ListValue) and isinstance(value, ListValue):
            evaluation.journal.replace_items(each, value.items, value.rest)
        elif isinstance(each, MapValue):
            for pair in pairs_of(evaluation, hash_of(evaluation, None, Arguments((value,))) or NULL).items:
                assert isinstance(pair, ListValue)
                evaluation.put_entry(each, *pair.items)
    return value


def hash_of(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns a hash built from alternating keys and values."""
    assert isinstance(evaluation, Expressions)
    positional = list(arguments.positional)
    if len(positional) == 1 and isinstance(positional[0], MapValue):
        return positional[0]
    made = MapValue((), arguments.rest)
    for key, value in zip(positional[::2], [*positional[1::2], NULL], strict=False):
        evaluation.put_entry(made, key if not isinstance(key, Constant) else known_word(str(key.value)), value)
    return made


def flatten_hash(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the keys and values of a hash as a list."""
    found = pairs_of(evaluation, arguments.positional[0])
    items = [one for pair in found.items if isinstance(pair, ListValue) for one in pair.items]
    return ListValue("list", items, None if found.rest is None else unknown_from("an entry", found.rest))


def keys_or_values(index: int) -> SpecialCall:
    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        owner = arguments.positional[0]
        if isinstance(owner, Instance) and owner.type == "os.environ":
            return ListValue("list", (), unknown_of_kind((HoleKind.VARIABLE_NAME, HoleKind.ENVIRONMENT)[index]))
        found = pairs_of(evaluation, owner)
        rest = (
            join_all(each.items[index] for each in list_alternatives(found.rest) if isinstance(each, ListValue))
            if found.rest
            else None
        )
        return ListValue("list", [pair.items[index] for pair in found.items if isinstance(pair, ListValue)], rest)

    return call


def each_pair(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `each %hash`: any of the pairs, or none."""
    found = pairs_of(evaluation, arguments.positional[0])
    pairs = [each for each in (*found.items, *list_alternatives(found.rest or NULL)) if isinstance(each, ListValue)]
    if not pairs:
        return ListValue("list")
    return ListValue(
        "list",
        (evaluation.join_values(*(each.items[0] for each in pairs)), evaluation.join_values(*(each.items[1] for each in pairs))),
    )


def slice_of(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    holder, places = arguments.positional
    assert isinstance(places, ListValue)
    rest = None if places.rest is None else evaluation.read_index(holder, places.rest)
    return ListValue("list", [evaluation.read_index(holder, each) for each in places.items], rest)


def delete_slice(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    values = slice_of(evaluation, None, arguments)
    holder, places = arguments.positional
    for key in (*places.items, *([] if places.rest is None else [places.rest])) if isinstance(places, ListValue) else ():
        if isinstance(holder, MapValue):
            evaluation.delete_entry(holder, key)
    return values


def delete_entry(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    holder, key = arguments.positional[:2]
    value = evaluation.read_index(holder, key)
    if isinstance(holder, MapValue):
        evaluation.delete_entry(holder, key)
    return value


def on_each_holder(special: SpecialCall) -> SpecialCall:
    """Wraps a function so that it applies to every alternative of its first argument, an array."""

    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        if not arguments.positional:
            return None
        holder, *more = arguments.positional
        rest = Arguments(tuple(more), {}, arguments.rest)
        return evaluation.join_values(*(special(evaluation, each, rest) for each in list_alternatives(holder)))

    return call


def push_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    evaluation.called["list.push"] = evaluation.called.get("list.push", 0) + 1
    return lists.push_items(evaluation, receiver, arguments)


def splice_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    plain = [texts.plain_value(each) for each in arguments.positional[:2]]
    if (
        isinstance(receiver, ListValue)
        and receiver.rest is None
        and arguments.rest is None
        and all(isinstance(each, int) for each in plain)
    ):
        start = plain[0] if plain else 0
        count = plain[1] if plain[1:] else len(receiver.items)
        assert isinstance(start, int)
        assert isinstance(count, int)
        items = list(receiver.items)
        start = len(items) + start if start < 0 else start
        taken = items[start : start + count]
        evaluation.journal.replace_items(receiver, [*items[:start], *arguments.positional[2:], *items[start + count :]], None)
        return ListValue("list", taken)
    return as_list(lists.splice_items(evaluation, receiver, arguments))
