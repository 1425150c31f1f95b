"""The paths of Codex's configuration, hooks and rules."""

from collections.abc import Mapping

from toolgate.hosts.formats.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]

MANAGED_FOLDER = "/etc/codex"


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return (environ.get("CODEX_HOME") or f"{home.rstrip('/')}/.codex").rstrip("/") or "/"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the files of hooks, and the configuration, which can switch hooks off and records what its user trusts."""
    folders = (own_folder(home, environ), f"{project.rstrip('/')}/.codex")
    own = (f"{folder}/{name}" for folder in folders for name in ("hooks.json", "config.toml"))
    managed = ("config.toml", "managed_config.toml", "requirements.toml", "hooks.json")
    return (*own, *(f"{MANAGED_FOLDER}/{name}" for name in managed))
