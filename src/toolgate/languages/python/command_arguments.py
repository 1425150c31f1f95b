"""Scripts that parse their command line with argparse: what each option holds, where this call names the script's arguments.

An option that was not given has its default. An argument that is not known may be any option, and leaves all others unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NEVER_RETURNS,
    NULL,
    TRUE,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    text_of,
    unknown_from,
    word_of,
)
from toolgate.model.word import Word, known_word, unknown_word

_PARSER, _COMMANDS, _DEFINITION, NAMESPACE = (
    "argparse.ArgumentParser",
    "argparse.subparsers",
    "argparse.Action",
    "argparse.Namespace",
)
_CONSTANT_ACTIONS = {"store_true": (FALSE, TRUE), "store_false": (TRUE, FALSE)}
"""The default of a flag, and its value where it is given."""
_MAX_DEFINITIONS = 200


class Definition(NamedTuple):
    """An option or a positional argument of a parser: its names, where its value goes, and the settings it was added with."""

    names: tuple[str, ...]
    target: str
    settings: Mapping[str, Value]

    @property
    def is_positional(self) -> bool:
        return not self.names[0].startswith("-")

    @property
    def action(self) -> str:
        """Returns the action's name; empty for one of the code's own."""
        given = self.settings.get("action")
        if isinstance(given, Reference) and given.name.rpartition(".")[2] == "BooleanOptionalAction":
            return "boolean"
        return "store" if given is None else text_of(given) or ""

    @property
    def arity(self) -> str:
        """Returns how many arguments it takes: empty for one, `0` for a flag, `?`, `*`, `+`, or `many` for another number."""
        if self.action in (*_CONSTANT_ACTIONS, "store_const", "count", "boolean", "help", "version", "append_const"):
            return "0"
        given = self.settings.get("nargs")
        return "" if given is None else (text_of(given) or "many")


# ---- parsers


def _make_parser(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    is_plain = not {"parents", "prefix_chars", "fromfile_prefix_chars", "argument_default"} & set(arguments.named)
    settings = {name: arguments.named[name] for name in ("add_help",) if name in arguments.named}
    return Instance(_PARSER, {"definitions": ListValue("list", ()), **settings}) if is_plain else None


def _find_main(parser: Value | None) -> Instance | None:
    """Returns the parser of the whole command line, for a parser of one of its commands."""
    main = parser.fields.get("main", parser) if isinstance(parser, Instance) else None
    return main if isinstance(main, Instance) else None


def _add_argument(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    main = _find_main(receiver)
    if main is None:
        return None
    names = ListValue("list", arguments.positional, arguments.rest)
    made = Instance(_DEFINITION, {"names": names, "settings": MapValue(arguments.named.items())})
    known = main.fields.get("definitions")
    items = (*known.items, made) if isinstance(known, ListValue) and len(known.items) < _MAX_DEFINITIONS else None
    evaluation.journal.put_field(main, "definitions", Unknown("arguments") if items is None else ListValue("list", items))
    return Unknown("an argument of the parser")


def _add_group(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return receiver


def _add_commands(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    main = _find_main(receiver)
    if main is None:
        return None
    evaluation.journal.put_field(main, "command", arguments.named.get("dest", NULL))
    return Instance(_COMMANDS, {"main": main})


def _add_command(_evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    main = _find_main(receiver)
    return None if main is None else Instance(_PARSER, {"main": main, "name": (arguments.positional or (NULL,))[0]})


def _set_defaults(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`parser.set_defaults(func=prune)`: what the command of this parser sets."""
    main = _find_main(receiver)
    if main is None or not isinstance(receiver, Instance):
        return None
    known = main.fields.get("defaults")
    entries = tuple(known.known_entries) if isinstance(known, MapValue) else ()
    own = (text_of(receiver.fields.get("name", NULL)) or "", MapValue(arguments.named.items()))
    evaluation.journal.put_field(main, "defaults", MapValue((*entries, own)))
    return NULL


