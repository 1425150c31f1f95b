"""Claude Code: hooks are commands that read one JSON object on stdin and answer with one on stdout and an exit code."""

from toolgate.model.decision import Decision
from toolgate.model.event import ToolCall
from toolgate.model.host import Traces
from toolgate.model.request import Answer

from . import legacy
from .places import environment_files, hook_folders, own_folder, settings_files
from .questions import explain_lost_question
from .seat import read_seat
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

TRACES = Traces(
    variables=("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION"),
    programs=("claude",),
    session="CLAUDE_CODE_SESSION_ID",
)


def legacy_answer(decision: Decision, _event: ToolCall) -> Answer:
    return legacy.answer(decision)
