"""Kilo CLI: OpenCode's plugin in a client that is built from OpenCode.

The plugin is `kiloPlugin` of `clients/node`; the wire format is OpenCode's. Every failure of the gate throws: after a crash, a
hang, an unreadable answer or with a missing program the tool does not run. Kilo has tools that OpenCode lacks: the command of a
background process is judged as a shell command, and a schedule as a change of the scheduler.
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

TRACES = Traces(variables=("KILO",), programs=("kilo", "kilocode"))
legacy_answer = answer
