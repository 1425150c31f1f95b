"""Objects, maps, sets and iterators, and functions that copy them."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.expressions import Expressions
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.lists import copy_array, first_given, map_items, take_item
from toolgate.languages.evaluation.shared_state import MAX_UNROLLED, Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    REST_KEY,
    TRUE,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    ObjectValue,
    Reference,
    Unknown,
    Value,
    join_all,
    list_alternatives,
    unknown_from,
    unknown_of_kind,
)
from toolgate.model.word import HoleKind, Word, known_word, word_of_kind

_NUMBER = Unknown("a number")


def make_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`Array.from(items, function)`."""
    value = first_given(arguments)
    if value is None:
        return ListValue("array")
    length = value.entries.get("length") if isinstance(value, MapValue) else None
    if isinstance(length, Constant) and isinstance(length.value, int):
        made = ListValue("array", [NULL] * min(length.value, MAX_UNROLLED), NULL if length.value > MAX_UNROLLED else None)
    else:
        made = ListValue("array", *evaluation.items_of(value))
    return map_items(evaluation, made, Arguments(arguments.positional[1:])) if len(arguments.positional) > 1 else made


def _new_array(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    only = arguments.positional[0] if len(arguments.positional) == 1 else None
    if isinstance(only, Constant):
        return ListValue("array", (), NULL)
    return ListValue("array", arguments.positional, arguments.rest)


def entries_of(evaluation: Evaluation, value: Value) -> tuple[list[tuple[Value, Value]], tuple[Value, Value] | None]:
    """Returns the keys and values of an object, a map or an array; the last pair: any further ones."""
    if isinstance(value, Instance) and isinstance(held := value.fields.get("entries"), MapValue):
        value = held
    if isinstance(value, MapValue):
        pairs: list[tuple[Value, Value]] = [
            (known_word(key) if isinstance(key, str) else Constant(key), each) for key, each in value.known_entries
        ]
        return pairs, None if value.rest is None else (Unknown("a key"), value.rest)
    if isinstance(value, Instance) and value.cls is not None:
        return [(known_word(key), each) for key, each in value.fields.items()], None
    if isinstance(value, ListValue):
        return [(known_word(str(n)), each) for n, each in enumerate(value.items)], None if value.rest is None else (
            _NUMBER,
            value.rest,
        )
    if isinstance(value, Instance) and value.type == "os.environ":
        return [], (unknown_of_kind(HoleKind.VARIABLE_NAME), word_of_kind(HoleKind.ENVIRONMENT))
    rest = evaluation.items_of(value)[1] if not isinstance(value, Instance | Reference) else unknown_from("an entry", value)
    return [], (Unknown("a key"), rest if rest is not None else Unknown("an entry"))


def list_entries(part: str) -> SpecialCall:
    def pick_part(pair: tuple[Value, Value]) -> Value:
        return pair[0] if part == "keys" else pair[1] if part == "values" else ListValue("array", pair)

    def call_entries(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        value = receiver if receiver is not None else first_given(arguments)
        if value is None:
            return None
        parts = [entries_of(evaluation, each) for each in list_alternatives(value)]
        if len(parts) == 1:
            pairs, rest = parts[0]
            return ListValue("array", map(pick_part, pairs), None if rest is None else pick_part(rest))
        every = [pick_part(pair) for pairs, rest in parts for pair in [*pairs, *(() if rest is None else (rest,))]]
        return ListValue("array", (), join_all(every))

    return call_entries


def assign_properties(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`Object.assign(target, ...sources)`."""
    from toolgate.languages.evaluation.assignment_targets import AssignmentTargets

    assert isinstance(evaluation, AssignmentTargets)
    if not arguments.positional:
        return None
    target = arguments.positional[0]
    for source in arguments.positional[1:]:
        for each in list_alternatives(source):
            pairs, rest = entries_of(evaluation, each)
            for owner in list_alternatives(target):
                for key, value in pairs:
                    if isinstance(key, Word) and key.text is not None:
                        evaluation.store_attribute(owner, key.text, value, is_only=True)
                if rest is not None and isinstance(owner, MapValue):
                    evaluation.journal.put_entry(owner, REST_KEY, evaluation.join_values(owner.rest, rest[1]))
    return target


def _from_entries(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    made = ObjectValue()
    items, rest = evaluation.items_of(arguments.positional[0]) if arguments.positional else ([], None)
    for each in items:
        pair, _ = evaluation.items_of(each)
        if len(pair) == 2:
            evaluation.put_entry(made, pair[0], pair[1])
    if rest is not None:
        made.entries[REST_KEY] = evaluation.join_values(made.rest, unknown_from("an entry", rest))
    return made


def _create_object(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    made = ObjectValue()
    for each in arguments.positional[:1]:
        if isinstance(each, MapValue):
            made.entries.update(each.entries)
        elif each is not NULL:
            made.entries[REST_KEY] = unknown_from("an entry", each)
    return made


def _define_property(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    from toolgate.languages.evaluation.assignment_targets import AssignmentTargets

    assert isinstance(evaluation, AssignmentTargets)
    if len(arguments.positional) < 3:
        return None
    owner, key, described = arguments.positional[:3]
    if isinstance(described, MapValue) and isinstance(key, Word) and key.text is not None:
        value = described.entries.get("value")
        getter = described.entries.get("get")
        if getter is not None:
            value = Instance("property", {"get": getter})
        for each in list_alternatives(owner) if value is not None else ():
            assert value is not None
            evaluation.store_attribute(each, key.text, value, is_only=True)
    return owner


def return_first(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the first argument."""
    return first_given(arguments)


def _clone_value(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = first_given(arguments)
    if isinstance(value, MapValue):
        return ObjectValue(value.entries.items())
    return copy_array(value)


# ---- maps and sets


def _new_map(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    made = _from_entries(evaluation, None, Arguments(tuple(each for each in arguments.positional if each is not NULL)))
    return Instance("Map", {"entries": made or ObjectValue()})


def _new_set(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = first_given(arguments)
    return ListValue("set") if value is None or value is NULL else ListValue("set", *evaluation.items_of(value))


def _held_entries(receiver: Value | None) -> MapValue | None:
    held = receiver.fields.get("entries") if isinstance(receiver, Instance) else None
    return held if isinstance(held, MapValue) else None


def _map_get(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    held = _held_entries(receiver)
    return None if held is None or not arguments.positional else evaluation.read_index(held, arguments.positional[0])


def _map_set(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    held = _held_entries(receiver)
    if held is not None and len(arguments.positional) > 1:
        evaluation.put_entry(held, arguments.positional[0], arguments.positional[1])
    return receiver


def _map_delete(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    held = _held_entries(receiver)
    if held is not None:
        evaluation.delete_entry(held, arguments.positional[0] if arguments.positional else Unknown("a key"))
    return Unknown("a test")


def _map_clear(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    held = _held_entries(receiver)
    for key in () if held is None else list(held.entries):
        evaluation.journal.remove_key(held.entries, key)  # type: ignore[union-attr]
    return NULL


def _map_for_each(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    function = first_given(arguments)
    pairs, rest = entries_of(evaluation, receiver) if receiver is not None else ([], None)
    for key, value in pairs[:MAX_UNROLLED] if function is not None else ():
        assert function is not None
        evaluation.call(function, Arguments((value, key)))
    if function is not None and rest is not None:
        evaluation.run_possibly(lambda: evaluation.call(function, Arguments((rest[1], rest[0]))))
    return NULL


def _next_item(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """Returns an iterator's next item."""
    if not isinstance(receiver, ListValue):
        return None
    items, rest = evaluation.items_of(receiver)
    taken = take_item(0)(evaluation, receiver, Arguments()) if items or rest is not None else NULL
    return ObjectValue((("value", taken or NULL), ("done", Unknown("a test"))))


def _list_keys(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns what `for .. in` iterates over."""
    return list_entries("keys")(evaluation, None, arguments)


def _is_array(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = first_given(arguments)
    if isinstance(value, ListValue):
        return TRUE
    return FALSE if isinstance(value, Word | Constant | MapValue | Function | ClassValue) else Unknown("a test")


OBJECT_CALLS: Mapping[str, SpecialCall] = {
    "list.keys": list_entries("keys"),
    "list.values": list_entries("values"),
    "list.entries": list_entries("entries"),
    "list.next": _next_item,
    "Array": _new_array,
    **dict.fromkeys(("Array.from", "Array.fromAsync"), make_array),
    "Array.isArray": _is_array,
    "Object.keys": list_entries("keys"),
    **dict.fromkeys(("Object.getOwnPropertyNames", "Reflect.ownKeys"), list_entries("keys")),
    "Object.values": list_entries("values"),
    "Object.entries": list_entries("entries"),
    "Object.assign": assign_properties,
    "Object.fromEntries": _from_entries,
    "Object.create": _create_object,
    "Object.defineProperty": _define_property,
    **dict.fromkeys(("Object.freeze", "Object.seal", "Object", "Object.setPrototypeOf", "WeakRef"), return_first),
    "structuredClone": _clone_value,
    **dict.fromkeys(("Map", "WeakMap"), _new_map),
    **dict.fromkeys(("Set", "WeakSet"), _new_set),
    "Map.get": _map_get,
    "Map.set": _map_set,
    "Map.delete": _map_delete,
    "Map.clear": _map_clear,
    "Map.forEach": _map_for_each,
    "Map.keys": list_entries("keys"),
    "Map.values": list_entries("values"),
    "Map.entries": list_entries("entries"),
    "keys of": _list_keys,
}
