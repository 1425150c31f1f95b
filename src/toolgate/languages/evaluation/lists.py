"""Lists, and the functions that are called for their items: methods that the lists of several languages share."""

from __future__ import annotations

from . import nodes
from .expressions import Expressions
from .library_table import SpecialCall
from .operators import are_equal
from .shared_state import MAX_UNROLLED, Arguments, Evaluation
from .values import (
    FALSE,
    NULL,
    TRUE,
    Constant,
    Function,
    ListValue,
    Unknown,
    Value,
    join_all,
    list_alternatives,
    unknown_from,
)

_NUMBER = Unknown("a number")


def call_each(
    evaluation: Evaluation, me: Value, function: Value | None
) -> tuple[list[tuple[Value, Value]], tuple[Value, Value] | None]:
    """Returns each item with the function's result for it; the last pair: any further item."""
    items, rest = evaluation.items_of(me)
    made: list[tuple[Value, Value]] = []
    if function is None:
        return made, None
    for n, each in enumerate(items[:MAX_UNROLLED]):
        made.append((each, evaluation.call(function, Arguments(evaluation.library.callback_arguments(each, Constant(n), me)))))
    others = join_all((*items[MAX_UNROLLED:], rest))
    if others is None:
        return made, None
    found: list[Value] = []
    evaluation.repeats += 1
    evaluation.run_possibly(
        lambda: found.append(evaluation.call(function, Arguments(evaluation.library.callback_arguments(others, _NUMBER, me))))
    )
    evaluation.repeats -= 1
    return made, (others, evaluation.join_values(*found))


