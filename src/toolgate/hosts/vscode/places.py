"""The paths of the files of hooks that VS Code reads; it reads those of Copilot and of Claude Code as well."""

from collections.abc import Mapping

from toolgate.hosts.formats.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]

FILE = "toolgate-vscode.json"


def own_folder(home: str, _environ: Mapping[str, str]) -> str:
    return f"{home.rstrip('/')}/.copilot"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the gate's own files: another can only add hooks, and any hook's denial applies."""
    return (f"{own_folder(home, environ)}/hooks/{FILE}", f"{project.rstrip('/')}/.github/hooks/{FILE}")
