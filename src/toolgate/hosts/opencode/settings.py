"""Registers the gate with OpenCode: a plugin file of its own, which the client loads at its start.

The plugin imports the package from the gate's own installation. Without that it still refuses every call: only a plugin that does
not load at all leaves the client unguarded.
"""

import json
from collections.abc import Mapping, Sequence

from toolgate.hosts.commands import is_gate_command

from .places import own_folder
from .wire import EVENTS, NAME

SCOPES = ("user", "project")
PROGRAM = "opencode"
OLDEST = (1, 18)
"""The measured release line (1.18.33)."""
_COMMAND_LINE_START, _PACKAGE_LINE_START = "const COMMAND = ", "const PACKAGE = "
_TEMPLATE = """\
// Written by `toolgate install opencode`; `toolgate uninstall opencode` takes it away.
const COMMAND = {command};
const PACKAGE = {package};

export const Toolgate = async (input) => {{
  try {{
    const {{ openCodePlugin }} = await import(PACKAGE);
    return await openCodePlugin({{ command: COMMAND }})(input);
  }} catch (problem) {{
    const refuse = async () => {{
      throw new Error(`toolgate could not be loaded (${{problem}}), so nothing runs; run: toolgate install opencode`);
    }};
    return {{ "tool.execute.before": refuse, "tool.execute.after": refuse }};
  }}
}};
"""


def locate_settings(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """Returns the plugin file of a scope. Raises KeyError for an unknown scope."""
    return {
        "user": f"{own_folder(home, environ)}/plugin/toolgate.js",
        "project": f"{project.rstrip('/')}/.opencode/plugin/toolgate.js",
    }[scope]


def render(command: Sequence[str], package: str) -> str:
    """Returns the plugin's text. `package`: the folder of `@toolgate/hooks`."""
    address = f"file://{'' if package.startswith('/') else '/'}{package.replace(chr(92), '/')}/index.js"
    return _TEMPLATE.format(command=json.dumps(list(command)), package=json.dumps(address))


def parse(text: str) -> Mapping[str, object]:
    """Returns the values in a plugin file; nothing where it is not the gate's."""
    found: dict[str, object] = {}
    for line in text.splitlines():
        for key, start in (("command", _COMMAND_LINE_START), ("package", _PACKAGE_LINE_START)):
            if line.startswith(start) and line.endswith(";"):
                try:
                    found[key] = json.loads(line[len(start) : -1])
                except ValueError:
                    continue
    words = _read_command(found)
    if not words:
        return {}
    meant = _TEMPLATE.format(command=json.dumps(list(words)), package=json.dumps(found.get("package")))
    return {**found, "whole": text == meant}


def list_events(settings: object) -> frozenset[str]:
    """Returns all events or none: what an edited plugin registers is unknown."""
    whole = isinstance(settings, Mapping) and settings.get("whole") is True
    return frozenset(EVENTS) if whole and _read_command(settings) else frozenset()


def list_commands(settings: object) -> tuple[tuple[str, ...], ...]:
    words = _read_command(settings)
    return (words,) if words else ()


def find_faults(_settings: object) -> tuple[str, ...]:
    return ()


def find_dropped_hooks(_settings: object) -> tuple[str, ...]:
    return ()


def find_weaknesses(settings: object) -> tuple[str, ...]:
    """Returns what weakens the gate in its plugin."""
    if isinstance(settings, Mapping) and settings.get("whole") is False:
        return ("hooks.plugin: it is not what `toolgate install` wrote",)
    return ()


def _read_command(settings: object) -> tuple[str, ...]:
    words = settings.get("command") if isinstance(settings, Mapping) else None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return ()
    return tuple(words) if is_gate_command((*words, NAME, EVENTS[0]), NAME) else ()
