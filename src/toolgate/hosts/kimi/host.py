"""Kimi Code: hooks are commands that read one JSON object on stdin. A refusal is exit code 2 with the reason on stderr.

Nothing else that a hook answers has an effect, and any failure of a hook lets the call run. One key that the client does not
know, in any hook of its configuration, drops all of them.
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

TRACES = Traces(variables=(), programs=("kimi",))
legacy_answer = answer
