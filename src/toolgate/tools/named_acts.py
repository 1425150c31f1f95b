"""Acts and objects that the arguments of a tool name: `{"action": "delete", "resource_type": "user"}`."""

from collections.abc import Mapping

from .act_kinds import READING_VERBS, STRONG_VERBS
from .arguments import CHECKING
from .names import fold_key, split_words

_ACTION_KEYS = frozenset(
    "action method httpmethod requestmethod operation op verb act "
    "requesttype operationtype operationname methodname commandname functionname apiname api rpc macro "
    "mode transition".split()
)
_ACTION_ENDINGS = ("action", "operation", "verb")
_NESTED_TOOL_KEYS = frozenset("tool toolname toolslug actionname actionslug actionid endpoint operationid".split())
"""Arguments that name the tool which a tool for calling tools calls."""
_OBJECT_KEYS = frozenset("service resource resourcetype object objecttype entity entitytype kind model collection".split())
"""Arguments that name the kind of object which an action of the same call is about."""
_DESCRIBING_NOUNS = frozenset("type types schema schemas info docs documentation help reference signature definition".split())
"""What a tool shows about an interface. The actions that it is asked about are not carried out."""


def list_named_acts(
    tool: str, arguments: Mapping[str, object], short: list[tuple[str, str]], *, is_reading: bool, is_requested: bool
) -> list[str]:
    """Lists the actions and tools that arguments name. A tool that reads has actions in what it looks for, too."""
    words = split_words(tool)
    if is_reading and (words[:1] in CHECKING or not _DESCRIBING_NOUNS.isdisjoint(words)):
        return []
    top = [(fold_key(key), value) for key, value in arguments.items() if isinstance(value, str)]
    named = top if is_reading else short
    acts = [value for key, value in named if _names_act(key, value) and not (is_requested and value.upper() == value)]
    return acts if is_reading else acts + [each for key, each in short if key in _NESTED_TOOL_KEYS and _is_identifier(each)]


def list_named_objects(arguments: Mapping[str, object]) -> frozenset[str]:
    """Returns the words of the objects that arguments name."""
    named = (value for key, value in arguments.items() if fold_key(key) in _OBJECT_KEYS and isinstance(value, str))
    return frozenset(word for name in named if not any(map(str.isspace, name)) for word in split_words(name))


def is_of_this_conversation(arguments: Mapping[str, object]) -> bool:
    """Returns whether a host's schedule ends with the conversation: `durable: false`."""
    return any(value is False and fold_key(key) == "durable" for key, value in arguments.items())


def reads_schedules(arguments: Mapping[str, object]) -> bool:
    """Returns whether an argument says that the call only shows the schedules that there are: `action: "list"`."""
    return any(
        fold_key(key) in _ACTION_KEYS and isinstance(value, str) and not READING_VERBS.isdisjoint(split_words(value)[:1])
        for key, value in arguments.items()
    )


def _names_act(key: str, value: str) -> bool:
    return key in _ACTION_KEYS or key.endswith(_ACTION_ENDINGS) or _is_named_command(key, value)


def _is_named_command(key: str, value: str) -> bool:
    """Returns whether a command is a name such as `EraseDevice` or `purge`, and no line of a shell."""
    if key != "command" or not value.isalpha():
        return False
    return (value[:1].isupper() and len(split_words(value)) > 1) or value in STRONG_VERBS - _PROGRAMS


_PROGRAMS = frozenset(("reset", "empty", "prune", "undeploy"))
"""Verbs that are programs of a shell, or subcommands of one, as well."""


def _is_identifier(value: str) -> bool:
    """Returns whether a text is the name of a tool: words joined without spaces, and no path."""
    return len(split_words(value)) > 1 and not any(char.isspace() or char == "/" for char in value)
