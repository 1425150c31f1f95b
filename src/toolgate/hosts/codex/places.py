"""The paths of Codex's configuration, hooks and rules."""

from collections.abc import Mapping

MANAGED_FOLDER = "/etc/codex"


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return (environ.get("CODEX_HOME") or f"{home.rstrip('/')}/.codex").rstrip("/") or "/"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the files of hooks, and the configuration, which can switch hooks off and records what its user trusts."""
    folders = (own_folder(home, environ), f"{project.rstrip('/')}/.codex")
    own = (f"{folder}/{name}" for folder in folders for name in ("hooks.json", "config.toml"))
    managed = ("config.toml", "managed_config.toml", "requirements.toml", "hooks.json")
    return (*own, *(f"{MANAGED_FOLDER}/{name}" for name in managed))


def environment_files(_project: str) -> tuple[str, ...]:
    """Returns nothing: a hook gets the environment that the client was started with."""
    return ()


def hook_folders(_home: str, _project: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns nothing: no folder holds only scripts."""
    return ()
