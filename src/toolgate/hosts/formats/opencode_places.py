"""The settings of OpenCode and of the clients that are built from it."""

from collections.abc import Mapping
from typing import NamedTuple

CODE_FOLDERS = ("plugin/", "plugins/", "tool/", "tools/")
"""Folders whose JavaScript the client loads into its own process."""


class OpenCodePlaces(NamedTuple):
    """`name`: the client's folder in a folder of configuration. `dot_folders`: its folders in the home and in a project.
    `settings`: the names of its settings files. `prefix`: that of its variables."""

    name: str
    dot_folders: tuple[str, ...]
    settings: tuple[str, ...]
    prefix: str

    def own_folder(self, home: str, environ: Mapping[str, str]) -> str:
        configuration = environ.get("XDG_CONFIG_HOME") or f"{home.rstrip('/')}/.config"
        return f"{configuration.rstrip('/')}/{self.name}"

    def settings_files(self, home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Returns the files that could unhook the gate. A plugin runs in the client's own process: any other plugin could remove
        the gate's hooks.

        A project's settings file is beside its sources, and is start-up configuration in any folder (`zones.by_name`)."""
        beside = [f"{folder.rstrip('/')}/{name}" for folder in (home, project) for name in self.dot_folders]
        folders = [self.own_folder(home, environ), *beside, f"/etc/{self.name}"]
        if moved := environ.get(f"{self.prefix}_CONFIG_DIR", ""):
            folders.append(moved.rstrip("/"))
        named = [named for named in (environ.get(f"{self.prefix}_CONFIG", ""),) if named.startswith("/")]
        return (
            *named,
            *(f"{folder}/{name}" for folder in folders if folder.startswith("/") for name in (*self.settings, *CODE_FOLDERS)),
        )
