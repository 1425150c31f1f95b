"""Methods of Ruby's built-in types: String, Array, Hash, Integer, Proc."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation import lists
from toolgate.languages.evaluation.expressions import Expressions
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    ListValue,
    MapValue,
    Unknown,
    Value,
    list_alternatives,
    unknown_from,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.library import first_or_last, list_pairs, merge_maps, part_of_pairs, remove_entry

from . import text_methods

_ROUNDS = 64


def _with_index(special: SpecialCall) -> SpecialCall:
    """Wraps a handler to pass the index to the block as well (`each_with_index`, `each.with_index`)."""

    def call(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        if receiver is None:
            return None
        items, rest = evaluation.items_of(receiver)
        pairs = [ListValue("array", (each, Constant(n))) for n, each in enumerate(items)]
        return special(
            evaluation,
            ListValue("array", pairs, None if rest is None else ListValue("array", (rest, Unknown("a number")))),
            arguments,
        )

    return call


def _keep(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls the block for each item and returns the receiver (`each`)."""
    lists.call_for_each(evaluation, receiver, arguments)
    return receiver


def _inject(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Reduces a list with a block or a symbol (`inject(start) { }`, `inject(:+)`)."""
    parts = list(arguments.positional)
    function = arguments.named.get("block")
    if function is None and parts:
        function = function_of_symbol(evaluation, None, Arguments((parts.pop(),)))
    return (
        None if function is None else lists.reduce_items(evaluation, receiver, Arguments((function, *parts), {}, arguments.rest))
    )


def _each_with_object(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if receiver is None or not arguments.positional:
        return None
    made, function = arguments.positional[0], arguments.named.get("block")
    items, rest = evaluation.items_of(receiver)
    if function is None:
        return made
    for each in [*items[:_ROUNDS], *(() if rest is None else (rest,))]:
        evaluation.call(function, Arguments((each, made)))
    return made


def _sum(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if receiver is None:
        return None
    made = (
        text_methods.with_block(lists.map_items)(evaluation, receiver, Arguments((), arguments.named))
        if "block" in arguments.named
        else receiver
    )
    start = arguments.positional[0] if arguments.positional else NULL
    if start is NULL:
        return unknown_from("a number", made)
    return evaluation.concatenate([start, *evaluation.items_of(made or NULL)[0]])


def _take(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if receiver is None or not arguments.positional:
        return None
    count = arguments.positional[0]
    items, rest = evaluation.items_of(receiver)
    size = count.value if isinstance(count, Constant) and isinstance(count.value, int) else None
    if size is None or rest is not None:
        return ListValue("array", (), evaluation.join_values(*items, rest) if items or rest is not None else None)
    return ListValue("array", items[:size])


def _drop(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return None if receiver is None else lists.slice_items(evaluation, receiver, arguments)


def _same(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return receiver


def _push(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    lists.push_items(evaluation, receiver, arguments)
    return receiver


def _slices(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the items grouped into lists (`each_slice(n)`, `each_cons(n)`)."""
    items, rest = evaluation.items_of(receiver) if receiver is not None else ([], None)
    size = texts.plain_value(arguments.positional[0]) if arguments.positional else 1
    if rest is None and isinstance(size, int) and size > 0:
        over = ListValue("array", [ListValue("array", items[n : n + size]) for n in range(0, len(items), size)])
    else:
        over = ListValue("array", (), ListValue("array", (), evaluation.join_values(*items, rest)))
    return (
        text_methods.with_block(_keep)(evaluation, over, Arguments((), arguments.named)) if "block" in arguments.named else over
    )


def _dig(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    for key in arguments.positional:
        me = evaluation.read_index(me or NULL, key)
    return me


def _fetch(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    value = _dig(evaluation, receiver, Arguments(arguments.positional[:1]))
    if value is not NULL:
        return value
    block = arguments.named.get("block")
    return arguments.positional[1] if arguments.positional[1:] else NULL if block is None else evaluation.call(block, Arguments())


def _zip(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    columns = [evaluation.items_of(each) for each in (receiver, *arguments.positional) if each is not None]
    if all(rest is None for _, rest in columns):
        rows = zip(*(items for items, _ in columns), strict=False)
        made: Value = ListValue("array", [ListValue("array", row) for row in rows])
    else:
        every = [evaluation.join_values(*items, rest) if items or rest is not None else NULL for items, rest in columns]
        made = ListValue("array", (), ListValue("array", every))
    return _keep(evaluation, made, Arguments((arguments.named["block"],))) if "block" in arguments.named else made


def _transpose_rows(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    items, rest = evaluation.items_of(receiver) if receiver is not None else ([], None)
    return None if rest is not None or not items else _zip(evaluation, items[0], Arguments(tuple(items[1:])))


def _map_of_pairs(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns a map made of pairs (`to_h`)."""
    assert isinstance(evaluation, Expressions)
    if isinstance(receiver, MapValue) and "block" not in arguments.named:
        return receiver
    made = text_methods.with_block(lists.map_items)(evaluation, receiver, arguments) if "block" in arguments.named else receiver
    result = MapValue()
    items, rest = evaluation.items_of(made or NULL)
    for pair in [*items, *(() if rest is None else list_alternatives(rest))]:
        if isinstance(pair, ListValue) and len(pair.items) == 2:
            evaluation.put_entry(result, *pair.items)
    return result


def _merge_into(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`options.merge!(other)` changes the hash itself."""
    merged = merge_maps(evaluation, receiver, arguments)
    if not isinstance(receiver, MapValue) or not isinstance(merged, MapValue):
        return merged
    for key, value in merged.entries.items():
        evaluation.journal.put_entry(receiver, key, value)
    return receiver


def _transform_values(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    block = arguments.named.get("block")
    if not isinstance(receiver, MapValue) or block is None:
        return None
    return MapValue([(key, evaluation.call(block, Arguments((value,)))) for key, value in receiver.entries.items()])


def _select_entries(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    made = text_methods.with_block(lists.select_items)(evaluation, receiver, arguments)
    return _map_of_pairs(evaluation, made, Arguments()) if isinstance(receiver, MapValue) else made


def _reject(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the items for which a test is false; since it is not evaluated, any item may be kept."""
    if receiver is None:
        return None
    text_methods.with_block(lists.test_items)(evaluation, receiver, arguments)
    items, rest = evaluation.items_of(receiver)
    return ListValue("array", (), evaluation.join_values(*items, rest) if items or rest is not None else None)


def _compact(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    items, rest = evaluation.items_of(receiver) if receiver is not None else ([], None)
    return ListValue("array", [each for each in items if each is not NULL], rest)


def _pack(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Packs character codes into text, or decodes an encoding (`pack`)."""
    items, rest = evaluation.items_of(receiver) if receiver is not None else ([], None)
    how = texts.plain_value(arguments.positional[0]) if arguments.positional else ...
    plain = [texts.plain_value(each) for each in items]
    if rest is None and how in ("U*", "c*", "C*") and all(isinstance(each, int) for each in plain):
        return evaluation.concatenate([texts.character_of(evaluation, each, Arguments()) or NULL for each in items])
    change = texts.from_hex if isinstance(how, str) and how.startswith("H") else _unreadable
    return texts.decode_text(change)(evaluation, items[0] if items else rest, Arguments())


def _unpack(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    how = texts.plain_value(arguments.positional[0]) if arguments.positional else ...
    change = texts.from_base64 if isinstance(how, str) and how.startswith("m") else _unreadable
    return texts.decode_text(change)(evaluation, receiver, Arguments())


def _unreadable(text: str) -> str:
    raise ValueError(text)


def _times(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    count = receiver.value if isinstance(receiver, Constant) and isinstance(receiver.value, int) else None
    numbers = [Constant(n) for n in range(min(count, _ROUNDS))] if count is not None else []
    rest = Unknown("a number") if count is None or count > _ROUNDS else None
    over = ListValue("array", numbers, rest)
    return text_methods.with_block(_keep)(evaluation, over, arguments) if "block" in arguments.named else over


def make_range(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the items of a range (`1..3`, `'a'..'c'`)."""
    low, high = (texts.plain_value(each) for each in arguments.positional[:2])
    end = 0 if texts.plain_value(arguments.positional[2]) == "..." else 1
    if isinstance(low, int) and isinstance(high, int) and high - low < 1000:
        return ListValue("array", [Constant(n) for n in range(low, high + end)])
    if isinstance(low, str) and isinstance(high, str) and len(low) == len(high) == 1:
        return ListValue("array", [texts.value_of_plain(chr(n), frozenset()) for n in range(ord(low), ord(high) + end)])
    first = arguments.positional[:1] if isinstance(low, int) else ()
    return ListValue("array", first, unknown_from("an item", *arguments.positional[:2]))


def function_of_symbol(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns a function that calls the named method on its argument (`&:name`)."""
    from toolgate.languages.evaluation.values import Reference

    found = list_alternatives(arguments.positional[0])
    return evaluation.join_values(
        *(Reference("call a method", None, (each,)) if texts.plain_value(each) is not ... else each for each in found)
    )


def arguments_of_block(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the arguments of a block with several parameters: a single list argument is destructured."""
    (everything,) = arguments.positional
    assert isinstance(everything, ListValue)
    if len(everything.items) != 1 or everything.rest is not None:
        return everything
    found = list_alternatives(everything.items[0])
    if all(isinstance(each, ListValue) for each in found):
        return everything.items[0]
    return (
        everything
        if not any(isinstance(each, ListValue | Unknown) for each in found)
        else ListValue("array", everything.items, found[0])
    )


_BLOCKS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("map", "collect", "filter_map", "each_entry", "map!", "collect!"), text_methods.with_block(lists.map_items)),
    **dict.fromkeys(
        ("each", "each_entry", "each_line", "reverse_each", "each_char", "each_pair", "cycle", "each_value"),
        text_methods.with_block(_keep),
    ),
    **dict.fromkeys(("flat_map", "collect_concat"), text_methods.with_block(lists.map_and_flatten)),
    **dict.fromkeys(("find", "detect"), text_methods.with_block(lists.find_item)),
    **dict.fromkeys(
        ("any?", "all?", "none?", "one?", "find_index", "index", "count", "sum_by"), text_methods.with_block(lists.test_items)
    ),
    **dict.fromkeys(
        ("sort", "sort_by", "sort!", "uniq", "min_by", "max_by", "shuffle"), text_methods.with_block(lists.sort_copy)
    ),
    **dict.fromkeys(("reject", "partition", "drop_while", "take_while", "group_by", "reject!", "delete_if"), _reject),
    **dict.fromkeys(("each_with_index", "each_index"), _with_index(text_methods.with_block(_keep))),
    **dict.fromkeys(("with_index", "map_with_index"), _with_index(text_methods.with_block(lists.map_items))),
    **dict.fromkeys(("select", "filter", "keep_if", "select!"), _select_entries),
    **dict.fromkeys(("inject", "reduce"), _inject),
    **dict.fromkeys(("each_with_object", "with_object"), _each_with_object),
}


def _in_place(change: SpecialCall) -> SpecialCall:
    """Returns a handler for a method that replaces the items of a list by the ones that another method returns."""

    def call(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        made = change(evaluation, receiver, arguments)
        if isinstance(receiver, ListValue) and isinstance(made, ListValue):
            evaluation.journal.replace_items(receiver, made.items, made.rest)
        elif isinstance(receiver, MapValue):
            evaluation.loosen_container(receiver)
        return made

    return call


_METHODS: Mapping[str, SpecialCall] = {
    **{f"str.{name}": special for name, special in text_methods.TEXTS.items()},
    **{f"list.{name}": special for name, special in _BLOCKS.items()},
    **{f"object.{name}": special for name, special in _BLOCKS.items()},
    "str.each_char": text_methods.with_block(_keep),
    "str.each_line": lambda evaluation, receiver, arguments: text_methods.with_block(_keep)(
        evaluation, ListValue("array", (), receiver), arguments
    ),
    **dict.fromkeys(("list.first", "list.min", "list.sample"), first_or_last(0)),
    **dict.fromkeys(("list.last", "list.max"), first_or_last(-1)),
    "list.push": _push,
    "list.append": _push,
    "list.unshift": lists.unshift_items,
    "list.prepend": lists.unshift_items,
    "list.pop": lists.take_item(-1),
    "list.shift": lists.take_item(0),
    "list.join": texts.join_items,
    **dict.fromkeys(("list.flatten", "list.flatten!"), lists.flatten_once),
    **dict.fromkeys(("list.concat", "list.+", "list.|", "list.union"), lists.concatenate_lists),
    "list.reverse": lists.reverse_copy,
    "list.rotate": lists.sort_copy,
    **dict.fromkeys(("list.include?", "list.member?"), lists.includes_item),
    "list.take": _take,
    "list.drop": _drop,
    "list.zip": _zip,
    "list.transpose": _transpose_rows,
    **dict.fromkeys(("list.each_slice", "list.each_cons"), _slices),
    **dict.fromkeys(("list.compact", "list.compact!"), _compact),
    "list.to_h": _map_of_pairs,
    "list.sum": _sum,
    "list.pack": _pack,
    "str.unpack1": _unpack,
    "str.unpack": lambda evaluation, receiver, arguments: ListValue("array", (_unpack(evaluation, receiver, arguments) or NULL,)),
    **dict.fromkeys(("list.length", "list.size", "list.count"), texts.length_of),
    **dict.fromkeys(("list.at", "list.fetch", "object.fetch", "object.[]", "list.[]"), _fetch),
    **dict.fromkeys(("list.dig", "object.dig"), _dig),
    **dict.fromkeys(
        ("list.values_at", "object.values_at"),
        lambda evaluation, receiver, arguments: ListValue(
            "array", [_dig(evaluation, receiver, Arguments((each,))) or NULL for each in arguments.positional]
        ),
    ),
    **dict.fromkeys(
        ("list.to_a", "list.to_ary", "list.dup", "list.clone", "list.freeze", "list.to_set", "list.lazy"),
        _same,
    ),
    **dict.fromkeys(("object.to_h", "object.to_hash", "object.dup", "object.clone", "object.freeze", "object.compact"), _same),
    **dict.fromkeys(("object.keys",), part_of_pairs(0)),
    **dict.fromkeys(("object.values",), part_of_pairs(1)),
    "object.to_a": list_pairs,
    "object.merge": merge_maps,
    **dict.fromkeys(("object.update", "object.merge!"), _merge_into),
    "object.delete": remove_entry,
    "object.transform_values": _transform_values,
    **dict.fromkeys(
        ("object.key?", "object.has_key?", "object.include?", "object.empty?", "list.empty?"), lambda *_: Unknown("a test")
    ),
    **dict.fromkeys(("number.times",), _times),
    **dict.fromkeys(
        ("number.upto", "number.downto", "number.step"),
        text_methods.with_block(
            lambda evaluation, _receiver, arguments: _keep(evaluation, ListValue("array", (), Unknown("a number")), arguments)
        ),
    ),
    "number.chr": texts.character_of,
    **dict.fromkeys(("number.to_s", "number.inspect", "str.inspect", "list.to_s", "list.inspect"), texts.as_text),
    **dict.fromkeys(("number.to_i", "number.to_f", "number.round", "number.floor", "number.abs"), _same),
    "range": make_range,
    "arguments of a block": arguments_of_block,
    "function of a symbol": function_of_symbol,
}
METHODS: Mapping[str, SpecialCall] = {
    name: _in_place(special) if name.endswith((".delete_if", ".keep_if", "!")) and special is not _merge_into else special
    for name, special in _METHODS.items()
}
