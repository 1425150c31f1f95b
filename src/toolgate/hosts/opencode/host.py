"""OpenCode: a plugin in JavaScript that starts the gate for each call, and throws where the gate says no.

The plugin is `openCodePlugin` of `clients/node`; what it sends and takes is of our own making (`wire.py`). Whatever goes wrong
with the gate is thrown as well: a crash, a hang, an unreadable answer and a missing program all keep the tool from running.
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

TRACES = Traces(variables=("OPENCODE",), programs=("opencode",))


def may_drop(_call: ToolCall, _changed: Iterable[str]) -> str:
    """It never asks: what asks is denied, by what it declares of itself."""
    return ""


def seat(_environ: Mapping[str, str]) -> Seat:
    """Nothing that it sets tells whether somebody is there."""
    return Seat(0, None)


def legacy_answer(decision: Decision, event: ToolCall) -> Answer:
    """There never was another form."""
    return answer(decision, event)
