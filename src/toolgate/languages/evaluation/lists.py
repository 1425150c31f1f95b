"""Lists, and the functions that are called for their items: methods that the lists of several languages share."""

from __future__ import annotations

from . import nodes
from .expressions import Expressions
from .library_table import SpecialCall
from .operators import are_equal
from .secret_variables import narrow_item
from .shared_state import MAX_UNROLLED, Arguments, Evaluation
from .values import (
    FALSE,
    NULL,
    TRUE,
    Constant,
    Function,
    ListValue,
    Reference,
    Unknown,
    Value,
    join_all,
    list_alternatives,
    unknown_from,
)

_NUMBER = Unknown("a number")


def call_each(
    evaluation: Evaluation, receiver: Value, function: Value | None
) -> tuple[list[tuple[Value, Value]], tuple[Value, Value] | None]:
    """Returns each item with the function's result for it; the last pair: any further item."""
    items, rest = evaluation.items_of(receiver)
    made: list[tuple[Value, Value]] = []
    if function is None:
        return made, None
    outer_round = evaluation.round
    for n, each in enumerate(items[:MAX_UNROLLED]):
        evaluation.round = outer_round if isinstance(each, Constant) else max(outer_round, n + 1)
        made.append(
            (each, evaluation.call(function, Arguments(evaluation.library.callback_arguments(each, Constant(n), receiver))))
        )
    evaluation.round = outer_round
    others = join_all((*items[MAX_UNROLLED:], rest))
    if others is None:
        return made, None
    found: list[Value] = []
    evaluation.repeats += 1
    evaluation.run_possibly(
        lambda: found.append(
            evaluation.call(function, Arguments(evaluation.library.callback_arguments(others, _NUMBER, receiver)))
        )
    )
    evaluation.repeats -= 1
    return made, (others, evaluation.join_values(*found))


