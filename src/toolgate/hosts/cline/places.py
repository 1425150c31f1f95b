"""The paths of Cline's plugins and files of hooks."""

from collections.abc import Mapping

from toolgate.hosts.formats.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return (environ.get("CLINE_DIR") or f"{home.rstrip('/')}/.cline").rstrip("/") or "/"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the folders of plugins, and those of hooks, which run unasked and may rewrite a call after the gate has seen it."""
    own, project = own_folder(home, environ), project.rstrip("/")
    return (
        f"{own}/plugins/",
        f"{own}/hooks/",
        f"{home.rstrip('/')}/Documents/Cline/Hooks/",
        f"{project}/.cline/plugins/",
        f"{project}/.cline/hooks/",
        f"{project}/.clinerules/hooks/",
    )