def _parse_arguments(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    main = _find_main(receiver)
    definitions = None if main is None else _read_definitions(main.fields.get("definitions"))
    given = arguments.positional[0] if arguments.positional else arguments.named.get("args", NULL)
    argv = find_argv(evaluation, given)
    if main is None or definitions is None or argv is None:
        if main is not None:
            evaluation.outside_calls.hand_out(main)
        return None
    line = CommandLine(evaluation, definitions, has_commands="command" in main.fields)
    line.read(argv)
    if line.asks_help and "add_help" not in main.fields:
        return NEVER_RETURNS
    if not line.is_known:
        evaluation.outside_calls.hand_out(main)
    fields = line.list_values()
    _apply_defaults(evaluation, main, line.positional, fields)
    return Instance(NAMESPACE, fields)


def _parse_known(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    made = _parse_arguments(evaluation, receiver, arguments)
    return None if made is None else ListValue("tuple", (made, Unknown("other arguments")))


def find_argv(evaluation: Evaluation, given: Value) -> list[Word] | None:
    """Returns the given arguments, or for `NULL` the script's, with unknown words for what is not known; None if nothing is."""
    argv = evaluation.report.script_arguments() if given is NULL else given
    if not isinstance(argv, ListValue):
        return None
    words = [word_of(each) for each in argv.items[1 if given is NULL else 0 :]]
    if given is NULL and not argv.items:
        return None
    return words if argv.rest is None else [*words, word_of(argv.rest)]


def _read_definitions(known: Value | None) -> list[Definition] | None:
    """Returns a parser's arguments; None if some are not known."""
    found: list[Definition] = []
    for each in known.items if isinstance(known, ListValue) and known.rest is None else (None,):
        names, settings = (each.fields["names"], each.fields["settings"]) if isinstance(each, Instance) else (None, None)
        texts = [text_of(name) for name in names.items] if isinstance(names, ListValue) and names.rest is None else [None]
        if not texts or None in texts or not isinstance(settings, MapValue):
            return None
        own = {str(key): value for key, value in settings.known_entries}
        found.append(Definition(tuple(map(str, texts)), _find_target(tuple(map(str, texts)), own), own))
    return None if any(text_of(each.settings.get("nargs", NULL)) in ("...", "A...") for each in found) else found


def _find_target(names: tuple[str, ...], settings: Mapping[str, Value]) -> str:
    chosen = text_of(settings.get("dest", NULL))
    long = next((each for each in names if each.startswith("--")), names[0])
    return chosen or long.lstrip("-").replace("-", "_")


def _apply_defaults(evaluation: Evaluation, main: Instance, positional: Sequence[Word], fields: dict[str, Value]) -> None:
    """Sets what the command that was chosen sets; where it is not known, what any of them may."""
    known = main.fields.get("defaults")
    entries = (
        [(name, each) for name, each in known.known_entries if isinstance(each, MapValue)] if isinstance(known, MapValue) else []
    )
    command = positional[0].text if positional else None
    chosen = [each for name, each in entries if name in ("", command)] if command is not None else []
    for each in chosen or [each for _, each in entries]:
        for key, value in each.known_entries:
            fields[str(key)] = evaluation.join_values(fields.get(str(key)), value) if not chosen else value
    target = text_of(main.fields.get("command", NULL))
    if target and command is not None:
        fields[target] = positional[0]


# ---- command lines


class CommandLine:
    """What the arguments of one call set."""

    def __init__(self, evaluation: Evaluation, definitions: Sequence[Definition], *, has_commands: bool) -> None:
        self._evaluation, self._definitions, self._has_commands = evaluation, definitions, has_commands
        self._options = {name: each for each in definitions for name in each.names if not each.is_positional}
        for name, each in list(self._options.items()):
            if each.action == "boolean" and name.startswith("--"):
                self._options[f"--no-{name[2:]}"] = each
        self._given: dict[str, Value] = {}
        self.is_known = True
        self.asks_help = False
        """Whether `--help` was given where nothing before it is in doubt."""
        self.positional: list[Word] = []

    def read(self, argv: Sequence[Word]) -> None:
        waiting = list(argv)
        while waiting:
            word = waiting.pop(0)
            if word.text == "--":
                self.positional += waiting
                return
            self._read_word(word, waiting)

    def read_options(self, argv: Sequence[Word]) -> list[Word]:
        """Reads the options before a command. Returns the command, and what follows it."""
        waiting = list(argv)
        while waiting and not self.positional and self.is_known:
            self._read_word(waiting.pop(0), waiting)
        return [*self.positional, *waiting] if self.is_known else [unknown_word("a command")]

    def _read_word(self, word: Word, waiting: list[Word]) -> None:
        text = word.text
        if text is None:
            self.is_known = False
        elif text.startswith("-") and len(text) > 1 and not text[1].isdigit():
            self._read_option(text, waiting)
        else:
            self.positional.append(word)

    def _read_option(self, text: str, waiting: list[Word]) -> None:
        if text == "--help" and text not in self._options:
            self.asks_help |= self.is_known
        name, equals, value = text.partition("=")
        if text in self._options or name in self._options or name.startswith("--"):
            names = [name] if name in self._options else [each for each in self._options if each.startswith(name)]
            attached = [known_word(value)] if equals else []
        else:  # `-nv`, `-d30`
            names, attached = [text[:2]], []
            if text[:2] in self._options and self._options[text[:2]].arity != "0":
                attached = [known_word(text[2:])]
            elif text[:2] in self._options:
                names += [f"-{char}" for char in text[2:]]
        found = {id(self._options[each]): each for each in names if each in self._options}
        if not found or any(each not in self._options for each in names):
            self.is_known = False
        for each in found.values():
            self._set_option(self._options[each], each, attached, waiting)

    def _set_option(self, definition: Definition, name: str, attached: list[Word], waiting: list[Word]) -> None:
        match definition.arity:
            case "0":
                self._given[definition.target] = _value_of_flag(definition, name)
            case "":
                taken = attached or [waiting.pop(0) for _ in waiting[:1]]
                if definition.action == "append" and taken:
                    before = self._given.get(definition.target)
                    items = list(before.items) if isinstance(before, ListValue) else []
                    self._given[definition.target] = ListValue("list", [*items, self._convert(definition, taken[0])])
                    return
                is_stored = definition.action == "store" and bool(taken)
                self._given[definition.target] = self._convert(definition, taken[0]) if is_stored else Unknown(definition.target)
            case arity:
                taken = list(attached)
                while not attached and waiting and not (waiting[0].text or "").startswith("-") and (arity != "?" or not taken):
                    taken.append(waiting.pop(0))
                is_list = definition.action == "store" and arity in ("*", "+")
                items = [self._convert(definition, each) for each in taken]
                self._given[definition.target] = ListValue("list", items) if is_list else unknown_from(definition.target, *items)

    def list_values(self) -> dict[str, Value]:
        """Returns what each argument holds."""
        found: dict[str, Value] = {}
        for each in self._definitions:
            if not each.is_positional and each.target not in found:
                default = self._default_of(each)
                found[each.target] = default if self.is_known else self._evaluation.join_values(default, Unknown(each.target))
        found.update(self._given)
        return found | self._assign_positional()

    def _assign_positional(self) -> dict[str, Value]:
        places = [each for each in self._definitions if each.is_positional]
        is_plain = self.is_known and not self._has_commands and all(each.arity == "" for each in places[:-1])
        words = self.positional
        found = {
            each.target: self._evaluation.join_values(self._default_of(each), *words, Unknown(each.target)) for each in places
        }
        if not is_plain or not places or len(words) < len(places) - 1:
            return found
        for each, word in zip(places[:-1], words, strict=False):
            found[each.target] = self._convert(each, word)
        last, others = places[-1], words[len(places) - 1 :]
        if last.arity == "" and len(others) == 1:
            found[last.target] = self._convert(last, others[0])
        elif last.arity in ("*", "+") and others:
            found[last.target] = ListValue("list", [self._convert(last, each) for each in others])
        elif last.arity == "?":
            found[last.target] = self._convert(last, others[0]) if others else self._default_of(last)
        return found

    def _default_of(self, definition: Definition) -> Value:
        default = definition.settings.get("default")
        if default is not None:
            return self._convert(definition, default) if isinstance(default, Word) else default
        if definition.action == "boolean":
            return NULL
        return _CONSTANT_ACTIONS.get(definition.action, (NULL, NULL))[0]

    def _convert(self, definition: Definition, value: Value) -> Value:
        """Returns a value as the argument's type makes it."""
        kind = definition.settings.get("type")
        if kind is None or (isinstance(kind, Reference) and kind.name in ("str", "builtins.str")):
            return value
        return self._evaluation.call(kind, Arguments((value,)))


def _value_of_flag(definition: Definition, name: str) -> Value:
    if definition.action == "boolean":
        return FALSE if name.startswith("--no-") and name not in definition.names else TRUE
    if definition.action == "store_const":
        return definition.settings.get("const", NULL)
    return _CONSTANT_ACTIONS[definition.action][1] if definition.action in _CONSTANT_ACTIONS else Unknown(definition.target)


def _methods(names: Iterable[str]) -> Iterable[str]:
    return (f"{_PARSER}.{name}" for name in names)


COMMAND_ARGUMENT_CALLS: Mapping[str, SpecialCall] = {
    _PARSER: _make_parser,
    f"{_PARSER}.add_argument": _add_argument,
    **dict.fromkeys(_methods(("add_argument_group", "add_mutually_exclusive_group")), _add_group),
    f"{_PARSER}.add_subparsers": _add_commands,
    f"{_COMMANDS}.add_parser": _add_command,
    f"{_PARSER}.set_defaults": _set_defaults,
    f"{_PARSER}.parse_args": _parse_arguments,
    **dict.fromkeys(_methods(("parse_known_args", "parse_known_intermixed_args")), _parse_known),
}
