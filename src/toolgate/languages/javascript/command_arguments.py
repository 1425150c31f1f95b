"""Options of a script's command line, as the parsers that JavaScript uses give them: `parseArgs`, minimist, commander, yargs.

What was given is known. An option that was not given has its default, where the script's definitions tell it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    TRUE,
    Function,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    join_all,
    list_alternatives,
    text_of,
)
from toolgate.model.word import known_word

from .text import as_word

_LONG = re.compile(r"--(?P<no>no-)?(?P<name>[A-Za-z][\w-]*)(?:=(?P<value>.*))?", re.DOTALL)
_SHORT = re.compile(r"-(?P<name>[A-Za-z])")
_WORD_START = re.compile(r"-(\w)")
_NODE_ARGUMENTS = 2
"""The program and the script, which come before a script's own arguments."""
_DEFINED = "options that the script defines"
_FLAGS = re.compile(r"(?:-\w,?[ |]+)?--(?P<no>no-)?(?P<name>[\w-]+)(?P<value>[ =]?[<\[].*)?$")
"""Matches an option of commander: `-n, --dry-run`, `--root <path>`, `--no-color`."""
_BUILDING_METHODS = (
    *("usage", "help", "strict", "version", "wrap", "epilog", "epilogue", "scriptName", "demandOption", "demandCommand"),
    *(
        "boolean",
        "number",
        "string",
        "array",
        "count",
        "example",
        "positional",
        "parserConfiguration",
        "showHelpOnFail",
    ),
    *("exitProcess", "locale", "hide", "group", "describe", "choices", "check", "conflicts", "implies"),
)
"""Methods of yargs that return the parser."""
_UNTOLD = Unknown("an option of the command line")


# ---- what is given


class Definitions(NamedTuple):
    """What a script says of its options. `shorts`: names by their letters; `defaults`: None if some are not known; `valued`:
    options that take the word behind them; `flags`: those that take none."""

    shorts: dict[str, str]
    defaults: dict[str, Value] | None
    valued: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()


class CommandLine(NamedTuple):
    """What a command line gives. `is_understood`: every argument is known, and what it belongs to; `verb`: the first argument
    that is no option, if nothing before it is in doubt."""

    options: list[tuple[str, Value]]
    positional: list[Value]
    is_understood: bool
    verb: str | None


def _read_line(arguments: Value, definitions: Definitions) -> CommandLine:
    waiting = list(arguments.items) if isinstance(arguments, ListValue) else []
    is_understood = isinstance(arguments, ListValue) and arguments.rest is None
    options: list[tuple[str, Value]] = []
    positional: list[Value] = []
    verb: str | None = None
    while waiting:
        item = waiting.pop(0)
        text = text_of(item)
        found = _LONG.fullmatch(text or "") or _SHORT.fullmatch(text or "")
        if text == "--":
            return CommandLine(options, [*positional, *waiting], is_understood, verb)
        if found is None:
            is_understood &= text is not None and (not text.startswith("-") or text == "-")
            verb = text if is_understood and not positional else verb
            positional.append(item)
            continue
        name = definitions.shorts.get(found["name"], found["name"])
        value = found.groupdict().get("value")
        follows = bool(waiting) and not (text_of(waiting[0]) or "").startswith("-")
        if value is not None:
            options.append((name, as_word(known_word(value))))
        elif name in definitions.valued and waiting:
            options.append((name, waiting.pop(0)))
        elif name in definitions.flags or not follows:
            options.append((name, FALSE if found.groupdict().get("no") else TRUE))
        else:  # the word may be its value
            is_understood = False
            options.append((name, _UNTOLD))
    return CommandLine(options, positional, is_understood, verb)


def _options_of(arguments: Value, definitions: Definitions) -> MapValue:
    """Returns the options as an object. An option's name is spelled with hyphens, or in camel case."""
    line, defaults = _read_line(arguments, definitions), definitions.defaults
    items = arguments.items if isinstance(arguments, ListValue) and arguments.rest is None else (_UNTOLD,)
    is_complete = defaults is not None and (line.is_understood or all(map(_is_option_or_word, items)))
    found = {
        spelling: value if is_complete else join_all((value, _UNTOLD)) or _UNTOLD
        for name, value in (defaults or {}).items()
        for spelling in _spell(name)
    }
    for name, value in line.options:
        for spelling in _spell(name):
            found[spelling] = value
    if is_complete and line.is_understood:
        found["_"] = ListValue("array", line.positional)
    return MapValue(found.items(), None if is_complete else _UNTOLD)


