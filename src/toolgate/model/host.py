"""A host: the program an agent lives in, and the words it speaks to its hooks."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

from .action import Action
from .decision import Decision
from .event import Event, ToolCall
from .request import Answer, Request
from .word import Maybe

MOVING = (
    *("HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
    *("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"),
    "TOOLGATE_HOME",
)
"""Variables that say where a host finds its settings, or the gate its policy and state."""


class Traces(NamedTuple):
    """By what a process knows that it runs beneath the host's agent: variables the host sets, programs it runs as."""

    variables: tuple[str, ...]
    programs: tuple[str, ...]


class Seat(NamedTuple):
    """What a host tells of the person at it. `process`: its own number, 0 where it does not tell; `attended`: does anybody sit
    there who sees its questions and types its prompts?"""

    process: int
    attended: Maybe


class HostPlaces(Protocol):
    """Where a host keeps what is its user's and the project's."""

    def own_folder(self, home: str, environ: Mapping[str, str]) -> str:
        """Where the host keeps what is its user's."""

    def settings_files(self, home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Every file whose change could unhook the gate: absolute paths, a trailing slash for folders."""

    def environment_files(self, project: str) -> tuple[str, ...]:
        """Settings files of a project whose `env` the host adds to the environment of its hooks."""

    def hook_folders(self, home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Those of `settings_files` that only hold scripts people register as hooks."""


class Host(HostPlaces, Protocol):
    """A module of `hosts/`. The only place that knows the host's tool names, events and JSON keys."""

    NAME: str
    EVENTS: tuple[str, ...]
    TRACES: Traces

    def read(self, request: Request) -> Event | None:
        """None: no event of ours to judge. Raises BadPayload for what cannot be read."""

    def action(self, tool: str, fields: Mapping[str, object], cwd: str) -> Action:
        """What a call of one of the host's tools would do. Raises BadPayload when the input is not of the tool's shape."""

    def answer(self, decision: Decision, event: Event) -> Answer: ...

    def legacy_answer(self, decision: Decision, event: ToolCall) -> Answer:
        """The decision in the form that the host took first, as far as it still takes it."""

    def may_drop(self, call: ToolCall, changed: Iterable[str]) -> str:
        """Why the host could run this call without the question that it is told to ask, given the paths that the call
        changes; empty where it could not."""

    def seat(self, environ: Mapping[str, str]) -> Seat:
        """From the variables that the host sets for its hooks."""

    def refuse(self, event: str, reason: str) -> Answer:
        """The strongest no that this event has, also for a payload that could not be read."""


Steps = tuple[str | int, ...]
Commands = Mapping[str, Sequence[str]]
OF_NONE: Commands = MappingProxyType({})


class Registration(Protocol):
    """Where a host is told of the gate, and what stands there: functions of its parsed settings.

    `OLDEST`: the first version of `PROGRAM` that keeps the gate closed when it cannot answer.
    """

    SCOPES: tuple[str, ...]
    PROGRAM: str
    OLDEST: tuple[int, ...]

    def file(self, scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
        """The settings file of a scope. Raises KeyError for a scope that the host has not."""

    def events(self, settings: object) -> frozenset[str]:
        """The events that the gate is registered for."""

    def commands(self, settings: object) -> tuple[tuple[str, ...], ...]:
        """The command lines of the gate's own entries."""

    def faults(self, settings: object) -> tuple[str, ...]:
        """Why the host would not take these settings at all, each with the place."""

    def dropped(self, settings: object) -> tuple[str, ...]:
        """The hooks that the host would leave out, of settings that it takes."""

    def weaknesses(self, settings: object) -> tuple[str, ...]:
        """What opens the gate in settings that the host takes."""


@runtime_checkable
class OwnFile(Registration, Protocol):
    """A host that is told of the gate by a file of the gate's own, as a plugin is."""

    def render(self, command: Sequence[str], package: str) -> str:
        """The file's text. `package`: the folder of the Node package."""

    def parse(self, text: str) -> Mapping[str, object]:
        """What a file says of the gate; nothing where it is not one of ours."""


@runtime_checkable
class HasStatusLine(Registration, Protocol):
    """A host whose client shows a line that a program prints; `STATUS_LINE` is the key of its settings that names the program."""

    STATUS_LINE: str

    def make_status_line(self, python: str) -> dict[str, object]:
        """The value that shows the gate's line. `python`: the interpreter, quoted for a shell, with its options."""

    def is_own_status_line(self, value: object) -> bool:
        """Whether a value is one that `make_status_line` made, by whatever interpreter."""


@runtime_checkable
class NeedsTrust(Registration, Protocol):
    """A host that skips a hook which its user has not trusted, and keeps what is trusted in a file of its own.

    `TRUST` says how a person trusts it in the host itself. Each function raises ValueError for text that is not of the file's
    form.
    """

    TRUST: str

    def trust_file(self, home: str, environ: Mapping[str, str]) -> str: ...

    def trusts(self, text: str, hooks_file: str, settings: object) -> frozenset[str]:
        """The events whose entries of the gate's are trusted."""

    def trusted(self, text: str, hooks_file: str, settings: object) -> str:
        """The file's text with every entry of the gate's trusted."""

    def without_trust(self, text: str, hooks_file: str, settings: object) -> str:
        """The file's text without the trust in the gate's entries."""


class HostSettings(Registration, Protocol):
    """A host that is told of the gate by entries in its JSON settings. `Steps` lead from the top to a value.

    `BLANK`: the text of a settings file that says nothing; empty where the host takes any object.
    """

    BLANK: str

    def additions(self, command: Sequence[str], by_event: Commands = OF_NONE) -> tuple[tuple[Steps, object], ...]:
        """Pairs (list, value to stand at its end): what registers `command` for every event but those of `by_event`, which have
        commands of their own."""

    def withheld(self) -> tuple[tuple[Steps, object], ...]:
        """Pairs (list, value to stand at its end): the host's own rules for what no hook is asked about."""

    def register(self, settings: Mapping[str, object], command: Sequence[str], by_event: Commands = OF_NONE) -> dict[str, object]:
        """The settings with the gate registered once for every event, and everything else as it was."""

    def ours(self, settings: object) -> tuple[Steps, ...]:
        """Where the gate's own entries are: what is to be removed, and nothing beside it."""
