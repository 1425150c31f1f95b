"""The paths of Cursor's files of hooks."""

from collections.abc import Mapping

from toolgate.hosts.formats.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]


def own_folder(home: str, _environ: Mapping[str, str]) -> str:
    return f"{home.rstrip('/')}/.cursor"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    folders = (own_folder(home, environ), f"{project.rstrip('/')}/.cursor", "/etc/cursor")
    return tuple(f"{folder}/hooks.json" for folder in folders)
