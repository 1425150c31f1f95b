"""Qwen Code: hooks are commands that read one JSON object on stdin. A refusal is exit code 2 with the reason on stderr.

A hook that ends with another exit code, prints no JSON, takes too long or is missing lets the call run.
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

TRACES = Traces(variables=("QWEN_CODE",), programs=("qwen",))
legacy_answer = answer
