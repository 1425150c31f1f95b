"""Codex CLI: hooks are commands that read one JSON object on stdin. A refusal is exit code 2 with the reason on stderr.

JSON is printed only where nothing depends on it: one key that the client does not know drops the whole answer, and the call runs.
The client runs a call whose hook crashes, hangs or is missing, and it skips a hook that its user has not trusted.
"""

from toolgate.hosts.formats.unknown_seat import explain_lost_question, read_seat
from toolgate.model.host import Traces

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
legacy_answer = answer
