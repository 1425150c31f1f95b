"""Functions that are the commands of a script by their signatures: Typer's, and those that Fire is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NEVER_RETURNS,
    NULL,
    TRUE,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Value,
    text_of,
)
from toolgate.model.word import Word, known_word

from .command_arguments import CommandLine, Definition, find_argv
from .command_functions import COMMAND, PARAMETER, add_command, hand_out_settings, run_command
from .command_parameters import is_truth_value

_APPLICATION, _DECORATOR = "typer.application", "typer.decorator"
_REQUIRED = ("Ellipsis", "...")
_CONTEXTS = ("typer.Context", "click.Context")
_TRUE, _FALSE = ("True", "true"), ("False", "false")


# ---- Typer


def _make_application(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if {"callback", "cls"} & set(arguments.named):
        return None
    return Instance(_APPLICATION, {"function": NULL, "parameters": ListValue("list", ()), "commands": MapValue(())})


def _declare_parameter(kind: str) -> SpecialCall:
    """`typer.Option(False, "--force")`, `typer.Argument(...)`."""

    def declare(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        hand_out_settings(evaluation, arguments)
        names = [each for each in arguments.positional if (text_of(each) or "").startswith("-")]
        default = [each for each in arguments.positional[:1] if each not in names]
        settings = dict(arguments.named)
        if default and not _is_required(default[0]):
            settings["default"] = default[0]
        fields: dict[str, Value] = {"names": ListValue("list", names, arguments.rest), "settings": MapValue(settings.items())}
        return Instance(PARAMETER, {"kind": known_word(kind), **fields})

    return declare


def _is_required(value: Value) -> bool:
    return isinstance(value, Reference) and value.name in _REQUIRED


def _declare_command(kind: str) -> SpecialCall:
    """`@app.command("purge")`, `@app.callback()`."""

    def declare(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        if not isinstance(receiver, Instance):
            return None
        name = arguments.positional[0] if arguments.positional else arguments.named.get("name", NULL)
        return Instance(_DECORATOR, {"kind": known_word(kind), "group": receiver, "name": name})

    return declare


def _decorate(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    group = receiver.fields.get("group") if isinstance(receiver, Instance) else None
    if not isinstance(receiver, Instance) or not isinstance(group, Instance) or len(arguments.positional) != 1:
        return None
    function = arguments.positional[0]
    command = _make_command(evaluation, function)
    if text_of(receiver.fields["kind"]) == "callback":
        for name in ("function", "parameters"):
            evaluation.journal.put_field(group, name, command.fields[name])
    else:
        add_command(evaluation, group, receiver.fields["name"], command)
    return function


def _add_application(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`app.add_typer(users, name="users")`."""
    command = arguments.positional[0] if arguments.positional else NULL
    if not isinstance(command, Instance) or command.type != _APPLICATION or "name" not in arguments.named:
        return None
    add_command(evaluation, receiver or NULL, arguments.named["name"], command)
    return NULL


