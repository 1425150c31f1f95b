"""Cline CLI: a JavaScript plugin that starts the gate for each call, and skips the call where the gate refuses.

The plugin is built on `clineHooks` of `clients/node`; its wire format is toolgate's own (`plugin_wire.py`). Every failure of the
gate refuses as well. The client gives a plugin three seconds, and ends the run after that: the plugin waits less for the gate.
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

TRACES = Traces(variables=("CLINE_CONNECTOR_CLI_LAUNCH",), programs=("cline",))
legacy_answer = answer
