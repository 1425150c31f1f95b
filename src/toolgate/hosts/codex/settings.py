"""Registers the gate with Codex: its own entries in `hooks.json`, which its user has to trust (`trust.py`)."""

from collections.abc import Mapping

from toolgate.hosts.formats.hook_registration import HookRegistration

from . import trust
from .places import own_folder
from .wire import EVENTS, NAME


class CodexRegistration(HookRegistration):
    """No version of the client refuses by itself when a hook fails: `OLDEST` is the measured release line."""

    NAME, EVENTS = NAME, EVENTS
    PROGRAM = "codex"
    OLDEST = (0, 169)
    TRUST = "Codex runs a hook only once you trust it: start codex and look them through with /hooks"
    trust_file = staticmethod(trust.trust_file)
    read_trusted_events = staticmethod(trust.read_trusted_events)
    add_trust = staticmethod(trust.add_trust)
    remove_trust = staticmethod(trust.remove_trust)

    def locate_settings(self, scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
        """Returns the file of hooks of a scope. Raises KeyError for an unknown scope."""
        return {
            "user": f"{own_folder(home, environ)}/hooks.json",
            "project": f"{project.rstrip('/')}/.codex/hooks.json",
        }[scope]


REGISTRATION = CodexRegistration()
