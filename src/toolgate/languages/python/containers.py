"""Lists, maps, and iteration over them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

from toolgate.languages.evaluation.expressions import Expressions
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.operators import key_of
from toolgate.languages.evaluation.own_variables import entry_of_any_name, read_entry
from toolgate.languages.evaluation.shared_state import MAX_UNROLLED, Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    REST_KEY,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    join_all,
    list_alternatives,
    unknown_from,
)
from toolgate.model.word import Word, known_word

from .orderings import pick_item, reorder, sort


def _first_argument(arguments: Arguments, name: str = "") -> Value | None:
    if arguments.positional:
        return arguments.positional[0]
    return arguments.named.get(name, arguments.rest)


def _make_collection_call(kind: str) -> SpecialCall:
    def call_collection(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        value = _first_argument(arguments)
        if value is None:
            return ListValue(kind)
        return ListValue(kind, *evaluation.items_of(value))

    return call_collection


def _dict(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0] if arguments.positional else None
    if isinstance(value, Instance | Reference) and evaluation.library.type_of(value) == "os.environ":
        return value
    made = MapValue(arguments.named.items(), arguments.rest)
    if isinstance(value, MapValue):
        made.entries = type(made.entries)({**value.entries, **made.entries})
    elif value is not None:
        items, rest = evaluation.items_of(value)
        for each in items:
            pair, _ = evaluation.items_of(each)
            if len(pair) == 2:
                assert isinstance(evaluation, Expressions)
                evaluation.put_entry(made, pair[0], pair[1])
        if rest is not None:
            made.entries[REST_KEY] = evaluation.join_values(made.rest, unknown_from("an entry", rest))
    return made


def _range(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    numbers = [each.value for each in arguments.positional if isinstance(each, Constant) and isinstance(each.value, int)]
    if numbers and len(numbers) == len(arguments.positional) and 0 not in numbers[2:]:
        made = range(*numbers[:3])
        return ListValue("list", map(Constant, made[:MAX_UNROLLED]), Unknown("a number") if len(made) > MAX_UNROLLED else None)
    return ListValue("iterator", (), Unknown("a number"))


def _enumerate(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = _first_argument(arguments)
    if value is None:
        return None
    items, rest = evaluation.items_of(value)
    pairs = [ListValue("tuple", (Constant(n), each)) for n, each in enumerate(items)]
    return ListValue("iterator", pairs, None if rest is None else ListValue("tuple", (Unknown("a number"), rest)))


def _zip(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    lists = [evaluation.items_of(each) for each in arguments.positional]
    if lists and all(rest is None for _, rest in lists):
        return ListValue("iterator", [ListValue("tuple", each) for each in zip(*(items for items, _ in lists), strict=False)])
    return ListValue("iterator", (), ListValue("tuple", [evaluation.join_values(*items, rest) for items, rest in lists]))


def _chain(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found: list[Value] = []
    rests: list[Value | None] = [arguments.rest]
    for each in arguments.positional:
        items, rest = evaluation.items_of(each)
        found += items
        rests.append(rest)
    return ListValue("iterator", found, join_all(rests))


def _chain_all(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    items, rest = evaluation.items_of(arguments.positional[0]) if arguments.positional else ([], None)
    made = _chain(evaluation, receiver, Arguments(tuple(items)))
    if rest is not None and isinstance(made, ListValue):
        inner, more = evaluation.items_of(rest)
        return ListValue("iterator", made.items, join_all((made.rest, *inner, more)))
    return made


_MAX_COMBINATIONS = 4
"""Combinations that a loop is read with one by one."""


def _pair_all(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`itertools.product`: every combination, if they are few."""
    lists = [evaluation.items_of(each) for each in arguments.positional]
    is_known = arguments.rest is None and not arguments.named and all(rest is None for _, rest in lists)
    if is_known and prod(len(items) for items, _ in lists) <= _MAX_COMBINATIONS:
        return ListValue("iterator", [ListValue("tuple", each) for each in product(*(items for items, _ in lists))])
    every = [join_all((*items, rest)) or Unknown("an item") for items, rest in lists]
    return ListValue("iterator", (), ListValue("tuple", every, arguments.rest))


