"""Special handlers for PHP's array and text functions, dynamic calls and classes, which the call tables cannot express."""

from __future__ import annotations

import codecs
from collections.abc import Mapping

from toolgate.languages.evaluation import lists, nodes
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NEVER_RETURNS,
    NULL,
    Constant,
    Instance,
    ListValue,
    MapValue,
    ObjectValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    unknown_from,
    words_of,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.classes import call_super, make_instance
from toolgate.languages.scripting.library import list_pairs, pairs_of, part_of_pairs
from toolgate.languages.scripting.modules import include_file
from toolgate.languages.scripting.texts import on_argument, text_method
from toolgate.model.effect import Carrier
from toolgate.model.word import known_word

from . import arrays, text_functions
from .evaluator import PhpEvaluator


def _first(arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else arguments.rest


def _without_first(arguments: Arguments, count: int = 1) -> Arguments:
    return arguments._replace(positional=arguments.positional[count:])


# ---- values


def _next_key(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the key that `$array[] = ..` stores under."""
    holder = arguments.positional[0]
    if isinstance(holder, ListValue) and holder.rest is None:
        return Constant(len(holder.items))
    if isinstance(holder, MapValue) and holder.rest is None:
        numbers = [key for key in holder.entries if isinstance(key, int)]
        return Constant(max(numbers, default=-1) + 1)
    return Unknown("a key")


def _pairs(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return pairs_of(evaluation, arguments.positional[0])


def _stored_value(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the value of a by-reference argument after a call: the old value, or one derived from the arguments."""
    made = unknown_from(
        "data that a call stores", *arguments.positional, evaluation.report.unknown_output("the output of a command")
    )
    return evaluation.join_values(arguments.positional[0], made)


# ---- by name


def _evaluator(evaluation: Evaluation) -> PhpEvaluator:
    assert isinstance(evaluation, PhpEvaluator)
    return evaluation


def _variable(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    names = [word.text for word in words_of(arguments.positional[0])]
    return evaluation.join_values(
        *(Unknown("a variable") if name is None else evaluation.evaluate(nodes.Name(f"${name}")) for name in names)
    )


def _member(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    owner, name = arguments.positional
    made = _evaluator(evaluation).function_named_by(ListValue("array", (owner, name)))
    return made if made is not None else Unknown("a member")


def _class(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found = list_alternatives(arguments.positional[0])
    return evaluation.join_values(
        *(
            _evaluator(evaluation).class_named(each) if not isinstance(each, Instance) or each.cls is None else each.cls
            for each in found
        )
    )


def call_first(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls a function with the remaining arguments (`call_user_func($function, ..)`)."""
    function = _first(arguments)
    return None if function is None else evaluation.call(function, _without_first(arguments))


def _call_listed(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls a function with an array of arguments (`call_user_func_array($function, $arguments)`)."""
    if len(arguments.positional) < 2:
        return None
    function, listed = arguments.positional[:2]
    values = part_of_pairs(1)(evaluation, listed, Arguments())
    items, rest = evaluation.items_of(values or listed)
    return evaluation.call(function, Arguments(tuple(items), {}, rest))


def _later(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls a registered callback with its extra arguments and unknown ones; it may run at any time."""
    function = _first(arguments)
    if function is not None and function is not NULL:
        rest = _without_first(arguments)
        evaluation.run_possibly(lambda: evaluation.call(function, rest._replace(rest=Unknown("an argument"))))
    return NULL


def _function_object(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns a callable object (`new ReflectionFunction($name)`, `Closure::fromCallable($name)`)."""
    function = _first(arguments)
    return None if function is None else Instance("reflected", {"function": function})


def _as_function(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = _first(arguments)
    return None if value is None else _evaluator(evaluation).function_named_by(value) or value


def _invoke(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    function = receiver.fields.get("function") if isinstance(receiver, Instance) else None
    return None if function is None else evaluation.call(function, arguments)


def _invoke_listed(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    function = receiver.fields.get("function") if isinstance(receiver, Instance) else None
    return None if function is None else _call_listed(evaluation, None, Arguments((function, *arguments.positional)))


def _call_missing(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls a class's `__call($name, $arguments)`."""
    name, *more = arguments.positional
    return None if receiver is None else evaluation.call(receiver, Arguments((name, ListValue("array", more, arguments.rest))))


def _create_function(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates the code of `create_function('$a', 'code')`."""
    code = arguments.positional[1] if arguments.positional[1:] else NULL
    return evaluation.call(Reference("evaluate text"), Arguments((code,)))


def _assert(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates the text argument of `assert($code)` as code, as PHP before 8.0 does."""
    for each in list_alternatives(arguments.positional[0]) if arguments.positional else ():
        if (words_of(each)[0].text is not None and type(each) is type(known_word(""))) or not isinstance(
            each, Constant | Unknown
        ):
            evaluation.call(Reference("evaluate text"), Arguments((each,)))
    return NULL


def _include(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    report, found = evaluation.report, []
    for each in words_of(arguments.positional[0]) if arguments.positional else ():
        if any(each.starts_with(f"{scheme}:") is True for scheme in ("http", "https", "ftp", "data", "php")):
            report.connect(each)
            report.interpret(report.response(), via=Carrier("php", "include"))
        else:
            found.append(include_file(evaluation, each))
    return evaluation.join_values(*found) if found else Unknown("the result of a file")


def _extract(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    for each in list_alternatives(arguments.positional[0]) if arguments.positional else ():
        for key, value in each.known_entries if isinstance(each, MapValue) else ():
            evaluation.journal.set_cell(evaluation.frame.variables, f"${key}", value)
    return NULL


def _exit(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return NEVER_RETURNS


CALLS: Mapping[str, SpecialCall] = {
    **{name: on_argument(special) for name, special in text_functions.TEXTS.items()},
    **dict.fromkeys(("strlen", "mb_strlen", "count", "sizeof"), on_argument(texts.length_of)),
    **dict.fromkeys(("intval", "floatval"), on_argument(texts.to_number)),
    **dict.fromkeys(("strval",), on_argument(texts.as_text)),
    **dict.fromkeys(("chr", "mb_chr"), on_argument(texts.character_of)),
    **dict.fromkeys(("sprintf",), texts.format_text),
    "vsprintf": texts.format_text,
    **dict.fromkeys(("implode", "join"), text_functions.join_values),
    **dict.fromkeys(("explode", "mb_split"), on_argument(text_method(text_functions.split_text, "list"))),
    **dict.fromkeys(("str_replace", "str_ireplace"), text_functions.replace_texts),
    "preg_replace": text_functions.replace_pattern,
    "preg_replace_callback": text_functions.call_with_match,
    "strtr": text_functions.translate_text,
    "base64_decode": on_argument(texts.decode_text(texts.from_base64)),
    **dict.fromkeys(("hex2bin", "pack_hex"), on_argument(texts.decode_text(texts.from_hex))),
    "str_rot13": on_argument(texts.decode_text(lambda text: codecs.encode(text, "rot13"))),
    "array_map": arrays.map_array,
    "array_filter": arrays.filter_array,
    **dict.fromkeys(("array_walk", "array_walk_recursive", "iterator_apply"), arrays.walk_array),
    "array_reduce": arrays.reduce_array,
    **dict.fromkeys(("array_merge", "array_replace", "array_merge_recursive"), arrays.merge_arrays),
    "array_combine": arrays.combine_arrays,
    **dict.fromkeys(("array_fill", "array_pad", "array_fill_keys"), arrays.fill_array),
    "array_slice": arrays.slice_array,
    "array_splice": arrays.splice_array,
    "array_push": on_argument(lists.push_items),
    "array_unshift": on_argument(lists.unshift_items),
    "array_pop": arrays.take_item_at(-1),
    "array_shift": arrays.take_item_at(0),
    **dict.fromkeys(("current", "reset", "array_find"), arrays.item_at_end(0)),
    "end": arrays.item_at_end(-1),
    **dict.fromkeys(
        ("array_reverse", "iterator_to_array_reversed"),
        lambda evaluation, _receiver, arguments: lists.reverse_copy(
            evaluation, arrays.values_of(evaluation, arguments.positional[0]), Arguments()
        ),
    ),
    **dict.fromkeys(("array_values", "iterator_to_array", "array_unique"), on_argument(part_of_pairs(1))),
    "array_keys": on_argument(part_of_pairs(0)),
    "array_column": arrays.column_of_rows,
    "array_flip": arrays.flip_array,
    **dict.fromkeys(
        ("sort", "rsort", "usort", "uasort", "uksort", "asort", "arsort", "ksort", "shuffle"), on_argument(lists.sort_in_place)
    ),
    **dict.fromkeys(("in_array",), on_argument(lists.includes_item, 1)),
    "array_search": lambda *_: Unknown("a key"),
    "array_key_exists": lambda *_: Unknown("a test"),
    "range": arrays.make_range,
    "copy of": arrays.copy_of_value,
    "next key": _next_key,
    "pairs of": _pairs,
    "pairs of list": list_pairs,
    "stored by a call": _stored_value,
    "variable by name": _variable,
    "member by name": _member,
    "class by name": _class,
    "extract": _extract,
    "include": _include,
    **dict.fromkeys(("exit", "die"), _exit),
    "eval": lambda evaluation, _receiver, arguments: evaluation.call(Reference("evaluate text"), arguments),
    "assert": _assert,
    "create_function": _create_function,
    **dict.fromkeys(("call_user_func", "forward_static_call"), call_first),
    **dict.fromkeys(("call_user_func_array", "forward_static_call_array"), _call_listed),
    **dict.fromkeys(("register_shutdown_function", "ob_start", "set_error_handler", "set_exception_handler"), _later),
    **dict.fromkeys(("spl_autoload_register", "register_tick_function", "header_register_callback"), _later),
    "pcntl_signal": on_argument(lambda evaluation, _receiver, arguments: _later(evaluation, None, arguments)),
    **dict.fromkeys(("ReflectionFunction.new", "ReflectionMethod.new"), _function_object),
    "Closure.fromCallable": _as_function,
    "stdClass.new": lambda *_: ObjectValue(),
    **dict.fromkeys(("reflected.invoke", "reflected.__invoke", "reflected.call"), _invoke),
    "reflected.invokeArgs": _invoke_listed,
    "a missing method": _call_missing,
    "make an instance": make_instance,
    "call super": call_super,
}
HARMFUL = frozenset(
    "call_user_func call_user_func_array forward_static_call eval assert create_function include array_map array_walk".split()
)
