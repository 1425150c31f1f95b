"""The paths of Antigravity CLI's files of hooks and plugins."""

from collections.abc import Mapping

from toolgate.hosts.formats.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]


def own_folder(home: str, _environ: Mapping[str, str]) -> str:
    return f"{home.rstrip('/')}/.gemini/config"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    host_folder = own_folder(home, environ)
    return (f"{host_folder}/hooks.json", f"{host_folder}/plugins/", f"{project.rstrip('/')}/.agents/hooks.json")
