"""Registers the gate in JSON settings with hooks in groups (`hooks.EVENT`), as several hosts have them."""

import shlex
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from toolgate.model.host import NO_COMMANDS, Commands, Steps

from . import hook_groups
from .commands import is_own_handler, split_command


class HookRegistration:
    """`TIMEOUT`: the deadline that the gate's entries give the host, in `TIMEOUT_UNIT`; it is above the gate's own. `HANDLER`:
    further keys of the gate's hooks. `LATE`: what the host does after the deadline."""

    NAME: str
    EVENTS: tuple[str, ...]
    SCOPES: tuple[str, ...] = ("user", "project")
    PROGRAM: str
    OLDEST: tuple[int, ...]
    TIMEOUT: int = 10
    TIMEOUT_UNIT = "seconds"
    LATE = "lets the call run"
    BLANK = "{}\n"
    HANDLER: ClassVar[Mapping[str, object]] = {}

    @abstractmethod
    def locate_settings(self, scope: str, home: str, project: str, environ: Mapping[str, str]) -> str: ...

    def find_switches(self, _settings: Mapping[str, object]) -> Iterator[str]:
        """Yields settings that switch the gate's hooks off."""
        return iter(())

    def is_own(self, handler: object) -> bool:
        return is_own_handler(handler, self.NAME)

    def build_additions(self, command: Sequence[str], by_event: Commands = NO_COMMANDS) -> tuple[tuple[Steps, object], ...]:
        """Returns the entries that register the gate, without matcher: the gate sees every call and decides itself."""
        return tuple((("hooks", event), self._build_entry(by_event.get(event, command), event)) for event in self.EVENTS)

    def permission_additions(self) -> tuple[tuple[Steps, object], ...]:
        """Returns nothing: the host has no rules for calls that reach no hook."""
        return ()

    def _build_entry(self, command: Sequence[str], event: str) -> dict[str, object]:
        return {"hooks": [self._build_handler(command, event)]}

    def _build_handler(self, command: Sequence[str], event: str) -> dict[str, object]:
        line = shlex.join((*command, self.NAME, event))
        return {**self.HANDLER, "type": "command", "command": line, "timeout": self.TIMEOUT}

    def register(
        self, settings: Mapping[str, object], command: Sequence[str], by_event: Commands = NO_COMMANDS
    ) -> dict[str, object]:
        """Returns the settings with the gate registered once for every event, and everything else unchanged."""
        others = self._remove_own(settings)
        return hook_groups.append_groups(others, self.build_additions(command, by_event))

    def _remove_own(self, settings: Mapping[str, object]) -> dict[str, object]:
        return hook_groups.remove_own_handlers(settings, self.is_own)

    def _iter_own(self, settings: object) -> Iterator[hook_groups.Entry]:
        """Yields event, group and handler of each gate entry."""
        return hook_groups.iter_own_handlers(settings, self.is_own)

    def find_own_entries(self, settings: object) -> tuple[Steps, ...]:
        return tuple(hook_groups.iter_own_entries(settings, self.is_own))

    def list_events(self, settings: object) -> frozenset[str]:
        """Returns the events for which the gate is registered with the right argument."""
        return frozenset(event for event, _, handler in self._iter_own(settings) if split_command(handler)[-1] == event)

    def list_commands(self, settings: object) -> tuple[tuple[str, ...], ...]:
        return tuple(dict.fromkeys(split_command(handler)[:-2] for _, _, handler in self._iter_own(settings)))

    def find_faults(self, settings: object) -> tuple[str, ...]:
        """Returns why the client would not accept the file at all."""
        if not isinstance(settings, Mapping):
            return ("it is no JSON object",)
        hooks = settings.get("hooks", {})
        if not isinstance(hooks, Mapping):
            return ("`hooks` is no object",)
        return tuple(f"`hooks.{event}` is no list" for event, every in hooks.items() if not isinstance(every, list))

    def find_dropped_hooks(self, _settings: object) -> tuple[str, ...]:
        return ()

    def find_weaknesses(self, settings: object) -> tuple[str, ...]:
        """Returns what weakens the gate in a file that the client accepts."""
        found = self.find_switches(settings) if isinstance(settings, Mapping) else ()
        weak = hook_groups.iter_weaknesses(self._iter_own(settings), split_command, self._iter_handler_weaknesses)
        return (*found, *weak)

    def _iter_handler_weaknesses(self, handler: Mapping[str, object]) -> Iterator[str]:
        if handler.get("timeout") != self.TIMEOUT:
            yield (
                f"`timeout` is not {self.TIMEOUT} ({self.TIMEOUT_UNIT}): a hook that takes longer {self.LATE}, and the gate "
                "answers within 8 seconds"
            )
        if handler.get("async"):
            yield "`async`: the client does not wait for the answer"


class FlatHookRegistration(HookRegistration):
    """Hooks without groups: `hooks.EVENT` is a list of hooks, each perhaps with a matcher of its own."""

    def _build_entry(self, command: Sequence[str], event: str) -> dict[str, object]:
        return self._build_handler(command, event)

    def _remove_own(self, settings: Mapping[str, object]) -> dict[str, object]:
        hooks = settings.get("hooks")
        if not isinstance(hooks, Mapping):
            return dict(settings)
        kept = {
            event: [each for each in every if not self.is_own(each)] if isinstance(every, list) else every
            for event, every in hooks.items()
        }
        return {**settings, "hooks": kept}

    def _iter_own(self, settings: object) -> Iterator[hook_groups.Entry]:
        for event, _, handler in hook_groups.iter_groups(settings):
            if isinstance(handler, Mapping) and self.is_own(handler):
                yield event, handler, handler

    def find_own_entries(self, settings: object) -> tuple[Steps, ...]:
        every = hook_groups.iter_groups(settings)
        return tuple(("hooks", event, place) for event, place, handler in every if self.is_own(handler))
