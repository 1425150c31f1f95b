"""The settings of Gemini CLI and of the clients that are built from it."""

from collections.abc import Mapping
from typing import NamedTuple

from .dotenv import iter_dotenv_files


class GeminiPlaces(NamedTuple):
    """`folder`: the client's folder in the home and in a project. `managed_folder`: that of the administrator. `prefix`: that of
    the variables which move the administrator's files. `trusted`: what in the own folder the client trusts."""

    folder: str
    managed_folder: str
    prefix: str
    trusted: tuple[str, ...]

    def list_settings(self, own_folder: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Returns the files that could unhook the gate: settings of every scope, extensions, and the folders that are trusted."""
        moved = (environ.get(f"{self.prefix}_SYSTEM_{name}_PATH", "") for name in ("SETTINGS", "DEFAULTS"))
        return (
            f"{own_folder}/settings.json",
            f"{project.rstrip('/')}/{self.folder}/settings.json",
            f"{self.managed_folder}/settings.json",
            f"{self.managed_folder}/system-defaults.json",
            *(path for path in moved if path.startswith("/")),
            *(f"{own_folder}/{name}" for name in self.trusted),
        )

    def environment_files(self, project: str) -> tuple[str, ...]:
        return tuple(iter_dotenv_files(project, self.folder))
