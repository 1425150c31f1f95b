"""Code and modules that are created or loaded at run time."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.file_changes import is_written
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.plain_values import value_of_plain
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    ObjectValue,
    Reference,
    Unknown,
    Value,
    holds_kind,
    list_alternatives,
    truth_of,
    unknown_from,
    words_of,
)
from toolgate.model.effect import Carrier
from toolgate.model.word import HoleKind, Word, known_word

_MAX_NESTED_CODE = 4
_MAX_JSON = 64_000


def _first_argument(arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else arguments.rest


# ---- code as text


def evaluate_code(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`eval`, `vm.runInThisContext`: a value other than text is returned unchanged."""
    found: list[Value] = []
    value = _first_argument(arguments)
    for each in list_alternatives(value) if value is not None else ():
        if isinstance(each, Instance) and "code" in each.fields:
            found.append(evaluate_code(evaluation, None, Arguments((each.fields["code"],))) or NULL)
        elif isinstance(each, Constant | MapValue | ListValue | Function):
            found.append(each)
        else:
            found += [evaluate_text(evaluation, word) for word in words_of(each)]
    return evaluation.join_values(*found) if found else NULL


def evaluate_text(evaluation: Evaluation, code: Word) -> Value:
    """Reads known code now; code that commands printed is recorded, to be read next."""
    report = evaluation.report
    if code.text is None or code.src:
        evaluation.outside_calls.by_name |= code.text is None
        if not (report.is_trusted and code.text is None) or holds_kind(code, HoleKind.RESPONSE, 1):
            report.interpret(code, via=Carrier("JavaScript's eval"))
        return unknown_from("the result of code", code)
    report.nested += 1
    try:
        if report.nested > _MAX_NESTED_CODE:
            report.interpret(code, via=Carrier("JavaScript's eval"))
            return Unknown("the result of code")
        block = _lower_code(evaluation, code.text)
        if block is None:
            return Unknown("the result of code")
        if block and isinstance(last := block[-1], nodes.ExpressionStatement):
            evaluation.run_block(block[:-1])
            return evaluation.evaluate(last.value)
        evaluation.run_block(block)
    finally:
        report.nested -= 1
    return NULL


def _lower_code(evaluation: Evaluation, text: str) -> nodes.Block | None:
    from .source import SourceError, lower_text

    try:
        return lower_text(text, evaluation)
    except SourceError as problem:
        evaluation.report.opaque(f"code that is run here was not read: {problem}")
        return None


