"""Registers the gate with Gemini CLI: its own entries in `settings.json`."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from toolgate.hosts.formats.hook_registration import HookRegistration

from .places import PLACES, own_folder
from .wire import EVENTS, NAME

HOOK_NAME = "toolgate"
"""The name by which the client lists a hook, and by which it could be switched off."""


class GeminiRegistration(HookRegistration):
    NAME, EVENTS = NAME, EVENTS
    SCOPES = ("user", "project", "managed")
    PROGRAM = "gemini"
    OLDEST = (0, 61)
    TIMEOUT, TIMEOUT_UNIT = 10_000, "milliseconds"
    HANDLER: ClassVar[Mapping[str, object]] = {"name": HOOK_NAME}

    def locate_settings(self, scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
        """Returns the settings file of a scope. Raises KeyError for an unknown scope."""
        return {
            "user": f"{own_folder(home, environ)}/settings.json",
            "project": f"{project.rstrip('/')}/{PLACES.folder}/settings.json",
            "managed": f"{PLACES.managed_folder}/settings.json",
        }[scope]

    def find_switches(self, settings: Mapping[str, object]) -> Iterator[str]:
        switches = settings.get("hooksConfig")
        if not isinstance(switches, Mapping):
            return
        if switches.get("enabled") is False:
            yield "`hooksConfig.enabled` is false: no hook is called"
        disabled = switches.get("disabled")
        if isinstance(disabled, list) and HOOK_NAME in disabled:
            yield f"`hooksConfig.disabled` names {HOOK_NAME}: the gate is not called"


REGISTRATION = GeminiRegistration()
