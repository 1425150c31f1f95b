"""Functions that are bound, passed and promised, and functions for names and output."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext

from toolgate.languages.evaluation.endless_loops import count_requests
from toolgate.languages.evaluation.leaf_texts import text_with_variables
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.printed_text import print_text
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NEVER_RETURNS,
    NULL,
    REST_KEY,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    iter_callables,
    list_alternatives,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Word, known_word

from .objects import return_first
from .text import as_word


def _first_argument(arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else arguments.rest


def _drop_first_argument(arguments: Arguments) -> Arguments:
    return arguments._replace(positional=arguments.positional[1:])


def _bind_receiver(function: Value, receiver: Value | None) -> Value:
    """Returns a function with its `this`. `Array.prototype.slice` of a value is its own `slice`."""
    if isinstance(function, Function):
        return function._replace(receiver=receiver if receiver is not None else Unknown("this"))
    if isinstance(function, Reference) and ".prototype." in function.name and receiver is not None:
        return Reference(f"method {function.name.rpartition('.')[2]}", receiver)
    return function


# ---- bound and applied


def _call_function(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls `function.call(this, ..)`."""
    return (
        None if receiver is None else call_on(evaluation, receiver, _first_argument(arguments), _drop_first_argument(arguments))
    )


def call_on(evaluation: Evaluation, function: Value, receiver: Value | None, arguments: Arguments) -> Value:
    bound = _bind_receiver(function, receiver)
    if isinstance(bound, Reference) and bound.name.startswith("method "):
        assert bound.receiver is not None
        return evaluation.call(evaluation.read_attribute(bound.receiver, bound.name.removeprefix("method ")), arguments)
    return evaluation.call(bound, arguments)