def _call_application(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`app()`. The only command of an application is called without its name."""
    if not isinstance(receiver, Instance):
        return None
    commands = receiver.fields["commands"]
    entries = commands.known_entries if isinstance(commands, MapValue) and commands.rest is None else []  # on every path
    is_single = len(entries) == 1 and receiver.fields["function"] is NULL
    command = entries[0][1] if is_single else receiver
    given = arguments.positional[0] if arguments.positional else arguments.named.get("args", NULL)
    if isinstance(command, Instance):
        run_command(evaluation, command if command.type == COMMAND else receiver, find_argv(evaluation, given))
    return NEVER_RETURNS if given is NULL and "standalone_mode" not in arguments.named else NULL


def _run_function(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`typer.run(main)`."""
    if len(arguments.positional) != 1:
        return None
    run_command(evaluation, _make_command(evaluation, arguments.positional[0]), find_argv(evaluation, NULL))
    return NULL


def _make_command(evaluation: Evaluation, function: Value) -> Instance:
    found = list(_list_parameters(evaluation, function)) if isinstance(function, Function) else [NULL]
    return Instance(COMMAND, {"function": function, "parameters": ListValue("list", found)})


def _list_parameters(evaluation: Evaluation, function: Function) -> Iterator[Value]:
    """Yields the parameters of a command; `NULL` for one that is not understood."""
    for each in function.parameters:
        kind, *others = [_evaluate(evaluation, part, function) for part in each.annotation] or [NULL]
        default = NULL if each.default is None else _evaluate(evaluation, each.default, function)
        settings = dict.fromkeys(("default",), default) if each.default is not None else {}
        declared = next((each for each in (*others, default) if isinstance(each, Instance) and each.type == PARAMETER), None)
        if isinstance(kind, Reference) and kind.name in _CONTEXTS:
            continue
        if each.kind not in ("positional", "named"):
            yield NULL
            continue
        names: Sequence[Value] = ()
        is_option = each.default is not None or _is_flag(kind)
        if declared is not None:
            own, known = declared.fields["settings"], declared.fields["names"]
            settings = {} if declared is default else settings
            settings |= {str(key): value for key, value in own.known_entries} if isinstance(own, MapValue) else {}
            names = known.items if isinstance(known, ListValue) else ()
            is_option = text_of(declared.fields["kind"]) == "option"
        if kind is not NULL and not _is_flag(kind):
            settings.setdefault("type", kind)
        yield _build_parameter(each.name, list(names), settings, is_flag=_is_flag(kind), is_option=is_option)


def _build_parameter(name: str, names: list[Value], settings: dict[str, Value], *, is_flag: bool, is_option: bool) -> Instance:
    if is_option and not names:
        spelling = f"--{name.replace('_', '-')}"
        is_switch = is_flag or ("type" not in settings and is_truth_value(settings.get("default")))
        names = [known_word(f"{spelling}/--no-{spelling[2:]}" if is_switch else spelling)]
    if is_option and is_flag:
        settings["is_flag"] = TRUE
    names = [known_word(name), *names]
    fields: dict[str, Value] = {"names": ListValue("list", names), "settings": MapValue(settings.items())}
    return Instance(PARAMETER, {"kind": known_word("option" if is_option else "argument"), **fields})


def _is_flag(kind: Value) -> bool:
    return isinstance(kind, Reference) and kind.name == "bool"


def _evaluate(evaluation: Evaluation, node: nodes.Expression, function: Function) -> Value:
    outer, evaluation.frame = evaluation.frame, function.frame
    try:
        return evaluation.evaluate(node)
    finally:
        evaluation.frame = outer


# ---- Fire


def _run_component(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`fire.Fire({"purge": purge})`: the command line names a part of a value, and what a function there is given."""
    component = arguments.positional[0] if arguments.positional else arguments.named.get("component", NULL)
    argv = find_argv(evaluation, NULL)
    if argv is None or len(arguments.positional) + len(arguments.named) != 1:
        return None
    return NULL if _follow_component(evaluation, component, list(argv)) else None


def _follow_component(evaluation: Evaluation, component: Value, argv: list[Word]) -> bool:
    """Returns whether it was understood."""
    if isinstance(component, Function):
        return _call_component(evaluation, component, argv)
    if isinstance(component, ClassValue):
        component = evaluation.call(component, Arguments())
    name = argv[0].text if argv else None
    if name is None or name.startswith("-"):
        return not argv and isinstance(component, MapValue | Instance)
    if isinstance(component, MapValue) and component.rest is None:
        chosen = component.entries.get(name)
        return chosen is None or _follow_component(evaluation, chosen, argv[1:])
    if isinstance(component, Instance) and component.cls is not None:
        return _follow_component(evaluation, evaluation.read_attribute(component, name.replace("-", "_")), argv[1:])
    return False


def _call_component(evaluation: Evaluation, function: Function, argv: list[Word]) -> bool:
    own = [each for each in function.parameters if each.kind in ("positional", "named")]
    own = own[1:] if function.receiver is not None and function.binding == "method" else own
    definitions: list[Definition] = []
    for each in own:
        default = NULL if each.default is None else _evaluate(evaluation, each.default, function)
        action: dict[str, Value] = {"action": known_word("store_true")} if is_truth_value(default) else {}
        definitions.append(Definition((f"--{each.name}", f"--{each.name.replace('_', '-')}"), each.name, action))
    line = CommandLine(evaluation, definitions, has_commands=False)
    line.read(argv)
    if any(word.text is None for word in argv) or len(line.positional) > len(own) or not line.is_known:
        return False
    given = {name: value for name, value in line.list_values().items() if value is not NULL and value is not FALSE}
    free = [each.name for each in own if each.name not in given]
    given |= dict(zip(free, line.positional, strict=False))
    evaluation.call(function, Arguments(named={name: _convert(value) for name, value in given.items()}))
    return True


def _convert(value: Value) -> Value:
    """Returns a literal as Fire reads it."""
    text = text_of(value)
    if text in (*_TRUE, *_FALSE):
        return TRUE if text in _TRUE else FALSE
    return Constant(int(text)) if isinstance(value, Word) and text is not None and text.isdecimal() and len(text) < 19 else value


TYPED_COMMAND_CALLS: Mapping[str, SpecialCall] = {
    "typer.Typer": _make_application,
    "typer.Option": _declare_parameter("option"),
    "typer.Argument": _declare_parameter("argument"),
    f"{_APPLICATION}.command": _declare_command("command"),
    f"{_APPLICATION}.callback": _declare_command("callback"),
    f"{_APPLICATION}.add_typer": _add_application,
    _APPLICATION: _call_application,
    "typer.run": _run_function,
    _DECORATOR: _decorate,
    **dict.fromkeys(("fire.Fire", "fire.core.Fire"), _run_component),
}
