"""Registers the gate with Qwen Code: its own entries in `settings.json`."""

from collections.abc import Iterator, Mapping

from toolgate.hosts.formats.hook_registration import HookRegistration

from .places import PLACES, own_folder
from .wire import EVENTS, NAME


class QwenRegistration(HookRegistration):
    """No version of the client refuses by itself when a hook fails: `OLDEST` is the measured release line."""

    NAME, EVENTS = NAME, EVENTS
    SCOPES = ("user", "project", "managed")
    PROGRAM = "qwen"
    OLDEST = (0, 24)
    TIMEOUT, TIMEOUT_UNIT = 10_000, "milliseconds"

    def locate_settings(self, scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
        """Returns the settings file of a scope. Raises KeyError for an unknown scope."""
        return {
            "user": f"{own_folder(home, environ)}/settings.json",
            "project": f"{project.rstrip('/')}/{PLACES.folder}/settings.json",
            "managed": f"{PLACES.managed_folder}/settings.json",
        }[scope]

    def find_switches(self, settings: Mapping[str, object]) -> Iterator[str]:
        if settings.get("disableAllHooks") is True:
            yield "`disableAllHooks` is true: no hook is called"


REGISTRATION = QwenRegistration()