def _apply_function(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls `function.apply(this, arguments)`."""
    if receiver is None:
        return None
    listed = arguments.positional[1] if len(arguments.positional) > 1 else NULL
    items, rest = evaluation.items_of(listed) if listed is not NULL else ([], None)
    return call_on(evaluation, receiver, _first_argument(arguments), Arguments(tuple(items), {}, rest))


def _reflect_apply(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return _apply_function(evaluation, arguments.positional[0], _drop_first_argument(arguments)) if arguments.positional else None


def _reflect_construct(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`Reflect.construct(class, arguments)`."""
    if len(arguments.positional) < 2:
        return None
    items, rest = evaluation.items_of(arguments.positional[1])
    return evaluation.construct(arguments.positional[0], Arguments(tuple(items), {}, rest))


def _bind_function(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    found: list[Value] = []
    for each in list_alternatives(receiver) if receiver is not None else ():
        bound, more = _bind_receiver(each, _first_argument(arguments)), arguments.positional[1:]
        if isinstance(bound, Reference):
            found.append(bound._replace(positional=(*bound.positional, *more)))
        else:
            found.append(Reference("a bound function", bound, more) if more else bound)
    return evaluation.join_values(*found)


def _call_receiver(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return None if receiver is None else evaluation.call(receiver, arguments)


def _call_super(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`super(..)`: takes the base class, the instance, and the arguments."""
    from toolgate.languages.evaluation.assignment_targets import find_in_class

    if len(arguments.positional) < 2:
        return None
    receiver, more = arguments.positional[1], arguments._replace(positional=arguments.positional[2:])
    for each in list_alternatives(arguments.positional[0]):
        own = find_in_class(each, "constructor") if isinstance(each, ClassValue) else each
        if isinstance(own, Function):
            call_on(evaluation, own, receiver, more)
        elif own is not None:
            evaluation.call_unknown("a constructor", more, own)
    return NULL


def _make_getter(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return Instance("property", {"get": arguments.positional[0]})


def _define_method(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Defines a method of a class whose name is computed."""
    key, function = arguments.positional
    for word in words_of(key):
        name = word.text if word.text is not None else f"a method of {word.display_text}"
        evaluation.journal.set_cell(evaluation.frame.variables, name, function)
    return NULL


def _make_proxy(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return _first_argument(arguments)


def _get_property(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`Reflect.get(object, name)`."""
    from toolgate.languages.evaluation.expressions import Expressions

    assert isinstance(evaluation, Expressions)
    return evaluation.read_index(arguments.positional[0], arguments.positional[1]) if len(arguments.positional) > 1 else None


# ---- handed on


def _call_later(evaluation: Evaluation, function: Value, arguments: Arguments) -> Value:
    """Calls a function later: an exception in it does not end the current code."""
    made = evaluation.call(function, arguments)
    return Unknown("a failed promise") if made is NEVER_RETURNS else made


def _is_callable(value: Value) -> bool:
    return (
        any(isinstance(each, Function | Reference | ClassValue | Unknown) for each in list_alternatives(value))
        and value is not NULL
    )


def _call_then(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """A promise is its eventual value."""
    if receiver is None or not arguments.positional:
        return receiver
    made: Value = receiver
    if arguments.positional[0] is not NULL and _is_callable(arguments.positional[0]):
        made = _call_later(evaluation, arguments.positional[0], Arguments((receiver,)))
    for failed in arguments.positional[1:2]:
        _call_possible_handler(evaluation, failed, [])
    return made


def _call_catch(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    found: list[Value] = [] if receiver is None else [receiver]
    for each in arguments.positional[:1]:
        _call_possible_handler(evaluation, each, found)
    return evaluation.join_values(*found)


def _call_possible_handler(evaluation: Evaluation, function: Value, found: list[Value]) -> None:
    evaluation.run_possibly(lambda: found.append(_call_later(evaluation, function, Arguments((Unknown("an error"),)))))


def _call_finally(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    for each in arguments.positional[:1]:
        _call_later(evaluation, each, Arguments())
    return receiver


def _new_promise(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the value that its function resolves it with."""
    cell = ListValue("array")
    for each in arguments.positional[:1]:
        _call_later(evaluation, each, Arguments((Reference("resolve a promise", cell), Reference("reject a promise"))))
    return evaluation.join_values(*cell.items, cell.rest) if cell.items or cell.rest is not None else Unknown("a promised value")


def _resolve_promise(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        evaluation.journal.append_items(receiver, arguments.positional[:1] or (NULL,), arguments.rest)
    return NULL


def _make_resolvers(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return MapValue((("promise", Unknown("a promised value")), ("resolve", Reference("reject a promise"))))


def _race_promises(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`Promise.race`, `Promise.any`."""
    value = _first_argument(arguments)
    items, rest = evaluation.items_of(value) if value is not None else ([], None)
    return evaluation.join_values(*items, rest) if items or rest is not None else NULL


def _settle_promises(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = _first_argument(arguments)
    items, rest = evaluation.items_of(value) if value is not None else ([], None)
    wrap = [MapValue((("status", Unknown("a test")), ("value", each))) for each in items]
    return ListValue("array", wrap, None if rest is None else MapValue((("value", rest),)))


def _set_timer(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`setTimeout(function, delay, ..)`; text is evaluated as code."""
    for each in list_alternatives(arguments.positional[0]) if arguments.positional else ():
        if isinstance(each, Word):
            from .dynamic_code import evaluate_text

            evaluate_text(evaluation, each)
        else:
            _call_later(evaluation, each, Arguments(arguments.positional[2:], {}, arguments.rest))
    return Unknown("a timer")


def _repeat_by_timer(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`setInterval(function, delay, ..)`: with less than 20 ms between rounds it is a loop without end."""
    delay = arguments.positional[1] if len(arguments.positional) > 1 else Constant(0)
    is_short = isinstance(delay, Constant) and isinstance(delay.value, int | float) and delay.value < 20
    with count_requests(evaluation) if is_short else nullcontext():
        return _set_timer(evaluation, receiver, arguments)


def _call_soon(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`setImmediate(function, ..)`, `process.nextTick`."""
    for each in arguments.positional[:1]:
        _call_later(evaluation, each, _drop_first_argument(arguments))
    return NULL


def _add_listener(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`emitter.on(event, function)`: called with the emitter's data, any number of times."""
    for each in arguments.positional[1:]:
        for function in iter_callables(each, 1):
            event_data = unknown_from("the data of an event", receiver)
            evaluation.run_possibly(lambda: _call_later(evaluation, function, Arguments((event_data,), {}, event_data)))  # noqa: B023
    return receiver


def _return_target(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`stream.pipe(target)`."""
    return _first_argument(arguments)


# ---- names, tests, output


def _type_of(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found: set[str] = set()
    for each in list_alternatives(arguments.positional[0]):
        match each:
            case Word() if each.text is not None or any(isinstance(part, str) for part in each.parts):
                found.add("string")
            case Function() | ClassValue():
                found.add("function")
            case ListValue() | MapValue():
                found.add("object")
            case Constant(value=bool()):
                found.add("boolean")
            case Constant(value=int() | float()):
                found.add("number")
            case _:
                return Unknown("a type")
    return known_word(found.pop()) if len(found) == 1 else Unknown("a type")


def _open_names(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`with (object)`: the object's properties are names from here on."""
    for each in list_alternatives(arguments.positional[0]) if arguments.positional else ():
        if isinstance(each, Reference):
            evaluation.journal.set_cell(evaluation.top.variables, f"*{each.name}", each)
        elif isinstance(each, MapValue | Instance):
            entries = each.known_entries if isinstance(each, MapValue) else each.fields.items()
            for key, value in entries:
                evaluation.journal.set_cell(evaluation.frame.variables, str(key), value)
    return NULL


def _exit_program(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return NEVER_RETURNS


def _print_values(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    line = Word()
    for n, each in enumerate(arguments.positional):
        shown = word_of(as_word(each))
        line = line + (known_word(" ") if n else Word()) + shown
    print_text(evaluation, line + known_word("\n"), *arguments.all_values(), is_whole=arguments.rest is None)
    return NULL


def _print_errors(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Standard error reaches the caller, too, but no pipe."""
    for each in arguments.all_values():
        print_text(evaluation, word_of(as_word(each)), each, is_whole=False)
    return NULL


def _write_out(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    for each in arguments.positional[:1]:
        print_text(evaluation, word_of(each), each)
    return NULL


def _parse_json(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    from .dynamic_code import parse_json

    value = _first_argument(arguments)
    if isinstance(value, Word) and value.text is not None:
        made = parse_json(value.text, value.src)
        if made is not None:
            return made
    return None if value is None else unknown_from("parsed JSON", value)


def _to_json(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    from toolgate.languages.evaluation.plain_values import render_json

    value = _first_argument(arguments)
    if value is None:
        return None
    text = render_json(value) if len(arguments.positional) == 1 else None
    if text is not None:
        return known_word(text)
    return text_with_variables("JSON", value)


def _merge_deeply(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Merges objects deeply: the first gets unknown entries of the others."""
    target = _first_argument(arguments)
    others = arguments.positional[1:]
    for each in list_alternatives(target) if target is not None and others else ():
        if isinstance(each, MapValue):
            evaluation.journal.put_entry(each, REST_KEY, evaluation.join_values(each.rest, unknown_from("an entry", *others)))
    return target


CALLABLE_CALLS: Mapping[str, SpecialCall] = {
    "function.call": _call_function,
    "function.apply": _apply_function,
    "function.bind": _bind_function,
    "a bound function": _call_receiver,
    "call super": _call_super,
    "Reflect.apply": _reflect_apply,
    "Reflect.construct": _reflect_construct,
    "Reflect.get": _get_property,
    "Proxy": _make_proxy,
    "a getter": _make_getter,
    "a method": _define_method,
    "promise.then": _call_then,
    "promise.catch": _call_catch,
    "promise.finally": _call_finally,
    "Promise": _new_promise,
    "resolve a promise": _resolve_promise,
    "reject a promise": lambda _evaluation, _receiver, _arguments: NULL,
    "Promise.withResolvers": _make_resolvers,
    **dict.fromkeys(("Promise.race", "Promise.any"), _race_promises),
    "Promise.allSettled": _settle_promises,
    **dict.fromkeys(("Promise.all", "Promise.resolve", "Promise.try", "util.promisify", "util.callbackify"), return_first),
    **dict.fromkeys(("util.deprecate", "pify", "es6-promisify.promisify", "promisify", "a module's require"), return_first),
    **dict.fromkeys(("setTimeout", "timers/promises.setTimeout"), _set_timer),
    "setInterval": _repeat_by_timer,
    **dict.fromkeys(("setImmediate", "process.nextTick", "queueMicrotask"), _call_soon),
    **dict.fromkeys(("?.on", "?.once", "?.addListener", "?.addEventListener", "?.prependListener"), _add_listener),
    **dict.fromkeys(("process.on", "process.once", "process.addListener"), _add_listener),
    "?.pipe": _return_target,
    "typeof": _type_of,
    "names of": _open_names,
    **dict.fromkeys(("process.exit", "process.abort", "Deno.exit", "process.reallyExit"), _exit_program),
    **dict.fromkeys([f"console.{name}" for name in ("log", "info", "debug", "dir", "table")], _print_values),
    **dict.fromkeys(("console.error", "console.warn", "console.trace", "process.stderr.write"), _print_errors),
    "process.stdout.write": _write_out,
    "JSON.parse": _parse_json,
    "JSON.stringify": _to_json,
    **dict.fromkeys(("lodash.merge", "deepmerge", "lodash.defaults"), _merge_deeply),
}