def _is_option_or_word(argument: Value) -> bool:
    """Returns whether an argument is a known word, or an option that is not a cluster of letters."""
    text = text_of(argument)
    if text is None or not text.startswith("-") or text in ("-", "--"):
        return text is not None
    return bool(_LONG.fullmatch(text) or _SHORT.fullmatch(text))


def _spell(name: str) -> tuple[str, str]:
    return name, _WORD_START.sub(lambda match: match[1].upper(), name)


def _own_arguments(evaluation: Evaluation) -> Value:
    argv = evaluation.report.script_arguments()
    return ListValue("array", argv.items[_NODE_ARGUMENTS:], argv.rest) if isinstance(argv, ListValue) else argv


# ---- parsers that are given their definitions


def _parse_by_node(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`parseArgs({options: {"dry-run": {type: "boolean", short: "n"}}})` of `node:util`."""
    config = arguments.positional[0] if arguments.positional else MapValue(())
    if not isinstance(config, MapValue):
        return None
    defined = config.entries.get("options")
    definitions = _read_definitions(defined if isinstance(defined, MapValue) else MapValue(()))
    given = config.entries.get("args") or _own_arguments(evaluation)
    line = _read_line(given, definitions)
    positional = ListValue("array", line.positional) if line.is_understood else Unknown("arguments of the command line")
    return MapValue((("values", _options_of(given, definitions)), ("positionals", positional)))


def _read_definitions(defined: MapValue) -> Definitions:
    """Returns the definitions of options in an object."""
    shorts: dict[str, str] = {}
    defaults: dict[str, Value] = {}
    kinds: dict[str, str] = {}
    is_known = defined.rest is None
    for name, each in defined.known_entries:
        if not isinstance(each, MapValue) or each.rest is not None or {"coerce", "env"} & set(each.entries):
            is_known = False
            continue
        for key in ("short", "alias"):
            if text := text_of(each.entries.get(key, NULL)):
                shorts[text] = str(name)
        defaults[str(name)] = each.entries.get("default", NULL)
        kinds[str(name)] = text_of(each.entries.get("type", NULL)) or ""
    valued = frozenset(name for name, kind in kinds.items() if kind in ("string", "number"))
    flags = frozenset(name for name, kind in kinds.items() if kind == "boolean")
    return Definitions(shorts, defaults if is_known else None, valued, flags)


def _parse_given(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`minimist(process.argv.slice(2), {default: {days: 30}, boolean: ["force"]})`."""
    if not arguments.positional:
        return None
    settings = arguments.positional[1] if len(arguments.positional) > 1 else MapValue(())
    if not isinstance(settings, MapValue) or settings.rest is not None or "alias" in settings.entries:
        return _options_of(arguments.positional[0], Definitions({}, None))
    flags, texts = (frozenset(_list_texts(settings.entries.get(key, NULL))) for key in ("boolean", "string"))
    own = settings.entries.get("default")
    given = {str(key): value for key, value in own.known_entries} if isinstance(own, MapValue) else {}
    defaults: dict[str, Value] = {**dict.fromkeys(flags, FALSE), **given}
    return _options_of(arguments.positional[0], Definitions({}, defaults, texts, flags))


def _list_texts(value: Value) -> Iterable[str]:
    items = value.items if isinstance(value, ListValue) else (value,)
    return [text for each in items if (text := text_of(each)) is not None]


# ---- parsers whose options are defined one by one


def _define_option(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`program.option("-n, --dry-run", "..")` of commander, `yargs.option("force", {default: false})`."""
    name, *others = arguments.positional or (NULL,)
    text = text_of(name)
    flags = _FLAGS.match(text) if text is not None else None
    if flags is not None:
        default = TRUE if flags["no"] else next(iter(others[1:]), NULL)
        own = frozenset((flags["name"],))
        defaults = {flags["name"]: default if len(others) < 3 else _UNTOLD}
        kinds = (own, frozenset[str]()) if flags["value"] else (frozenset[str](), own)
        _record(evaluation, Definitions(_read_short(text), defaults, *kinds))
    elif _is_of_yargs(receiver):
        defined = name if isinstance(name, MapValue) else MapValue(((text, others[0]),)) if text and others else None
        _record(evaluation, _NOT_FOLLOWED if defined is None else _read_definitions(defined))
    else:
        return None
    evaluation.call_unknown("an option", arguments)  # its functions convert values
    return receiver


def _define_command(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`yargs.command("push <dir>", "..", builder, handler)`: only the command that the first argument names is run."""
    name, *others = arguments.positional or (NULL,)
    given = _own_arguments(evaluation)
    words = (text_of(name) or "").split()
    if not _is_of_yargs(receiver) or not words or len(others) < 2:
        return None
    line = _read_line(given, _list_defined(evaluation))
    if line.verb is None and not line.is_understood:
        evaluation.call_unknown("a command", arguments)
        return receiver
    if words[0] not in (line.verb, "$0", "*"):
        return receiver
    builder, handler = (others[1], others[2]) if len(others) > 2 else (NULL, others[1])
    if isinstance(builder, Function):
        evaluation.call(builder, Arguments((receiver or NULL,)))
    elif isinstance(builder, MapValue):
        _record(evaluation, _read_definitions(builder))
    options = _read_options(evaluation, receiver, Arguments())
    entries = options.known_entries if isinstance(options, MapValue) else ()
    evaluation.call(handler, Arguments((MapValue(entries, _UNTOLD),)))
    return receiver


def _define_otherwise(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """`program.addOption(..)`, `yargs.default("days", 30)`: definitions that are not followed."""
    if _is_of_yargs(receiver) or (evaluation.patched.get(_DEFINED) is not None):
        _record(evaluation, _NOT_FOLLOWED)
    return None


def _keep_builder(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`yargs(..).usage("..").strict()`: the same parser."""
    if not _is_of_yargs(receiver):
        return None
    evaluation.call_unknown("a setting of yargs", arguments)
    return receiver


def _read_short(flags: str | None) -> dict[str, str]:
    found = re.match(r"-(\w),?[ |]+--([\w-]+)", flags or "")
    return {found[1]: found[2]} if found is not None else {}


_NOT_FOLLOWED = Definitions({}, None)


def _record(evaluation: Evaluation, added: Definitions) -> None:
    """Adds definitions to those of the script."""
    known = _list_defined(evaluation)
    is_known = known.defaults is not None and added.defaults is not None
    shorts = {**known.shorts, **added.shorts}
    marks: dict[object, Value] = {f"-{short}": as_word(known_word(name)) for short, name in shorts.items()}
    marks |= dict.fromkeys((f"<{name}>" for name in known.valued | added.valued), TRUE)
    marks |= dict.fromkeys((f"[{name}]" for name in known.flags | added.flags), TRUE)
    entries = {**(known.defaults or {}), **(added.defaults or {})}
    made = MapValue((*entries.items(), *marks.items()), None if is_known else _UNTOLD)
    evaluation.journal.set_cell(evaluation.patched, _DEFINED, made)


def _list_defined(evaluation: Evaluation) -> Definitions:
    """Returns the definitions that the script has made so far."""
    known = evaluation.patched.get(_DEFINED)
    if not isinstance(known, MapValue):
        return Definitions({}, {})
    entries = {str(key): value for key, value in known.known_entries}
    defaults = {key: value for key, value in entries.items() if key[:1] not in "-<["}
    return Definitions(
        {key[1:]: text_of(value) or "" for key, value in entries.items() if key.startswith("-")},
        defaults if known.rest is None else None,
        frozenset(key[1:-1] for key in entries if key.startswith("<")),
        frozenset(key[1:-1] for key in entries if key.startswith("[")),
    )


def _is_of_yargs(receiver: Value | None) -> bool:
    return any(
        isinstance(each, Unknown | Reference) and each.name.startswith("yargs")
        for each in (list_alternatives(receiver) if receiver is not None else ())
    )


def _read_options(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`program.opts()` of commander, `yargs(..).parseSync()`."""
    if arguments.positional:
        return None
    definitions = _list_defined(evaluation)
    is_any = evaluation.patched.get(_DEFINED) is not None
    return _options_of(_own_arguments(evaluation), definitions if is_any else _NOT_FOLLOWED)


def _parse_by_yargs(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`yargs(hideBin(process.argv)).option(..).parse()`."""
    return _read_options(evaluation, receiver, arguments) if _is_of_yargs(receiver) else None


COMMAND_ARGUMENT_CALLS: Mapping[str, SpecialCall] = {
    "util.parseArgs": _parse_by_node,
    **dict.fromkeys(("minimist", "mri", "yargs-parser"), _parse_given),
    **dict.fromkeys(("?.option", "?.options", "?.requiredOption"), _define_option),
    **dict.fromkeys((f"?.{name}" for name in _BUILDING_METHODS), _keep_builder),
    "?.command": _define_command,
    **dict.fromkeys(("?.addOption", "?.default", "?.defaults", "?.alias", "?.env", "?.config"), _define_otherwise),
    **dict.fromkeys(("?.opts", "?.optsWithGlobals", "?.parseSync"), _read_options),
    "?.parse": _parse_by_yargs,
}
