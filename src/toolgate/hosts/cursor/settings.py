"""Registers the gate with Cursor: its own entries in `hooks.json`, each closed where the gate fails."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from toolgate.hosts.formats.commands import is_gate_command, split_command
from toolgate.hosts.formats.hook_registration import FlatHookRegistration

from .host import EVENTS, NAME
from .places import own_folder


class CursorRegistration(FlatHookRegistration):
    NAME, EVENTS = NAME, EVENTS
    PROGRAM = "cursor-agent"
    OLDEST = (0,)
    BLANK = '{\n  "version": 1\n}\n'
    HANDLER: ClassVar[Mapping[str, object]] = {"failClosed": True}

    def locate_settings(self, scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
        """Returns the file of hooks of a scope. Raises KeyError for an unknown scope."""
        return {
            "user": f"{own_folder(home, environ)}/hooks.json",
            "project": f"{project.rstrip('/')}/.cursor/hooks.json",
        }[scope]

    def _build_handler(self, command: Sequence[str], event: str) -> dict[str, object]:
        """Returns an entry without `type`, which the documents do not have."""
        return {key: value for key, value in super()._build_handler(command, event).items() if key != "type"}

    def is_own(self, handler: object) -> bool:
        return isinstance(handler, Mapping) and is_gate_command(split_command(handler), NAME)

    def _iter_handler_weaknesses(self, handler: Mapping[str, object]) -> Iterator[str]:
        yield from super()._iter_handler_weaknesses(handler)
        if handler.get("failClosed") is not True:
            yield "`failClosed` is not true: the client runs the call where the gate fails"


REGISTRATION = CursorRegistration()