def make_function(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`new Function(parameter, .., body)`."""
    if not arguments.positional:
        return None
    *parameters, body = [words_of(each) for each in arguments.positional]
    found: list[Value] = []
    for code in body:
        names = ",".join(each[0].text or "" for each in parameters)
        if code.text is None or code.src:
            found.append(evaluate_text(evaluation, code))
            continue
        block = _lower_code(evaluation, f"(function anonymous({names}\n) {{\n{code.text}\n}})")
        if block and isinstance(block[0], nodes.ExpressionStatement):
            found.append(evaluation.evaluate(block[0].value))
    return evaluation.join_values(*found) if found else None


def find_prototype(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`Object.getPrototypeOf(function)`: stands for the function, as it has the same constructor."""
    value = _first_argument(arguments)
    return value if isinstance(value, Function) else None


def compile_code(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`new vm.Script(code)`: runs when called."""
    code = _first_argument(arguments)
    return None if code is None else Instance("vm.Script", {"code": code})


def run_compiled(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    code = receiver.fields.get("code") if isinstance(receiver, Instance) else None
    return None if code is None else evaluate_code(evaluation, None, Arguments((code,)))


def start_worker(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`new Worker(file)`, or of code, according to its options."""
    code = _first_argument(arguments)
    options = arguments.positional[1] if len(arguments.positional) > 1 else None
    is_code = options.entries.get("eval", NULL) if isinstance(options, MapValue) else NULL
    for word in words_of(code) if code is not None else ():
        if truth_of(is_code) is not False:
            evaluate_text(evaluation, word)
        elif word.starts_with("data:") is True:
            evaluate_text(evaluation, word.partition(",")[2])
        else:
            evaluation.report.interpret_file(word)
    return Instance("worker")


# ---- modules


def require_module(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`require(name)`, `import(name)`."""
    name = _first_argument(arguments)
    if isinstance(name, ListValue):  # of a module loader: names, and a function that takes them
        return evaluation.call_unknown("a module loader", arguments)
    found = [_load_module(evaluation, each) for each in words_of(name)] if name is not None else []
    return evaluation.join_values(*found) if found else None


def _load_module(evaluation: Evaluation, name: Word) -> Value:
    report = evaluation.report
    if name.starts_with("data:") is True:
        return evaluate_text(evaluation, name.partition(",")[2])
    if name.starts_with("http") is True and name.contains("://") is True:
        report.connect(name)
        report.interpret(report.unknown_output("a module"), via=Carrier("import"))
        return Unknown("a module")
    if name.tail.endswith(".json"):
        report.read(name)
    if name.text is None:
        if is_written(report, name):
            report.interpret_file(name)
        elif not name.head and not report.is_trusted:
            report.opaque("which module this JavaScript loads is computed")
        return unknown_from("a module", name)
    loaded = evaluation.load_module(name.text)
    return evaluation.library.module_reference(name.text) if loaded is None else loaded


def resolve_module(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`require.resolve(name)`: loads what the name does."""
    return _first_argument(arguments)


def dynamic_import(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`import(name)`: returns the module's exports; an exported value is the default."""
    made = require_module(evaluation, receiver, arguments)
    return None if made is None else evaluation.map_alternatives(made, namespace_of)


def namespace_of(module: Value) -> Value:
    if isinstance(module, MapValue) and "default" not in module.entries:
        made = ObjectValue(module.entries.items())
        made.entries["default"] = module
        return made
    return ObjectValue((("default", module),)) if isinstance(module, Function) else module


def make_require(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    """`module.createRequire(..)`."""
    return Reference("require")


# ---- JSON


def parse_json(text: str, src: frozenset[int]) -> Value | None:
    """Parses JSON; None if it is invalid or too long."""
    if len(text) > _MAX_JSON:
        return None
    try:
        return value_of_plain(json.loads(text), src, _make_array, ObjectValue)
    except (ValueError, RecursionError):
        return None


def _make_array(_kind: str, items: list[Value], rest: Value | None) -> ListValue:
    return ListValue("array", items, rest)


def read_function_source(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """`function.toString()`: its source text."""
    sources: Mapping[int, str] = getattr(evaluation, "sources", {})
    text = sources.get(id(receiver.body)) if isinstance(receiver, Function) else None
    return known_word(text) if text is not None else unknown_from("a function's text", receiver)


def is_path(name: str) -> bool:
    """Returns whether this is a file beside the code, rather than a package."""
    return re.match(r"\.{1,2}(?:/|$)|/|file:", name) is not None


CODE_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("eval", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext"), evaluate_code),
    "repl.start.eval": evaluate_code,
    **dict.fromkeys(("Object.getPrototypeOf", "Reflect.getPrototypeOf"), find_prototype),
    **dict.fromkeys(("Function", "AsyncFunction", "vm.compileFunction"), make_function),
    **dict.fromkeys(("vm.Script", "vm.SourceTextModule"), compile_code),
    **dict.fromkeys(
        ("vm.Script.runInThisContext", "vm.Script.runInNewContext", "vm.Script.runInContext", "vm.Script.evaluate"), run_compiled
    ),
    "worker_threads.Worker": start_worker,
    "Worker": start_worker,
    "require": require_module,
    "require.resolve": resolve_module,
    "import": dynamic_import,
    **dict.fromkeys(("module.createRequire", "Module.createRequire"), make_require),
    "function.toString": read_function_source,
}
HARMFUL_CALLS = frozenset(
    ("eval", "Function", "require", "import", "vm.runInThisContext", "vm.runInNewContext", "a bound function")
)
