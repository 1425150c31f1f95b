"""Special handlers for Ruby's dynamic calls, blocks and classes, which the call tables cannot express."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.listings import select_listed, visit_listed
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    TRUE,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    text_of,
    truth_of,
    unknown_from,
    words_of,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.classes import call_super, make_instance
from toolgate.languages.scripting.words import names_every_record, visit_records
from toolgate.model.word import Word, unknown_word

_ROUNDS = 64


def _block(arguments: Arguments) -> Value | None:
    return arguments.named.get("block")


def _without_first(arguments: Arguments) -> Arguments:
    return arguments._replace(positional=arguments.positional[1:])


def _call_block(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls the block with the receiver (`tap`, `then`, `instance_exec`)."""
    block = _block(arguments)
    return (
        receiver if block is None else evaluation.call(block, Arguments((receiver or Unknown("a value"), *arguments.positional)))
    )


def _tap(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    _call_block(evaluation, receiver, arguments)
    return receiver


def _call_function(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return None if receiver is None else evaluation.call(receiver, arguments)


def _same(_evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return receiver if receiver is not None else _block(arguments) or (arguments.positional[0] if arguments.positional else NULL)


def function_by_name(evaluation: Evaluation, owner: Value | None, name: str) -> Value:
    if owner is None or (isinstance(owner, Reference) and owner.name in ("main", "Kernel", "Object")):
        return evaluation.evaluate(nodes.Name(name))
    return evaluation.read_attribute(owner, name)


def _method(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the method that a symbol names (`method(:system)`)."""
    if not arguments.positional:
        return None
    found: list[Value] = []
    for word in words_of(arguments.positional[0]):
        if word.text is None:
            _note_computed(evaluation, receiver)
            found.append(unknown_from("a method", receiver))
        else:
            found.append(function_by_name(evaluation, receiver, word.text))
    return evaluation.join_values(*found)


def _note_computed(evaluation: Evaluation, receiver: Value | None) -> None:
    if not evaluation.report.is_trusted and not isinstance(receiver, Unknown):
        evaluation.report.opaque("which method is called is computed")


def _send(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls the method that the first argument names (`send(:system, ..)`)."""
    function = _method(evaluation, receiver, arguments)
    return None if function is None else evaluation.call(function, _without_first(arguments))


def append_to(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Appends to a list, or to a text (`list << item`)."""
    target, item = arguments.positional
    evaluation.called["list.push"] = evaluation.called.get("list.push", 0) + 1
    found: list[Value] = []
    for each in list_alternatives(target):
        if isinstance(each, ListValue):
            evaluation.journal.append_items(each, (item,))
        found.append(evaluation.concatenate([each, item]) if isinstance(each, Word) else each)
    return evaluation.join_values(*found)


def _call_method(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls the method that a symbol's function names on its first argument."""
    if len(arguments.positional) < 2:
        return None
    name, owner, *more = arguments.positional
    text = text_of(name)
    if text is None:
        return unknown_from("the result of a method", owner)
    if text == "<<" and more:
        return append_to(evaluation, None, Arguments((owner, more[0])))
    if text in ("+", "*", "-", "/", "%") and more:
        return evaluation.apply_operator(text, owner, more[0])
    return evaluation.call(evaluation.read_attribute(owner, text), Arguments(tuple(more)))


def _evaluate(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates a text as code, or calls a block (`eval`, `instance_eval`)."""
    if _block(arguments) is not None:
        return _call_block(evaluation, receiver, Arguments((), arguments.named))
    return evaluation.call(Reference("evaluate text"), Arguments(arguments.positional[:1], {}, arguments.rest))


def _constant(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the constant that a symbol names (`Object.const_get(:FileUtils)`)."""
    if not arguments.positional:
        return None
    found: list[Value] = []
    for word in words_of(arguments.positional[0]):
        if word.text is None:
            _note_computed(evaluation, receiver)
            found.append(Unknown("a constant"))
        else:
            first, *more = word.text.split("::")
            value = function_by_name(evaluation, receiver, first)
            for name in more:
                value = evaluation.read_attribute(value, name)
            found.append(value)
    return evaluation.join_values(*found)


def _field(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return receiver


def _define_method(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    function = _block(arguments) or (arguments.positional[1] if arguments.positional[1:] else None)
    for word in words_of(arguments.positional[0]) if arguments.positional and function is not None else ():
        if word.text is not None and function is not None:
            evaluation.journal.set_cell(evaluation.frame.variables, word.text, function)
    return NULL


def _get_field(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional or receiver is None:
        return None
    return evaluation.join_values(
        *(evaluation.read_attribute(receiver, word.text or "") for word in words_of(arguments.positional[0]))
    )


def _set_field(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) > 1 and isinstance(receiver, Instance) and (name := text_of(arguments.positional[0])):
        evaluation.journal.put_field(receiver, name, arguments.positional[1])
    return NULL


def _struct(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns a class whose instances store their arguments in order (`Struct.new(:a, :b)`)."""
    names = tuple(text for each in arguments.positional if (text := text_of(each)))
    return ClassValue("a struct", (), {}, names)


def _new_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return ListValue("array")
    value = arguments.positional[1] if arguments.positional[1:] else NULL
    if (block := _block(arguments)) is not None:
        value = evaluation.call(block, Arguments((Unknown("a number"),)))
    if isinstance(arguments.positional[0], ListValue):
        return ListValue("array", arguments.positional[0].items, arguments.positional[0].rest)
    return ListValue("array", (), value)


def _new_map(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if _block(arguments) is not None or arguments.positional:
        return MapValue((), unknown_from("an entry", *arguments.all_values()))
    return MapValue(arguments.named.items())


def _as_array(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0] if arguments.positional else NULL
    items, rest = evaluation.items_of(value) if isinstance(value, ListValue | MapValue) else ([value], None)
    return ListValue("array", items, rest)


def _pattern(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return Instance("pattern", {"source": arguments.positional[0] if arguments.positional else unknown_word("a pattern")})


def _collect(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if isinstance(receiver, ListValue):
        evaluation.journal.append_items(receiver, arguments.positional[:1], arguments.rest)
    return NULL


def _later(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls a block that runs later (`Thread.new { }`, `at_exit { }`)."""
    block = _block(arguments)
    made = NULL if block is None else evaluation.call(block, Arguments(arguments.positional))
    return Reference("same", made if isinstance(made, Function | Reference) else unknown_from("a thread", made))


def _ask_type(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    is_null = receiver is NULL or (isinstance(receiver, Constant) and receiver.value is None)
    return TRUE if is_null else Constant(False) if isinstance(receiver, ListValue | MapValue | Function) else Unknown("a test")


def _inspect(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return (
        None
        if receiver is None
        else unknown_from("a text", receiver)
        if truth_of(receiver) is None
        else evaluation.join_values(*words_of(receiver))
    )


def _visit_each(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`User.all.each(&:destroy)`, `client.list_users.each { .. }`. Any other list of unknown items is unknown."""
    if names_every_record(receiver):
        return visit_records(evaluation, receiver, arguments.named.get("block"))
    return visit_listed(evaluation, receiver, arguments)


CALLS: Mapping[str, SpecialCall] = {
    "append to": append_to,
    **dict.fromkeys(("?.each", "?.map", "?.each_with_index"), _visit_each),
    **dict.fromkeys(("?.reject", "?.select", "?.filter", "?.sort_by", "?.to_a"), select_listed),
    **dict.fromkeys(("any.send", "any.public_send", "any.__send__", "send", "public_send", "__send__", "Kernel.send"), _send),
    **dict.fromkeys(("any.method", "any.public_method", "method", "any.instance_method", "Kernel.method"), _method),
    **dict.fromkeys(("any.instance_eval", "any.class_eval", "any.module_eval", "any.instance_exec", "any.class_exec"), _evaluate),
    **dict.fromkeys(("eval", "Kernel.eval", "instance_eval", "class_eval", "binding.eval", "TOPLEVEL_BINDING.eval"), _evaluate),
    "any.eval": _evaluate,
    **dict.fromkeys(("any.const_get", "const_get", "Object.const_get", "Kernel.const_get"), _constant),
    **dict.fromkeys(("any.tap",), _tap),
    **dict.fromkeys(("any.then", "any.yield_self"), _call_block),
    **dict.fromkeys(
        ("any.itself", "any.freeze", "any.dup", "any.clone", "any.bind", "any.unbind", "any.lazy", "any.to_proc"), _same
    ),
    **dict.fromkeys(("any.define_method", "define_method", "any.define_singleton_method"), _define_method),
    **dict.fromkeys(("any.instance_variable_get",), _get_field),
    **dict.fromkeys(("any.instance_variable_set",), _set_field),
    **dict.fromkeys(("any.nil?",), _ask_type),
    **dict.fromkeys(("any.inspect",), _inspect),
    **dict.fromkeys(("lambda", "proc", "Proc.new", "Kernel.lambda", "Kernel.proc", "same"), _same),
    **dict.fromkeys(
        ("Thread.new", "Thread.start", "Thread.fork", "at_exit", "Kernel.at_exit", "Fiber.new", "Ractor.new"), _later
    ),
    **dict.fromkeys(("trap", "Signal.trap", "catch", "Timeout.timeout", "Benchmark.measure", "Benchmark.realtime"), _later),
    "call a function": _call_function,
    "call a method": _call_method,
    "make an instance": make_instance,
    "call super": call_super,
    "collect an item": _collect,
    "a field": _field,
    "a pattern": _pattern,
    "Regexp.new": _pattern,
    **dict.fromkeys(("Struct.new", "Data.define"), _struct),
    "Array.new": _new_array,
    **dict.fromkeys(("Array", "Kernel.Array", "Set.new", "Array.[]"), _as_array),
    **dict.fromkeys(("Hash.new", "OpenStruct.new", "Hash.[]"), _new_map),
    **dict.fromkeys(("String", "Kernel.String", "String.new"), texts.on_argument(texts.as_text)),
    **dict.fromkeys(("format", "sprintf", "Kernel.format", "Kernel.sprintf"), texts.format_text),
    **dict.fromkeys(
        ("Base64.decode64", "Base64.strict_decode64", "Base64.urlsafe_decode64"),
        texts.on_argument(texts.decode_text(texts.from_base64)),
    ),
}
HARMFUL = frozenset(
    (
        *("any.send", "any.public_send", "any.__send__", "send", "public_send", "__send__", "call a function", "call a method"),
        *("eval", "Kernel.eval", "instance_eval", "any.instance_eval", "any.eval", "any.class_eval"),
        *("make an instance", "a field", "same"),
    )
)
