"""Codex CLI: hooks are commands that read one JSON object on stdin. A refusal is exit code 2 with the reason on stderr.

JSON is printed only where nothing depends on it: one key that the client does not know drops the whole answer, and the call runs.
The client runs a call whose hook crashes, hangs or is missing, and it skips a hook that its user has not trusted.
"""

from collections.abc import Iterable, Mapping

from toolgate.model.decision import Decision
from toolgate.model.event import ToolCall
from toolgate.model.host import Seat, Traces
from toolgate.model.request import Answer

from .places import environment_files, hook_folders, own_folder, settings_files
from .tools import parse_action
from .wire import EVENTS, NAME, answer, read, refuse

__all__ = [
    "EVENTS",
    "NAME",
    "TRACES",
    "answer",
    "environment_files",
    "explain_lost_question",
    "hook_folders",
    "legacy_answer",
    "own_folder",
    "parse_action",
    "read",
    "read_seat",
    "refuse",
    "settings_files",
]

TRACES = Traces(variables=("CODEX_THREAD_ID", "CODEX_SANDBOX"), programs=("codex",), session="CODEX_THREAD_ID")


def explain_lost_question(_call: ToolCall, _changed: Iterable[str]) -> str:
    """Returns nothing: the client never asks, and `ask` becomes `deny` by its capabilities."""
    return ""


def read_seat(_environ: Mapping[str, str]) -> Seat:
    """Returns an unknown seat: none of its variables tells whether somebody is there."""
    return Seat(0, None)


def legacy_answer(decision: Decision, event: ToolCall) -> Answer:
    """Returns the usual answer: there was no earlier format."""
    return answer(decision, event)