def first_given(arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else arguments.rest


def map_items(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    if me is None:
        return None
    made, rest = call_each(evaluation, me, first_given(arguments))
    return ListValue("array", [result for _, result in made], None if rest is None else rest[1])


def call_for_each(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    if me is not None:
        call_each(evaluation, me, first_given(arguments))
    return NULL


def map_and_flatten(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    made = map_items(evaluation, me, arguments)
    return None if made is None else flatten_once(evaluation, made, Arguments())


def flatten_once(evaluation: Evaluation, me: Value | None, _arguments: Arguments) -> Value | None:
    if me is None:
        return None
    items, rest = evaluation.items_of(me)
    found: list[Value] = []
    rests: list[Value | None] = []
    for item in [*items, *(() if rest is None else (rest,))]:
        alternatives = list_alternatives(item)
        is_sure = item is not rest and len(alternatives) == 1
        for each in alternatives:
            inner, more = evaluation.items_of(each) if isinstance(each, ListValue) else ([each], None)
            found += inner if is_sure else ()
            rests += [more, *(() if is_sure else inner)]
    return ListValue("array", found, join_all(rests))


def _selecting_function(function: Value | None) -> Value | None:
    """Returns a function that returns its argument if its test is true, and null otherwise: a test of a name or a path then
    narrows the selected item."""
    if not isinstance(function, Function) or len(function.body) != 1 or not function.parameters:
        return function
    test = _returned_expression(function.body[0])
    if test is None:
        return function
    given: nodes.Statement = nodes.Return(nodes.Name(function.parameters[0].name))
    otherwise: nodes.Statement = nodes.Return(nodes.Literal(NULL))
    return function._replace(body=(nodes.If(((test, (given,)),), (otherwise,)),))


def _returned_expression(statement: nodes.Statement) -> nodes.Expression | None:
    return statement.value if type(statement) is nodes.Return else None


def _select(evaluation: Evaluation, me: Value, function: Value | None) -> tuple[list[Value], Value | None]:
    """Returns the items that a test is true for, and those that it may be true for."""
    chosen = _selecting_function(function)
    if chosen is not function and isinstance(function, Function):
        evaluation.entered[id(function.body)] = 1
    made, rest = call_each(evaluation, me, chosen)
    sure: list[Value] = []
    others: list[Value] = []
    for each, result in [*made, *(() if rest is None else (rest,))]:
        if chosen is function:
            answer, value = evaluation.library.truth_of(result), each
        else:
            kept = [one for one in list_alternatives(result) if one is not NULL]
            value = evaluation.join_values(*kept) if kept else NULL
            answer = False if not kept else None if len(kept) < len(list_alternatives(result)) else True
        if answer is True and (rest is None or each is not rest[0]):
            sure.append(value)
        elif answer is not False:
            others.append(value)
    return sure, join_all(others)


def select_items(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    return None if me is None else ListValue("array", *_select(evaluation, me, first_given(arguments)))


def find_item(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    if me is None:
        return None
    sure, others = _select(evaluation, me, first_given(arguments))
    if sure and others is None:
        return sure[0]
    return evaluation.join_values(*sure, others, *(() if sure else (NULL,)))


def test_items(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    """`some`, `every`, `findIndex`."""
    if me is not None:
        call_each(evaluation, me, first_given(arguments))
    return Unknown("a test")


def reduce_items(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    function = first_given(arguments)
    if me is None or function is None:
        return None
    items, rest = evaluation.items_of(me)
    items = [*arguments.positional[1:2], *items]
    made = items[0] if items else Unknown("an item")
    for n, each in enumerate(items[1:MAX_UNROLLED]):
        made = evaluation.call(function, Arguments((made, *evaluation.library.callback_arguments(each, Constant(n), me))))
    others = join_all((*items[MAX_UNROLLED:], rest))
    if others is not None:
        for _ in range(2):
            made = evaluation.join_values(
                made, evaluation.call(function, Arguments((made, *evaluation.library.callback_arguments(others, _NUMBER, me))))
            )
    return made


def sort_in_place(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    """`sort`: the order is unknown from here on."""
    if not isinstance(me, ListValue):
        return me
    items, rest = evaluation.items_of(me)
    any_item = evaluation.join_values(*items, rest) if items or rest is not None else NULL
    if arguments.positional:
        evaluation.run_possibly(lambda: evaluation.call(arguments.positional[0], Arguments((any_item, any_item))))
    if len(items) > 1:
        evaluation.journal.replace_items(me, (), any_item)
    return me


def sort_copy(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    return sort_in_place(evaluation, copy_array(me), arguments)


def copy_array(me: Value | None) -> Value | None:
    return ListValue("array", me.items, me.rest) if isinstance(me, ListValue) else me


def reverse_in_place(evaluation: Evaluation, me: Value | None, _arguments: Arguments) -> Value | None:
    if isinstance(me, ListValue):
        items = me.items[::-1] if me.rest is None else ()
        evaluation.journal.replace_items(me, items, me.rest if me.rest is None else evaluation.join_values(*me.items, me.rest))
    return me


def reverse_copy(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    return reverse_in_place(evaluation, copy_array(me), arguments)


def push_items(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(me, ListValue):
        evaluation.journal.append_items(me, arguments.positional, arguments.rest)
    return me if isinstance(me, ListValue) and me.kind == "set" else _NUMBER


def unshift_items(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(me, ListValue):
        if arguments.rest is None:
            evaluation.journal.replace_items(me, (*arguments.positional, *me.items), me.rest)
        else:
            evaluation.journal.replace_items(me, (), evaluation.join_values(*arguments.all_values(), *me.items, me.rest))
    return _NUMBER


def take_item(at: int) -> SpecialCall:
    """`pop`, `shift`."""

    def call(evaluation: Evaluation, me: Value | None, _arguments: Arguments) -> Value | None:
        if not isinstance(me, ListValue):
            return unknown_from("an item", me)
        if me.rest is None:
            if not me.items:
                return NULL
            items = list(me.items)
            value = items.pop(at)
            evaluation.journal.replace_items(me, items, None)
            return value
        value = evaluation.join_values(*me.items, me.rest)
        evaluation.journal.replace_items(me, (), value)
        return value

    return call


def splice_items(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    if not isinstance(me, ListValue):
        return unknown_from("items", me)
    taken = join_all((*me.items, me.rest))
    if taken is not None or arguments.positional[2:]:
        evaluation.journal.replace_items(me, (), evaluation.join_values(taken, *arguments.positional[2:], arguments.rest))
    return ListValue("array", (), taken)


def slice_items(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    if not isinstance(me, ListValue):
        return unknown_from("items", me)
    bounds = [each.value for each in arguments.positional[:2] if isinstance(each, Constant) and isinstance(each.value, int)]
    if me.rest is None and len(bounds) == len(arguments.positional[:2]):
        return ListValue("array", me.items[slice(bounds[0] if bounds else 0, bounds[1] if len(bounds) > 1 else None)])
    if len(bounds) == len(arguments.positional) == 1 and 0 <= bounds[0] <= len(me.items):
        return ListValue("array", me.items[bounds[0] :], me.rest)
    return ListValue("array", (), join_all((*me.items, me.rest)))


def concatenate_lists(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    parts = [me, *arguments.positional] if me is not None else list(arguments.positional)
    wrapped = [each if isinstance(each, ListValue) else ListValue("array", (each,)) for each in parts]
    return flatten_once(evaluation, ListValue("array", wrapped, arguments.rest), Arguments())


def item_at(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    return None if me is None or not arguments.positional else evaluation.read_index(me, arguments.positional[0])


def fill_list(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(me, ListValue) and arguments.positional:
        evaluation.journal.replace_items(me, (), evaluation.join_values(arguments.positional[0]))
    return me


def index_of_item(_evaluation: Evaluation, _me: Value | None, _arguments: Arguments) -> Value | None:
    return _NUMBER


def includes_item(evaluation: Evaluation, me: Value | None, arguments: Arguments) -> Value | None:
    if not isinstance(me, ListValue) or not arguments.positional:
        return None
    answers = [are_equal(arguments.positional[0], each) for each in me.items]
    if True in answers:
        return TRUE
    return Unknown("a test") if me.rest is not None or None in answers else FALSE
