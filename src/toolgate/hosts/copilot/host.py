"""GitHub Copilot's runtime (its CLI, the SDKs, the cloud agent): hooks are commands that read and answer one JSON object.

An exit code other than 0 denies a call, but the reason is lost; so a refusal is sent as JSON. A hook that takes too long lets the
call run: the gate answers before that.
"""

from collections.abc import Iterable

from toolgate.hosts.formats.unknown_seat import read_seat
from toolgate.model.decision import Decision
from toolgate.model.event import ToolCall
from toolgate.model.host import Traces
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

TRACES = Traces(variables=("COPILOT_CLI",), programs=("copilot",))


def explain_lost_question(_call: ToolCall, _changed_paths: Iterable[str]) -> str:
    """Returns nothing: the client drops no question (measured with 1.0.102). With `--yolo` it still asks, and unattended it
    denies."""
    return ""


def legacy_answer(decision: Decision, event: ToolCall) -> Answer:
    """Returns the usual answer: there was no earlier format."""
    return answer(decision, event)
