"""GitHub Copilot's runtime (its CLI, the SDKs, the cloud agent): hooks are commands, fed one JSON object, answered by one.

An exit code other than 0 denies a call, but the reason is lost; so a no is said in JSON. A hook that takes too long lets the call
run: the gate answers before that.
"""

from collections.abc import Iterable, Mapping

from toolgate.model.decision import Decision
from toolgate.model.event import ToolCall
from toolgate.model.host import Seat, Traces
from toolgate.model.request import Answer

from .places import environment_files, hook_folders, own_folder, settings_files
from .tools import action
from .wire import EVENTS, NAME, answer, read, refuse

__all__ = [
    "EVENTS",
    "NAME",
    "TRACES",
    "action",
    "answer",
    "environment_files",
    "hook_folders",
    "legacy_answer",
    "may_drop",
    "own_folder",
    "read",
    "refuse",
    "seat",
    "settings_files",
]

TRACES = Traces(variables=("COPILOT_CLI",), programs=("copilot",))


def may_drop(_call: ToolCall, _changed: Iterable[str]) -> str:
    """It drops none (measured with 1.0.102): with `--yolo` it asks all the same, and where nobody sits it denies."""
    return ""


def seat(_environ: Mapping[str, str]) -> Seat:
    """Nothing that it sets for its hooks tells whether somebody is there."""
    return Seat(0, None)


def legacy_answer(decision: Decision, event: ToolCall) -> Answer:
    """There never was another form."""
    return answer(decision, event)
