"""Lists in another order, and items that an order picks."""

from __future__ import annotations

from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import NULL, ListValue, Value, text_of


def _find_list(arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else arguments.rest


def reorder(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`sorted`, `reversed`, `set`: the same items in another order; `key` is called with each."""
    value = receiver if receiver is not None else _find_list(arguments)
    if value is None:
        return None
    items, rest = evaluation.items_of(value)
    function = arguments.named.get("key")
    if function is not None and function is not NULL:
        for each in [*items, *(() if rest is None else (rest,))]:
            evaluation.call(function, Arguments((each,)))
    return ListValue("list", items, rest) if len(items) < 2 else ListValue("list", (), evaluation.join_values(*items, rest))


def sort(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`sorted(x)`: known texts, and pairs that begin with different ones, in their order; others as `reorder` leaves them."""
    value = _find_list(arguments)
    items, rest = evaluation.items_of(value) if value is not None else ([], None)
    texts = [text_of(each.items[0]) if isinstance(each, ListValue) and each.items else text_of(each) for each in items]
    if rest is not None or arguments.named or len(set(texts)) < len(texts) or None in texts:
        return reorder(evaluation, receiver, arguments)
    return ListValue("list", [each for _, each in sorted(zip(texts, items, strict=True), key=lambda pair: pair[0] or "")])


def pick_item(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`min`, `max`: one of the items."""
    over = ListValue("list", arguments.positional) if len(arguments.positional) > 1 else _find_list(arguments)
    made = None if over is None else reorder(evaluation, over, arguments)
    return evaluation.join_values(*made.items, made.rest, arguments.named.get("default")) if isinstance(made, ListValue) else None
