"""Registers the gate by a plugin file of its own, which a client loads at its start.

The plugin imports the Node package from the gate's own installation. Without that it still refuses every call: only a plugin that
does not load at all leaves the client unguarded.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .commands import is_gate_command

_COMMAND_LINE_START, _PACKAGE_LINE_START = "const COMMAND = ", "const PACKAGE = "
_HEAD = """\
// Written by `toolgate install {host}`; `toolgate uninstall {host}` takes it away.
const COMMAND = {command};
const PACKAGE = {package};
const told = (problem) => `toolgate could not be loaded (${{problem}}), so nothing runs; run: toolgate install {host}`;

"""
Locate = Callable[[str, str, str, Mapping[str, str]], str]


class PluginRegistration(NamedTuple):
    """`body`: the plugin's text, with the names COMMAND, PACKAGE and `told`. `locate_settings`: its file in a scope."""

    host: str
    events: tuple[str, ...]
    PROGRAM: str
    OLDEST: tuple[int, ...]
    locate_settings: Locate
    body: str
    SCOPES: tuple[str, ...] = ("user", "project")

    def render(self, command: Sequence[str], package: str) -> str:
        """Returns the plugin's text. `package`: the folder of `@toolgate/hooks`."""
        address = f"file://{'' if package.startswith('/') else '/'}{package.replace(chr(92), '/')}/index.js"
        return self._render(json.dumps(list(command)), json.dumps(address))

    def _render(self, command: str, package: str) -> str:
        return _HEAD.format(host=self.host, command=command, package=package) + self.body

    def parse(self, text: str) -> Mapping[str, object]:
        """Returns the values in a plugin file; nothing where it is not the gate's."""
        found: dict[str, object] = {}
        for line in text.splitlines():
            for key, start in (("command", _COMMAND_LINE_START), ("package", _PACKAGE_LINE_START)):
                if line.startswith(start) and line.endswith(";"):
                    try:
                        found[key] = json.loads(line[len(start) : -1])
                    except ValueError:
                        continue
        words = self._read_command(found)
        if not words:
            return {}
        meant = self._render(json.dumps(list(words)), json.dumps(found.get("package")))
        return {**found, "whole": text == meant}

    def list_events(self, settings: object) -> frozenset[str]:
        """Returns all events or none: what an edited plugin registers is unknown."""
        is_whole = isinstance(settings, Mapping) and settings.get("whole") is True
        return frozenset(self.events) if is_whole and self._read_command(settings) else frozenset()

    def list_commands(self, settings: object) -> tuple[tuple[str, ...], ...]:
        words = self._read_command(settings)
        return (words,) if words else ()

    def find_faults(self, _settings: object) -> tuple[str, ...]:
        return ()

    def find_dropped_hooks(self, _settings: object) -> tuple[str, ...]:
        return ()

    def find_weaknesses(self, settings: object) -> tuple[str, ...]:
        """Returns what weakens the gate in its plugin."""
        if isinstance(settings, Mapping) and settings.get("whole") is False:
            return ("hooks.plugin: it is not what `toolgate install` wrote",)
        return ()

    def _read_command(self, settings: object) -> tuple[str, ...]:
        words = settings.get("command") if isinstance(settings, Mapping) else None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            return ()
        return tuple(words) if is_gate_command((*words, self.host, self.events[0]), self.host) else ()
