"""The paths of OpenCode's settings and plugins."""

from collections.abc import Mapping

from toolgate.hosts.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]

MANAGED_FOLDER = "/etc/opencode"
SETTINGS_NAMES = ("opencode.json", "opencode.jsonc", "config.json")
CODE_FOLDERS = ("plugin/", "plugins/", "tool/", "tools/")
"""Folders whose JavaScript the client loads into its own process."""


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    configuration = environ.get("XDG_CONFIG_HOME") or f"{home.rstrip('/')}/.config"
    return f"{configuration.rstrip('/')}/opencode"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the files that could unhook the gate. A plugin runs in the client's own process: any other plugin could remove the
    gate's hooks.

    A project's `opencode.json` is beside its sources, and is start-up configuration in any folder (`zones.by_name`)."""
    project = project.rstrip("/")
    folders = [own_folder(home, environ), f"{home.rstrip('/')}/.opencode", f"{project}/.opencode", MANAGED_FOLDER]
    if moved := environ.get("OPENCODE_CONFIG_DIR", ""):
        folders.append(moved.rstrip("/"))
    named = [named for named in (environ.get("OPENCODE_CONFIG", ""),) if named.startswith("/")]
    return (
        *named,
        *(f"{folder}/{name}" for folder in folders if folder.startswith("/") for name in (*SETTINGS_NAMES, *CODE_FOLDERS)),
    )
