"""Functions that are the commands of a script, as click's decorators declare them.

A command is called with what the script's command line says. Where that is not known, or not understood, every command may be
called with anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NEVER_RETURNS,
    NULL,
    TRUE,
    Function,
    Instance,
    ListValue,
    MapValue,
    Unknown,
    Value,
    list_alternatives,
    text_of,
)
from toolgate.model.word import Word, known_word, unknown_word

from .command_arguments import CommandLine, Definition, find_argv
from .command_parameters import PATH_TYPE, Parameter, define_parameter, read_names

COMMAND = "click.Command"
PARAMETER = "click.Parameter"
_PREPARED, _DECORATOR = "click.prepared function", "click.decorator"
_FLASK_DECORATOR = "flask.decorator"
_SUFFIXES = ("-command", "-cmd", "-group", "-grp")
"""Ends of a function's name that newer versions of click leave out of its command's."""
_MAX_DEPTH = 6
"""Maximum depth of groups in groups."""


# ---- declarations


def _declare(kind: str) -> SpecialCall:
    """Returns the call that makes a decorator: `@click.option("--force")`, `@group.command("purge")`, `@click.command`."""

    def declare(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        hand_out_settings(evaluation, arguments)
        group = receiver if isinstance(receiver, Instance) and receiver.type == COMMAND else NULL
        decorator = Instance(
            _DECORATOR,
            {
                "kind": known_word(kind),
                "group": group,
                "names": ListValue("list", arguments.positional, arguments.rest),
                "settings": MapValue(arguments.named.items()),
            },
        )
        given = arguments.positional[0] if arguments.positional else NULL
        if any(isinstance(each, Function | Instance) for each in list_alternatives(given)):  # without parentheses
            decorator.fields["names"] = ListValue("list", ())
            return _decorate(evaluation, decorator, Arguments((given,)))
        return decorator

    return declare


def hand_out_settings(evaluation: Evaluation, arguments: Arguments) -> None:
    """Calls the functions in a parameter's settings, such as `callback`, with anything."""
    functions = tuple(each for each in arguments.named.values() if isinstance(each, Function))
    if functions:
        evaluation.call_unknown("a setting of a command", Arguments(functions))


