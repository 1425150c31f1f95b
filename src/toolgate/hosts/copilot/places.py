"""Where Copilot keeps its hooks and settings."""

from collections.abc import Mapping


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return (environ.get("COPILOT_HOME") or f"{home.rstrip('/')}/.copilot").rstrip("/") or "/"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every `*.json` of the user's folder of hooks is read; of a project's, the gate's own file is what matters: another can only
    add hooks, and any hook's deny holds. The settings beside them could switch hooks off."""
    own, project = own_folder(home, environ), project.rstrip("/")
    return (
        f"{own}/hooks/",
        f"{own}/settings.json",
        f"{own}/config.json",
        f"{project}/.github/hooks/toolgate.json",
        f"{project}/.github/copilot/settings.json",
        f"{project}/.github/copilot/settings.local.json",
    )


def environment_files(_project: str) -> tuple[str, ...]:
    """None: only the entry of a hook itself can name variables."""
    return ()


def hook_folders(_home: str, _project: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
    """None that holds scripts alone."""
    return ()
