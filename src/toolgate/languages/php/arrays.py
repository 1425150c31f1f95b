"""PHP's array functions."""

from __future__ import annotations

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
    join_all,
    list_alternatives,
    unknown_from,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.library import pairs_of, part_of_pairs
from toolgate.model.word import known_word


def copy_value(value: Value, depth: int = 3) -> Value:
    """Returns a copy of an array; PHP arrays have value semantics."""
    if depth and isinstance(value, ListValue):
        rest = None if value.rest is None else copy_value(value.rest, depth - 1)
        return ListValue(value.kind, [copy_value(each, depth - 1) for each in value.items], rest)
    if depth and type(value) is MapValue:
        return MapValue([(key, copy_value(each, depth - 1)) for key, each in value.entries.items()])
    return value


def copy_of_value(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return evaluation.join_values(*(copy_value(each) for each in list_alternatives(arguments.positional[0])))


# ---- arrays


def values_of(evaluation: Evaluation, value: Value) -> ListValue:
    made = part_of_pairs(1)(evaluation, value, Arguments())
    assert isinstance(made, ListValue)
    return made


def put_under_keys(evaluation: Evaluation, before: Value, results: Value | None) -> Value | None:
    """Returns the results of a function over a map's values under the map's keys."""
    if isinstance(before, MapValue) and isinstance(results, ListValue):
        keys = [key for key, _ in before.known_entries]
        pairs = list(zip(keys, results.items, strict=False))
        return MapValue(pairs, results.rest if len(pairs) == len(keys) else evaluation.join_values(*results.items, results.rest))
    return results


def map_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `array_map($function, $array, ..)`."""
    if len(arguments.positional) < 2:
        return None
    function, holder, *more = arguments.positional
    if function is NULL or more:
        columns = [evaluation.items_of(values_of(evaluation, each)) for each in (holder, *more)]
        rows = list(zip(*(items for items, _ in columns), strict=False))
        if function is NULL:
            return ListValue("array", [ListValue("array", row) for row in rows])
        return ListValue("array", [evaluation.call(function, Arguments(row)) for row in rows], Unknown("a result"))
    return put_under_keys(evaluation, holder, lists.map_items(evaluation, values_of(evaluation, holder), Arguments((function,))))


def filter_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 2:
        return arguments.positional[0] if arguments.positional else arguments.rest
    holder, function = arguments.positional[:2]
    made = lists.select_items(evaluation, values_of(evaluation, holder), Arguments((function,)))
    if isinstance(made, ListValue):  # the keys are kept, so positions are unknown
        kept = join_all((*made.items, made.rest))
        return ListValue("array", (), kept) if len(made.items) < 2 else ListValue("array", made.items, kept)
    return made


def walk_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `array_walk($array, $function, $more)`: the function receives each value, its key and the extra argument."""
    if len(arguments.positional) < 2:
        return None
    holder, function, *more = arguments.positional
    pairs = pairs_of(evaluation, holder)
    for pair in [*pairs.items, *(() if pairs.rest is None else list_alternatives(pairs.rest))]:
        assert isinstance(pair, ListValue)
        evaluation.run_possibly(lambda pair=pair: evaluation.call(function, Arguments((pair.items[1], pair.items[0], *more))))  # type: ignore[misc]
    return NULL


def reduce_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 2:
        return None
    holder, function, *start = arguments.positional
    return lists.reduce_items(evaluation, values_of(evaluation, holder), Arguments((function, *(start or [NULL]))))


def merge_arrays(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if any(isinstance(each, MapValue) for each in arguments.positional):
        made = MapValue()
        at = 0
        for each in arguments.positional:
            for key, value in each.known_entries if isinstance(each, MapValue) else ():
                made.entries[key if isinstance(key, str) else at] = value
                at += isinstance(key, int)
            for value in evaluation.items_of(each)[0] if isinstance(each, ListValue) else ():
                made.entries[at] = value
                at += 1
        return made
    return lists.concatenate_lists(evaluation, None, arguments)


def combine_arrays(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    if len(arguments.positional) < 2:
        return None
    keys, values = (evaluation.items_of(values_of(evaluation, each)) for each in arguments.positional[:2])
    made = MapValue((), values[1])
    for key, value in zip(keys[0], values[0], strict=False):
        evaluation.put_entry(made, key, value)
    return made


def fill_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return ListValue("array", (), arguments.positional[-1] if arguments.positional else NULL)


def slice_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `array_slice($array, $offset, $length)`."""
    if not arguments.positional:
        return None
    holder = values_of(evaluation, arguments.positional[0])
    plain = [texts.plain_value(each) for each in arguments.positional[1:3]]
    if holder.rest is not None or not plain or not all(isinstance(each, int) or each is None for each in plain):
        return ListValue("array", (), join_all((*holder.items, holder.rest)))
    start, length = plain[0] or 0, plain[1] if plain[1:] else None
    assert isinstance(start, int)
    assert length is None or isinstance(length, int)
    items = holder.items[start:]
    return ListValue("array", items if length is None else items[:length])


def item_at_end(at: int) -> SpecialCall:
    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        if not arguments.positional:
            return None
        items, rest = evaluation.items_of(values_of(evaluation, arguments.positional[0]))
        return items[at] if items and (rest is None or at == 0) else evaluation.join_values(*items, rest, NULL)

    return call


def splice_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if arguments.positional and isinstance(arguments.positional[0], ListValue):
        return lists.splice_items(evaluation, arguments.positional[0], arguments._replace(positional=arguments.positional[1:]))
    if arguments.positional:
        evaluation.loosen_container(arguments.positional[0])
    return Unknown("an array")


def take_item_at(at: int) -> SpecialCall:
    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        holder = arguments.positional[0] if arguments.positional else NULL
        if isinstance(holder, MapValue):
            keys = [key for key, _ in holder.known_entries]
            if not keys:
                return NULL
            value = holder.entries[keys[at]]
            evaluation.journal.remove_key(holder.entries, keys[at])
            return value
        return lists.take_item(at)(evaluation, holder, Arguments())

    return call


def make_range(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    low, high = (texts.plain_value(each) for each in (*arguments.positional, NULL, NULL)[:2])
    if isinstance(low, int) and isinstance(high, int) and abs(high - low) < 1000 and len(arguments.positional) == 2:
        step = 1 if high >= low else -1
        return ListValue("array", [Constant(n) for n in range(low, high + step, step)])
    if isinstance(low, str) and isinstance(high, str) and len(low) == len(high) == 1:
        return ListValue("array", [known_word(chr(n)) for n in range(ord(low), ord(high) + 1)])
    return ListValue("array", (), unknown_from("an item", *arguments.positional))


def column_of_rows(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    if len(arguments.positional) < 2:
        return None
    rows, rest = evaluation.items_of(values_of(evaluation, arguments.positional[0]))
    made = [evaluation.read_index(each, arguments.positional[1]) for each in rows]
    return ListValue("array", made, None if rest is None else evaluation.read_index(rest, arguments.positional[1]))


def flip_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    made = MapValue()
    pairs = pairs_of(evaluation, arguments.positional[0]) if arguments.positional else ListValue("array")
    for pair in pairs.items:
        assert isinstance(pair, ListValue)
        evaluation.put_entry(made, pair.items[1], pair.items[0])
    return made if pairs.rest is None else unknown_from("an array", *arguments.positional)
