"""Hosts: the programs in which agents run, and their hook protocols."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

from .action import Action
from .decision import Decision
from .event import Event, ToolCall
from .request import Answer, Request
from .word import Maybe

LOCATION_VARIABLES = (
    *("HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
    *("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "GEMINI_CLI_HOME", "QWEN_HOME", "KIMI_CODE_HOME", "CLINE_DIR", "CLINE_DATA_DIR"),
    *("KILO_CONFIG", "KILO_CONFIG_DIR"),
    "TOOLGATE_HOME",
)
"""Variables that determine where a host finds its settings, or the gate its policy and state."""


class Traces(NamedTuple):
    """How a process detects that it runs under the host's agent: variables the host sets, program names. `session`: the variable
    with the session's id, empty where the host sets none."""

    variables: tuple[str, ...]
    programs: tuple[str, ...]
    session: str = ""


class Seat(NamedTuple):
    """The person at the host. `process`: the host's process number, 0 if unknown; `attended`: somebody sees its questions and
    types its prompts."""

    process: int
    attended: Maybe


class HostPlaces(Protocol):
    """Locations of a host's files for its user and the project."""

    def own_folder(self, home: str, environ: Mapping[str, str]) -> str:
        """Returns the host's folder for the user's files."""

    def settings_files(self, home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Returns every file whose change could unhook the gate: absolute paths, with a trailing slash for folders."""

    def environment_files(self, project: str) -> tuple[str, ...]:
        """Returns the settings files of a project whose `env` the host adds to the environment of its hooks."""

    def hook_folders(self, home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Returns those of `settings_files` that only contain scripts registered as hooks."""


class Host(HostPlaces, Protocol):
    """A module of `hosts/`: the only place with the host's tool names, events and JSON keys."""

    NAME: str
    EVENTS: tuple[str, ...]
    TRACES: Traces

    def read(self, request: Request) -> Event | None:
        """Returns the event; None if it need not be judged. Raises BadPayload for an unreadable payload."""

    def parse_action(self, tool: str, fields: Mapping[str, object], cwd: str) -> Action:
        """Returns what a call of one of the host's tools would do. Raises BadPayload for input that does not fit the tool."""

    def answer(self, decision: Decision, event: Event) -> Answer: ...

    def legacy_answer(self, decision: Decision, event: ToolCall) -> Answer:
        """Returns the decision in the host's older format, as far as it is still supported."""

    def explain_lost_question(self, call: ToolCall, changed_paths: Iterable[str]) -> str:
        """Returns why the host could run this call without asking the question, given the paths that the call changes; empty
        if it could not."""

    def read_seat(self, environ: Mapping[str, str]) -> Seat:
        """Reads the person's seat from the variables that the host sets for its hooks."""

    def refuse(self, event: str, reason: str) -> Answer:
        """Returns the strongest refusal that this event supports, also for an unreadable payload."""


Steps = tuple[str | int, ...]
Commands = Mapping[str, Sequence[str]]
NO_COMMANDS: Commands = MappingProxyType({})


class Registration(Protocol):
    """How the gate is registered with a host: functions of the host's parsed settings.

    `OLDEST`: the first version of `PROGRAM` that fails closed if the gate cannot answer.
    """

    SCOPES: tuple[str, ...]
    PROGRAM: str
    OLDEST: tuple[int, ...]

    def locate_settings(self, scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
        """Returns the settings file of a scope. Raises KeyError for an unknown scope."""

    def list_events(self, settings: object) -> frozenset[str]:
        """Returns the events that the gate is registered for."""

    def list_commands(self, settings: object) -> tuple[tuple[str, ...], ...]:
        """Returns the command lines of the gate's own entries."""

    def find_faults(self, settings: object) -> tuple[str, ...]:
        """Returns why the host would reject these settings, each with its location."""

    def find_dropped_hooks(self, settings: object) -> tuple[str, ...]:
        """Returns the hooks that the host would skip in settings that it accepts."""

    def find_weaknesses(self, settings: object) -> tuple[str, ...]:
        """Returns settings that the host accepts and that bypass the gate."""


@runtime_checkable
class OwnFile(Registration, Protocol):
    """A host that loads the gate from a file of its own, such as a plugin."""

    def render(self, command: Sequence[str], package: str) -> str:
        """Returns the file's text. `package`: the folder of the Node package."""

    def parse(self, text: str) -> Mapping[str, object]:
        """Returns the gate's data in a file; empty if it is not the gate's file."""


@runtime_checkable
class TextSettings(Registration, Protocol):
    """A host whose settings are not JSON. Each function raises ValueError for text of the wrong form."""

    def parse(self, text: str) -> Mapping[str, object]: ...

    def add_entries(self, text: str, command: Sequence[str]) -> str:
        """Returns the text with the gate registered once for every event."""

    def remove_entries(self, text: str) -> str:
        """Returns the text without the gate's entries; every other byte stays."""


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
    """A host that skips hooks which its user has not trusted, and stores the trust in a file of its own.

    `TRUST`: instructions for trusting it in the host itself. Each function raises ValueError for text of the wrong form.
    """

    TRUST: str

    def trust_file(self, home: str, environ: Mapping[str, str]) -> str: ...

    def read_trusted_events(self, text: str, hooks_file: str, settings: object) -> frozenset[str]:
        """Returns the events whose entries of the gate are trusted."""

    def add_trust(self, text: str, hooks_file: str, settings: object) -> str:
        """Returns the file's text with every entry of the gate trusted."""

    def remove_trust(self, text: str, hooks_file: str, settings: object) -> str:
        """Returns the file's text without trust in the gate's entries."""


class HostSettings(Registration, Protocol):
    """A host that registers the gate by entries in its JSON settings. `Steps` lead from the top to a value.

    `BLANK`: the text of an empty settings file; empty if the host accepts any object.
    """

    BLANK: str

    def build_additions(self, command: Sequence[str], by_event: Commands = NO_COMMANDS) -> tuple[tuple[Steps, object], ...]:
        """Returns pairs (list, value to append) that register `command` for every event, except those of `by_event`, which
        have their own commands."""

    def permission_additions(self) -> tuple[tuple[Steps, object], ...]:
        """Returns pairs (list, value to append): the host's own permission rules for what no hook is asked about."""

    def register(
        self, settings: Mapping[str, object], command: Sequence[str], by_event: Commands = NO_COMMANDS
    ) -> dict[str, object]:
        """Returns the settings with the gate registered once for every event, and everything else unchanged."""

    def find_own_entries(self, settings: object) -> tuple[Steps, ...]:
        """Returns the locations of the gate's own entries, and nothing else."""
