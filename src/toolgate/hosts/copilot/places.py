"""The paths of Copilot's hooks and settings."""

from collections.abc import Mapping

from toolgate.hosts.formats.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return (environ.get("COPILOT_HOME") or f"{home.rstrip('/')}/.copilot").rstrip("/") or "/"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the files that could unhook the gate. Every `*.json` of the user's folder of hooks is read. In a project only the
    gate's own file matters: another can only add hooks, and any hook's deny applies. The settings could switch hooks off."""
    own, project = own_folder(home, environ), project.rstrip("/")
    return (
        f"{own}/hooks/",
        f"{own}/settings.json",
        f"{own}/config.json",
        f"{project}/.github/hooks/toolgate.json",
        f"{project}/.github/copilot/settings.json",
        f"{project}/.github/copilot/settings.local.json",
    )
