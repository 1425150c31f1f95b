"""Gemini CLI: hooks are commands that read one JSON object on stdin. A refusal is exit code 2 with the reason on stderr.

Any exit code from 2 on denies, so a missing program denies as well; a hook that ends with 1, prints no JSON or takes too long
lets the call run. In a folder that its user does not trust, the client calls no hook.
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

TRACES = Traces(variables=("GEMINI_CLI",), programs=("gemini",))
legacy_answer = answer
