"""Computed names, and modules and code created at run time."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_results import COMPUTED_CALLS, computed_part
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NEVER_RETURNS,
    NULL,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    text_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.effect import Carrier
from toolgate.model.word import Word, known_word

from .command_arguments import NAMESPACE

_MAX_NESTED_CODE = 4


def get_attribute(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`getattr`. A part of a library must be known."""
    if len(arguments.positional) < 2:
        return None
    owner = arguments.positional[0]
    found: list[Value] = []
    for each in words_of(arguments.positional[1]):
        if each.text is None:
            found.append(computed_part(owner))
            continue
        value = owner
        for name in each.text.split("."):
            value = evaluation.read_attribute(value, name)
        found.append(value)
    return evaluation.join_values(*found)


def _set_attribute(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    from toolgate.languages.evaluation.assignment_targets import AssignmentTargets

    assert isinstance(evaluation, AssignmentTargets)
    if len(arguments.positional) == 3 and (name := text_of(arguments.positional[1])):
        owners = list_alternatives(arguments.positional[0])
        for owner in owners:
            evaluation.store_attribute(owner, name, arguments.positional[2], is_only=len(owners) == 1)
    return NULL


def _import_module(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`importlib.import_module`."""
    name = arguments.positional[0] if arguments.positional else arguments.named.get("name", arguments.rest)
    found: list[Value] = []
    for each in words_of(name) if name is not None else ():
        if each.text is None:
            evaluation.report.opaque("which module this loads is computed")
            found.append(Unknown("a module"))
        else:
            loaded = evaluation.load_module(each.text)
            found.append(evaluation.library.module_reference(each.text) if loaded is None else loaded)
    return evaluation.join_values(*found)


def _import_root(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`__import__`: returns the first part of the name, unless `fromlist` is given."""
    name = arguments.positional[0] if arguments.positional else arguments.named.get("name", arguments.rest)
    text = text_of(name)
    takes = "fromlist" in arguments.named or len(arguments.positional) > 3
    if text is not None and not takes:
        return _import_module(evaluation, None, Arguments((known_word(text.partition(".")[0]),)))
    return None if name is None else _import_module(evaluation, None, Arguments((name,)))


def _extend_search_path(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`sys.path.insert(0, folder)`, `site.addsitedir(folder)`: modules are found there, too."""
    for value in arguments.positional[-1:]:
        items, rest = evaluation.items_of(value) if isinstance(value, ListValue) else ([value], None)
        for each in (*items, *(() if rest is None else (rest,))):
            evaluation.search_path += [word for word in words_of(each) if word.parts and word not in evaluation.search_path]
    return NULL


# ---- code


def _evaluate_code(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`exec`, `eval`: known text that no command printed runs in the current frame."""
    code = arguments.positional[0] if arguments.positional else arguments.named.get("source", arguments.rest)
    if code is None:
        return None
    if isinstance(code, Instance) and "code" in code.fields:
        code = code.fields["code"]
    found: list[Value] = []
    for value in list_alternatives(code):
        each = value.fields["code"] if isinstance(value, Instance) and "code" in value.fields else value
        if isinstance(each, Word) and each.text is not None and not each.src:
            found.append(run_text(evaluation, each.text))
        elif (
            isinstance(each, Word)
            and (file := evaluation.report.contents.get(each)) is not None
            and word_of(file).text is not None
        ):
            evaluation.report.interpret_file(file)
        elif isinstance(each, Function):
            found.append(evaluation.call(each, Arguments()))
        else:
            evaluation.report.interpret(each, via=Carrier("python", "exec"))
            found.append(unknown_from("the result of code", each))
    return evaluation.join_values(*found) if found else NULL


def run_text(evaluation: Evaluation, text: str) -> Value:
    from .source import SourceError, lower_text

    report = evaluation.report
    report.nested += 1
    try:
        if report.nested > _MAX_NESTED_CODE:
            report.interpret(known_word(text), via=Carrier("python", "exec"))
            return Unknown("the result of code")
        lowered = lower_text(text.strip(), report)
        if len(lowered) == 1 and isinstance(lowered[0], nodes.ExpressionStatement):
            return evaluation.evaluate(lowered[0].value)
        evaluation.run_block(lowered)
    except SourceError as problem:
        report.opaque(f"code that is run here was not read: {problem}")
    finally:
        report.nested -= 1
    return NULL


def _compile_code(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    code = arguments.positional[0] if arguments.positional else arguments.named.get("source")
    return None if code is None else Instance("code object", {"code": code})


def _exit_program(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return NEVER_RETURNS


# ---- names as values


def _read_globals(evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    frame = evaluation.frame
    while frame.parent is not None:
        frame = frame.parent
    made = MapValue()
    made.entries = type(made.entries)(frame.variables)
    made.entries["__builtins__"] = Reference("builtins")
    return made


def _read_locals(evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return MapValue(evaluation.frame.variables.items())


def _read_vars(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns a module's or an object's names: equivalent to the object itself."""
    if not arguments.positional:
        return _read_locals(evaluation, receiver, arguments)
    value = arguments.positional[0]
    is_own = isinstance(value, Instance) and (value.cls is not None or value.type == NAMESPACE)
    return MapValue(value.fields.items()) if is_own and isinstance(value, Instance) else value


def _list_fields(_evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`settings.model_dump()`, `dataclasses.asdict(x)`: the fields of an object; None for another receiver."""
    owner = receiver if receiver is not None else next(iter(arguments.positional), None)
    return MapValue(owner.fields.items()) if isinstance(owner, Instance) and owner.cls is not None else None


NAME_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("getattr", "inspect.getattr_static"), get_attribute),
    **dict.fromkeys(("setattr", "monkeypatch.setattr"), _set_attribute),
    **COMPUTED_CALLS,
    "importlib.import_module": _import_module,
    "importlib.__import__": _import_module,
    "__import__": _import_root,
    **dict.fromkeys(("sys.path.insert", "sys.path.append", "sys.path.extend", "site.addsitedir"), _extend_search_path),
    **dict.fromkeys(("exec", "eval"), _evaluate_code),
    "compile": _compile_code,
    **dict.fromkeys(("sys.exit", "exit", "quit", "os._exit", "os.abort"), _exit_program),
    "globals": _read_globals,
    "locals": _read_locals,
    "vars": _read_vars,
    **dict.fromkeys(
        ("?.model_dump", "?.model_dump_json", "?.dict", "dataclasses.asdict", "attr.asdict", "attrs.asdict"), _list_fields
    ),
}