def _decorate(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    if not isinstance(receiver, Instance) or len(arguments.positional) != 1:
        return None
    target = arguments.positional[0]
    if text_of(receiver.fields["kind"]) == "other":
        return target
    made = _prepare(target)
    kind, names, settings = text_of(receiver.fields["kind"]), receiver.fields["names"], receiver.fields["settings"]
    if kind in ("option", "argument"):
        parameter = Instance(PARAMETER, {"kind": receiver.fields["kind"], "names": names, "settings": settings})
        known = made.fields["parameters"]
        others = known.items if isinstance(known, ListValue) else ()
        evaluation.journal.put_field(made, "parameters", ListValue("list", (parameter, *others)))
        return made
    if kind == "context":
        evaluation.journal.put_field(made, "context", TRUE)
        return made
    command = Instance(COMMAND, dict(made.fields))
    if kind == "group":
        command.fields["commands"] = MapValue(())
    given = names.items[:1] if isinstance(names, ListValue) else ()
    name = given[0] if given else settings.entries.get("name", NULL) if isinstance(settings, MapValue) else NULL
    add_command(evaluation, receiver.fields["group"], name, command)
    return command


def _declare_flask_command(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`@app.cli.command("purge")`: the first argument of Flask's program chooses the command."""
    names = arguments.positional or tuple(filter(None, (arguments.named.get("name"),)))
    return Instance(_FLASK_DECORATOR, {"names": ListValue("list", names)})


def _decorate_for_flask(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    argv = find_argv(evaluation, NULL)
    if not isinstance(receiver, Instance) or len(arguments.positional) != 1 or not argv:
        return None
    target, names = arguments.positional[0], receiver.fields["names"]
    prepared = _prepare(target)
    given = [text_of(each) for each in names.items] if isinstance(names, ListValue) else []
    if argv[0].text is None or None in given or argv[0].text in (given or list(_list_names(prepared.fields["function"]))):
        run_command(evaluation, Instance(COMMAND, dict(prepared.fields)), argv[1:])
    return target


def _prepare(target: Value) -> Instance:
    if isinstance(target, Instance) and target.type in (_PREPARED, COMMAND):
        return target
    return Instance(_PREPARED, {"function": target, "parameters": ListValue("list", ())})


def add_command(evaluation: Evaluation, group: Value, name: Value, command: Instance) -> None:
    """Adds a command to a group, by the name it was given or its function's."""
    if not isinstance(group, Instance):
        return
    texts = [text_of(name)] if name is not NULL else list(_list_names(command.fields.get("function", NULL)))
    known = _merge_commands(evaluation, group.fields.get("commands", MapValue(())))
    entries, rest = list(known.known_entries), known.rest
    if not texts or None in texts:
        rest = evaluation.join_values(*(() if rest is None else (rest,)), command)
    entries += [(str(text), command) for text in texts if text is not None]
    evaluation.journal.put_field(group, "commands", MapValue(entries, rest))


def _merge_commands(evaluation: Evaluation, commands: Value) -> MapValue:
    """Returns the commands that a group may have, where that depends on the path through the code."""
    found: dict[object, Value] = {}
    rest: list[Value] = []
    for each in list_alternatives(commands):
        if not isinstance(each, MapValue):
            rest.append(each)
            continue
        rest += [] if each.rest is None else [each.rest]
        for name, command in each.known_entries:
            rest += [command] if name in found and found[name] is not command else []
            found.setdefault(name, command)
    return MapValue(found.items(), evaluation.join_values(*rest) if rest else None)


def _list_names(function: Value) -> Iterable[str]:
    for each in list_alternatives(function):
        if isinstance(each, Function):
            name = each.name.lower().replace("_", "-")
            yield name
            yield from (name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix))


def _add_made_command(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`group.add_command(purge, "purge")`."""
    command, name = (*arguments.positional, NULL, NULL)[:2]
    if not isinstance(command, Instance) or command.type != COMMAND:
        return None
    add_command(evaluation, receiver or NULL, arguments.named.get("name", name), command)
    return NULL


def _call_prepared(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """A function whose options are declared, and that no decorator has made a command."""
    return evaluation.call(receiver.fields["function"], arguments) if isinstance(receiver, Instance) else None


def _make_path_type(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    kind = arguments.named.get("path_type")
    return Instance(PATH_TYPE, {} if kind is None else {"path_type": kind})


# ---- calls


def _call_command(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`main()`, `main(["--force"])`, `main(args=[...])`."""
    if not isinstance(receiver, Instance):
        return None
    given = arguments.positional[0] if arguments.positional else arguments.named.get("args", NULL)
    run_command(evaluation, receiver, find_argv(evaluation, given))
    return NEVER_RETURNS if given is NULL and "standalone_mode" not in arguments.named else NULL


def run_command(evaluation: Evaluation, command: Instance, argv: Sequence[Word] | None, depth: int = 0) -> None:
    """Calls the function of a command with what its part of the command line says, and the command of a group that it names."""
    definitions = _list_definitions(evaluation, command)
    if argv is None or definitions is None or depth > _MAX_DEPTH:
        _run_possibly(evaluation, command, depth)
        return
    commands = command.fields.get("commands")
    line = CommandLine(evaluation, definitions, has_commands=commands is not None)
    left: Sequence[Word] = ()
    if commands is None:
        line.read(argv)
    else:
        left = line.read_options(argv)
    if line.asks_help:
        return
    _call_function(evaluation, command, line)
    if commands is not None and left:
        _run_chosen(evaluation, _merge_commands(evaluation, commands), left, depth)


def _run_chosen(evaluation: Evaluation, commands: MapValue, words: Sequence[Word], depth: int) -> None:
    chosen = commands.entries.get(words[0].text or "")
    if isinstance(chosen, Instance):
        run_command(evaluation, chosen, words[1:], depth + 1)
    elif words[0].text is None or commands.rest is not None:
        for each in (*commands.entries.values(), *(() if commands.rest is None else list_alternatives(commands.rest))):
            _run_possibly(evaluation, each, depth + 1)


def _run_possibly(evaluation: Evaluation, command: Value, depth: int) -> None:
    """Calls a command and those of a group, with defaults that a command line may have replaced."""
    definitions = _list_definitions(evaluation, command) if isinstance(command, Instance) else None
    if not isinstance(command, Instance) or definitions is None or depth > _MAX_DEPTH:
        evaluation.call_unknown("a command", Arguments((command,)))
        return
    line = CommandLine(evaluation, definitions, has_commands=True)
    line.read([unknown_word("an argument")])
    evaluation.run_possibly(lambda: _call_function(evaluation, command, line))
    if (commands := command.fields.get("commands")) is not None:
        for each in _merge_commands(evaluation, commands).entries.values():
            for one in list_alternatives(each):
                _run_possibly(evaluation, one, depth + 1)


def _call_function(evaluation: Evaluation, command: Instance, line: CommandLine) -> None:
    context = (Unknown("a context"),) if "context" in command.fields else ()
    if (function := command.fields["function"]) is not NULL:
        evaluation.call(function, Arguments(context, line.list_values()))


def _list_definitions(evaluation: Evaluation, command: Instance) -> list[Definition] | None:
    """Returns the definitions of a command's parameters; None if some are not known."""
    known = command.fields.get("parameters")
    found: list[Definition] = []
    for each in known.items if isinstance(known, ListValue) and known.rest is None else (NULL,):
        parameter = _read_parameter(each)
        if parameter is None:
            return None
        found += define_parameter(evaluation, parameter)
    return found


def _read_parameter(value: Value) -> Parameter | None:
    if not isinstance(value, Instance):
        return None
    names, settings = value.fields["names"], value.fields["settings"]
    texts = read_names(names.items) if isinstance(names, ListValue) and names.rest is None else None
    if texts is None or not isinstance(settings, MapValue):
        return None
    return Parameter(text_of(value.fields["kind"]) == "option", texts, {str(key): each for key, each in settings.known_entries})


COMMAND_FUNCTION_CALLS: Mapping[str, SpecialCall] = {
    **{f"click.{kind}": _declare(kind) for kind in ("command", "group", "option", "argument")},
    **{f"{COMMAND}.{kind}": _declare(kind) for kind in ("command", "group")},
    **{f"click.{name}": _declare("other") for name in ("version_option", "help_option")},
    **dict.fromkeys(("click.pass_context", "click.pass_obj"), _declare("context")),
    f"{COMMAND}.add_command": _add_made_command,
    **dict.fromkeys((COMMAND, f"{COMMAND}.main"), _call_command),
    _DECORATOR: _decorate,
    "?.cli.command": _declare_flask_command,
    _FLASK_DECORATOR: _decorate_for_flask,
    **dict.fromkeys((_PREPARED, f"{COMMAND}.callback"), _call_prepared),
    PATH_TYPE: _make_path_type,
}
