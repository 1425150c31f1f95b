"""OpenCode: a JavaScript plugin that starts the gate for each call, and throws where the gate refuses.

The plugin is `openCodePlugin` of `clients/node`; its wire format is toolgate's own (`wire.py`). Every failure of the gate throws
as well: after a crash, a hang, an unreadable answer or with a missing program the tool does not run.
"""

from toolgate.hosts.formats.unknown_seat import explain_lost_question, read_seat
from toolgate.model.host import Traces

from .places import environment_files, hook_folders, own_folder, settings_files
from .wire import EVENTS, NAME, answer, parse_action, read, refuse

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

TRACES = Traces(variables=("OPENCODE",), programs=("opencode",))
legacy_answer = answer
