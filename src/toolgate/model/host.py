"""A host: the program an agent lives in, and the words it speaks to its hooks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from .decision import Decision
from .event import Event
from .request import Answer, Request


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the host lets a hook do."""

    ask: bool
    modify: bool
    redact: bool
    tell_user: bool
    warn: bool


class Host(Protocol):
    """A module of `hosts/`. The only place that knows the host's tool names, events and JSON keys."""

    NAME: str
    EVENTS: tuple[str, ...]
    CAPABILITIES: Capabilities

    def read(self, request: Request) -> Event | None:
        """None: no event of ours to judge. Raises BadPayload for what cannot be read."""

    def answer(self, decision: Decision, event: Event) -> Answer: ...

    def refuse(self, event: str, reason: str) -> Answer:
        """The strongest no that this event has, also for a payload that could not be read."""

    def settings_files(self, home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Every file whose change could unhook the gate: absolute paths, a trailing slash for folders."""