def first_given(arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else arguments.rest


def map_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if receiver is None:
        return None
    made, rest = call_each(evaluation, receiver, first_given(arguments))
    return ListValue("array", [result for _, result in made], None if rest is None else rest[1])


def call_for_each(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if receiver is not None:
        call_each(evaluation, receiver, first_given(arguments))
    return NULL


def map_and_flatten(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    made = map_items(evaluation, receiver, arguments)
    return None if made is None else flatten_once(evaluation, made, Arguments())


def flatten_once(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    if receiver is None:
        return None
    items, rest = evaluation.items_of(receiver)
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


def _select(evaluation: Evaluation, receiver: Value, function: Value | None) -> tuple[list[Value], Value | None]:
    """Returns the items that a test is true for, and those that it may be true for."""
    chosen = _selecting_function(function)
    if chosen is not function and isinstance(function, Function):
        evaluation.entered[id(function.body)] = 1
    made, rest = call_each(evaluation, receiver, chosen)
    sure: list[Value] = []
    others: list[Value] = []
    for each, result in [*made, *(() if rest is None else (rest,))]:
        if chosen is function:
            is_own_truth = isinstance(function, Reference) and function.name == "Boolean"
            answer = evaluation.library.truth_of(each if is_own_truth else result)
            value = narrow_item(evaluation, function, each)
        else:
            kept = [one for one in list_alternatives(result) if one is not NULL]
            value = evaluation.join_values(*kept) if kept else NULL
            answer = False if not kept else None if len(kept) < len(list_alternatives(result)) else True
        if answer is True and (rest is None or each is not rest[0]):
            sure.append(value)
        elif answer is not False:
            others.append(value)
    return sure, join_all(others)


def select_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return None if receiver is None else ListValue("array", *_select(evaluation, receiver, first_given(arguments)))


def find_item(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if receiver is None:
        return None
    sure, others = _select(evaluation, receiver, first_given(arguments))
    if sure and others is None:
        return sure[0]
    return evaluation.join_values(*sure, others, *(() if sure else (NULL,)))


def test_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`some`, `every`, `findIndex`."""
    if receiver is not None:
        call_each(evaluation, receiver, first_given(arguments))
    return Unknown("a test")


def reduce_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    function = first_given(arguments)
    if receiver is None or function is None:
        return None
    items, rest = evaluation.items_of(receiver)
    items = [*arguments.positional[1:2], *items]
    made = items[0] if items else Unknown("an item")
    for n, each in enumerate(items[1:MAX_UNROLLED]):
        made = evaluation.call(function, Arguments((made, *evaluation.library.callback_arguments(each, Constant(n), receiver))))
    others = join_all((*items[MAX_UNROLLED:], rest))
    if others is not None:
        for _ in range(2):
            made = evaluation.join_values(
                made,
                evaluation.call(function, Arguments((made, *evaluation.library.callback_arguments(others, _NUMBER, receiver)))),
            )
    return made


def sort_in_place(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`sort`: the order is unknown from here on."""
    if not isinstance(receiver, ListValue):
        return receiver
    items, rest = evaluation.items_of(receiver)
    any_item = evaluation.join_values(*items, rest) if items or rest is not None else NULL
    if arguments.positional:
        evaluation.run_possibly(lambda: evaluation.call(arguments.positional[0], Arguments((any_item, any_item))))
    if len(items) > 1:
        evaluation.journal.replace_items(receiver, (), any_item)
    return receiver


def sort_copy(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return sort_in_place(evaluation, copy_array(receiver), arguments)


def copy_array(receiver: Value | None) -> Value | None:
    return ListValue("array", receiver.items, receiver.rest) if isinstance(receiver, ListValue) else receiver


def reverse_in_place(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        items = receiver.items[::-1] if receiver.rest is None else ()
        evaluation.journal.replace_items(
            receiver, items, receiver.rest if receiver.rest is None else evaluation.join_values(*receiver.items, receiver.rest)
        )
    return receiver


def reverse_copy(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return reverse_in_place(evaluation, copy_array(receiver), arguments)


def push_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        evaluation.journal.append_items(receiver, arguments.positional, arguments.rest)
    return receiver if isinstance(receiver, ListValue) and receiver.kind == "set" else _NUMBER


def unshift_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        if arguments.rest is None:
            evaluation.journal.replace_items(receiver, (*arguments.positional, *receiver.items), receiver.rest)
        else:
            evaluation.journal.replace_items(
                receiver, (), evaluation.join_values(*arguments.all_values(), *receiver.items, receiver.rest)
            )
    return _NUMBER


def take_item(at: int) -> SpecialCall:
    """`pop`, `shift`."""

    def call(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
        if not isinstance(receiver, ListValue):
            return unknown_from("an item", receiver)
        if receiver.rest is None:
            if not receiver.items:
                return NULL
            items = list(receiver.items)
            value = items.pop(at)
            evaluation.journal.replace_items(receiver, items, None)
            return value
        value = evaluation.join_values(*receiver.items, receiver.rest)
        evaluation.journal.replace_items(receiver, (), value)
        return value

    return call


def splice_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if not isinstance(receiver, ListValue):
        return unknown_from("items", receiver)
    taken = join_all((*receiver.items, receiver.rest))
    if taken is not None or arguments.positional[2:]:
        evaluation.journal.replace_items(receiver, (), evaluation.join_values(taken, *arguments.positional[2:], arguments.rest))
    return ListValue("array", (), taken)


def slice_items(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if not isinstance(receiver, ListValue):
        return unknown_from("items", receiver)
    bounds = [each.value for each in arguments.positional[:2] if isinstance(each, Constant) and isinstance(each.value, int)]
    if receiver.rest is None and len(bounds) == len(arguments.positional[:2]):
        return ListValue("array", receiver.items[slice(bounds[0] if bounds else 0, bounds[1] if len(bounds) > 1 else None)])
    if len(bounds) == len(arguments.positional) == 1 and 0 <= bounds[0] <= len(receiver.items):
        return ListValue("array", receiver.items[bounds[0] :], receiver.rest)
    return ListValue("array", (), join_all((*receiver.items, receiver.rest)))


def concatenate_lists(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    parts = [receiver, *arguments.positional] if receiver is not None else list(arguments.positional)
    wrapped = [each if isinstance(each, ListValue) else ListValue("array", (each,)) for each in parts]
    return flatten_once(evaluation, ListValue("array", wrapped, arguments.rest), Arguments())


def item_at(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    return None if receiver is None or not arguments.positional else evaluation.read_index(receiver, arguments.positional[0])


def fill_list(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue) and arguments.positional:
        evaluation.journal.replace_items(receiver, (), evaluation.join_values(arguments.positional[0]))
    return receiver


def index_of_item(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return _NUMBER


def includes_item(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if not isinstance(receiver, ListValue) or not arguments.positional:
        return None
    answers = [are_equal(arguments.positional[0], each) for each in receiver.items]
    if True in answers:
        return TRUE
    return Unknown("a test") if receiver.rest is not None or None in answers else FALSE
