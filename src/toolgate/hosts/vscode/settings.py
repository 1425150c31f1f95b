"""Registers the gate with VS Code: a file of hooks of its own, in the folders that its documents name."""

from collections.abc import Mapping

from toolgate.hosts.formats.hook_registration import FlatHookRegistration

from .host import EVENTS, NAME
from .places import settings_files


class VSCodeRegistration(FlatHookRegistration):
    NAME, EVENTS = NAME, EVENTS
    PROGRAM = "code"
    OLDEST = (1, 108)
    BLANK = '{\n  "version": 1\n}\n'
    """Copilot reads the same folders, and wants the version of its format in each file."""

    def locate_settings(self, scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
        """Returns the file of hooks of a scope. Raises KeyError for an unknown scope."""
        return dict(zip(self.SCOPES, settings_files(home, project, environ), strict=True))[scope]


REGISTRATION = VSCodeRegistration()
