"""The paths of Kimi Code's configuration and plugins."""

from collections.abc import Mapping

from toolgate.hosts.formats.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return (environ.get("KIMI_CODE_HOME") or f"{home.rstrip('/')}/.kimi-code").rstrip("/") or "/"


def settings_files(home: str, _project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the files that could unhook the gate. The client reads no configuration of a project."""
    host_folder = own_folder(home, environ)
    return (f"{host_folder}/config.toml", f"{host_folder}/plugins/")
