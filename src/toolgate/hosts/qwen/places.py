"""The paths of Qwen Code's settings."""

from collections.abc import Mapping

from toolgate.hosts.dotenv import iter_dotenv_files

MANAGED_FOLDER = "/etc/qwen-code"
FOLDER = ".qwen"


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return (environ.get("QWEN_HOME") or f"{home.rstrip('/')}/{FOLDER}").rstrip("/") or "/"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the files that could unhook the gate: settings of every scope, extensions, and the folders that are trusted."""
    host_folder = own_folder(home, environ)
    moved = (environ.get("QWEN_CODE_SYSTEM_SETTINGS_PATH", ""), environ.get("QWEN_CODE_SYSTEM_DEFAULTS_PATH", ""))
    return (
        f"{host_folder}/settings.json",
        f"{project.rstrip('/')}/{FOLDER}/settings.json",
        f"{MANAGED_FOLDER}/settings.json",
        f"{MANAGED_FOLDER}/system-defaults.json",
        *(path for path in moved if path.startswith("/")),
        f"{host_folder}/extensions/",
        f"{host_folder}/trustedFolders.json",
    )


def environment_files(project: str) -> tuple[str, ...]:
    return tuple(iter_dotenv_files(project, FOLDER))


def hook_folders(_home: str, _project: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns nothing: no folder holds only scripts."""
    return ()
