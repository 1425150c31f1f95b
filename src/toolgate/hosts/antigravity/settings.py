"""Registers the gate with Antigravity CLI: the named group of hooks `toolgate` in `hooks.json`."""

from collections.abc import Mapping, Sequence

from toolgate.hosts.formats.hook_registration import HookRegistration
from toolgate.model.host import NO_COMMANDS, Commands, Steps

from .host import EVENTS, NAME
from .places import own_folder

GROUP_NAME = "toolgate"


class AntigravityRegistration(HookRegistration):
    """The file maps names of groups to hooks by event. Here the gate's own group takes the place of `hooks`."""

    NAME, EVENTS = NAME, EVENTS
    PROGRAM = "agy"
    OLDEST = (1, 1)

    def locate_settings(self, scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
        """Returns the file of hooks of a scope. Raises KeyError for an unknown scope."""
        return {
            "user": f"{own_folder(home, environ)}/hooks.json",
            "project": f"{project.rstrip('/')}/.agents/hooks.json",
        }[scope]

    def build_additions(self, command: Sequence[str], by_event: Commands = NO_COMMANDS) -> tuple[tuple[Steps, object], ...]:
        return tuple(((GROUP_NAME, *steps[1:]), value) for steps, value in super().build_additions(command, by_event))

    def register(
        self, settings: Mapping[str, object], command: Sequence[str], by_event: Commands = NO_COMMANDS
    ) -> dict[str, object]:
        entries = {str(steps[1]): [value] for steps, value in self.build_additions(command, by_event)}
        return {**settings, GROUP_NAME: entries}

    def find_own_entries(self, settings: object) -> tuple[Steps, ...]:
        return tuple((GROUP_NAME, *steps[1:]) for steps in super().find_own_entries(_select_group(settings)))

    def list_events(self, settings: object) -> frozenset[str]:
        return super().list_events(_select_group(settings))

    def list_commands(self, settings: object) -> tuple[tuple[str, ...], ...]:
        return super().list_commands(_select_group(settings))

    def find_faults(self, settings: object) -> tuple[str, ...]:
        """Returns why the client would drop the whole file, of every group in it."""
        if not isinstance(settings, Mapping):
            return ("it is no JSON object",)
        groups = ((name, super(AntigravityRegistration, self).find_faults({"hooks": group})) for name, group in settings.items())
        return tuple(fault.replace("`hooks", f"`{name}") for name, faults in groups for fault in faults)

    def find_weaknesses(self, settings: object) -> tuple[str, ...]:
        return super().find_weaknesses(_select_group(settings))


def _select_group(settings: object) -> Mapping[str, object]:
    return {"hooks": settings.get(GROUP_NAME, {})} if isinstance(settings, Mapping) else {}


REGISTRATION = AntigravityRegistration()