def _count_items(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = _first_argument(arguments)
    if isinstance(value, ListValue) and value.rest is None and value.kind != "iterator":
        return Constant(len(value.items))
    if (
        isinstance(value, MapValue)
        and not any(isinstance(each, Unknown) for each in value.entries.values())
        and value.rest is None
    ):
        return Constant(len(value.entries)) if evaluation.is_certain else Unknown("a number")
    return Constant(len(value.text)) if isinstance(value, Word) and value.text is not None else Unknown("a number")


def _next_item(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    items, rest = evaluation.items_of(arguments.positional[0])
    return evaluation.join_values(*items, rest, *arguments.positional[1:])


# ---- methods of lists


def _append(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        evaluation.journal.append_items(receiver, arguments.positional[-1:], arguments.rest)
    return NULL


def _extend(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        for each in arguments.positional:
            evaluation.journal.append_items(receiver, *evaluation.items_of(each))
    return NULL


def _insert(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue) and len(arguments.positional) == 2:
        at = arguments.positional[0]
        if isinstance(at, Constant) and isinstance(at.value, int) and receiver.rest is None:
            items = list(receiver.items)
            items.insert(at.value, arguments.positional[1])
            evaluation.journal.replace_items(receiver, items, None)
        else:
            evaluation.journal.replace_items(
                receiver, (), evaluation.join_values(*receiver.items, receiver.rest, arguments.positional[1])
            )
    return NULL


def _pop(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, MapValue):
        value = _get(evaluation, receiver, arguments)
        evaluation.delete_entry(receiver, arguments.positional[0] if arguments.positional else Unknown("a key"))
        return value
    if not isinstance(receiver, ListValue):
        return unknown_from("an item", receiver)
    at = arguments.positional[0] if arguments.positional else Constant(-1)
    if (
        receiver.rest is None
        and receiver.items
        and isinstance(at, Constant)
        and isinstance(at.value, int)
        and -len(receiver.items) <= at.value < len(receiver.items)
    ):
        items = list(receiver.items)
        value = items.pop(at.value)
        evaluation.journal.replace_items(receiver, items, None)
        return value
    value = evaluation.join_values(*receiver.items, receiver.rest)
    evaluation.journal.replace_items(receiver, (), value)
    return value


def _pop_first(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return _pop(evaluation, receiver, Arguments((Constant(0),)))


def _shuffle_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        made = reorder(evaluation, receiver, arguments)
        if isinstance(made, ListValue):
            evaluation.journal.replace_items(receiver, made.items, made.rest)
    return NULL


def _remove_item(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue) and (receiver.items or receiver.rest is not None):
        evaluation.journal.replace_items(receiver, (), evaluation.join_values(*receiver.items, receiver.rest))
    return NULL


def _clear(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        evaluation.journal.replace_items(receiver, (), None)
    elif isinstance(receiver, MapValue):
        for key in list(receiver.entries):
            evaluation.journal.remove_key(receiver.entries, key)
    return NULL


def _copy(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return _shallow_copy(receiver) if receiver is not None else None


def _copy_first(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return _shallow_copy(arguments.positional[0]) if arguments.positional else None


def _shallow_copy(value: Value) -> Value:
    if isinstance(value, ListValue):
        return ListValue(value.kind, value.items, value.rest)
    if isinstance(value, MapValue):
        return MapValue(value.entries.items())
    if isinstance(value, Instance):
        return Instance(value.type, dict(value.fields), value.text, value.cls)
    return value


# ---- methods of maps


def _get(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    default = arguments.positional[1] if len(arguments.positional) > 1 else arguments.named.get("default", NULL)
    if isinstance(receiver, MapValue):
        key = key_of(arguments.positional[0])
        if key is not None and key[0] in receiver.entries and receiver.rest is None:
            found = receiver.entries[key[0]]
            is_sure = not any(isinstance(each, Unknown) for each in list_alternatives(found))
            return found if is_sure else evaluation.join_values(found, default)
        if key is not None:
            return read_entry(evaluation, receiver, key[0], default)
        return evaluation.join_values(*receiver.entries.values(), default)
    return evaluation.join_values(unknown_from("an entry", receiver), default)


def _set_default(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    made = _get(evaluation, receiver, arguments)
    if isinstance(receiver, MapValue) and made is not None and len(arguments.positional) > 1:
        assert isinstance(evaluation, Expressions)
        evaluation.put_entry(receiver, arguments.positional[0], made)
    return made


def _make_entries_call(part: str) -> SpecialCall:
    def call_entries(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
        if not isinstance(receiver, MapValue):
            return None
        pairs: list[tuple[Value, Value]] = [
            (known_word(key) if isinstance(key, str) else Constant(key), value) for key, value in receiver.known_entries
        ]
        if receiver.rest is not None:
            pairs.append((Unknown("a key"), receiver.rest))
        made = [
            key if part == "keys" else value if part == "values" else ListValue("tuple", (key, value)) for key, value in pairs
        ]
        if receiver.rest is not None:
            return ListValue("iterator", made[:-1], made[-1])
        return ListValue("iterator", made)

    return call_entries


def _update(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        return _extend(evaluation, receiver, arguments)
    if not isinstance(receiver, MapValue):
        return None
    for each in (value for argument in arguments.positional for value in list_alternatives(argument)):
        if isinstance(each, MapValue):
            for key, value in each.entries.items():
                evaluation.journal.put_entry(receiver, key, value)
        else:
            evaluation.journal.put_entry(receiver, REST_KEY, evaluation.join_values(receiver.rest, entry_of_any_name(each)))
    for name, value in arguments.named.items():
        evaluation.journal.put_entry(receiver, name, value)
    return NULL


def _default_map(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    factory = arguments.positional[0] if arguments.positional else None
    kind = factory.name if isinstance(factory, Reference) else ""
    if kind in ("list", "set"):
        return MapValue((), ListValue(kind))
    return MapValue((), MapValue() if kind == "dict" else Constant(0) if kind == "int" else Unknown("an entry"))


def _make_truth(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value:
    answer = evaluation.library.truth_of(arguments.positional[0]) if arguments.positional else False
    return Unknown("a test") if answer is None else Constant(answer)


def _consume_items(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`any`, `all`: iterates over the items."""
    if arguments.positional:
        evaluation.items_of(arguments.positional[0])
    return Unknown("a test")


CONTAINER_CALLS: Mapping[str, SpecialCall] = {
    **{
        name: _make_collection_call(kind)
        for name, kind in (("list", "list"), ("tuple", "tuple"), ("set", "set"), ("frozenset", "set"))
    },
    "collections.deque": _make_collection_call("list"),
    "dict": _dict,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": _default_map,
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_all,
    "itertools.product": _pair_all,
    "len": _count_items,
    "next": _next_item,
    "sorted": sort,
    "reversed": reorder,
    "min": pick_item,
    "max": pick_item,
    "random.choice": _next_item,
    "list.append": _append,
    "list.add": _append,
    "list.appendleft": _append,
    "list.extend": _extend,
    "list.update": _extend,
    "list.insert": _insert,
    "list.pop": _pop,
    "list.popleft": _pop_first,
    "list.sort": _shuffle_items,
    "list.reverse": _shuffle_items,
    "list.remove": _remove_item,
    "list.discard": _remove_item,
    "list.clear": _clear,
    "list.copy": _copy,
    "dict.clear": _clear,
    "dict.copy": _copy,
    "dict.pop": _pop,
    "dict.get": _get,
    "dict.setdefault": _set_default,
    "dict.items": _make_entries_call("items"),
    "dict.keys": _make_entries_call("keys"),
    "dict.values": _make_entries_call("values"),
    "dict.update": _update,
    "copy.copy": _copy_first,
    "copy.deepcopy": _copy_first,
    "any": _consume_items,
    "all": _consume_items,
    "isinstance": lambda _evaluation, _receiver, _arguments: Unknown("a test"),
    "callable": lambda _evaluation, _receiver, _arguments: Unknown("a test"),
    "bool": _make_truth,
}
