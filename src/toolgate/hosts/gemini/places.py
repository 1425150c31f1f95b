"""The paths of Gemini CLI's settings and policies."""

from collections.abc import Mapping

from toolgate.hosts.dotenv import iter_dotenv_files

MANAGED_FOLDER = "/etc/gemini-cli"
FOLDER = ".gemini"


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return f"{(environ.get('GEMINI_CLI_HOME') or home).rstrip('/')}/{FOLDER}"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the files that could unhook the gate: settings of every scope, extensions, and the folders that are trusted."""
    host_folder = own_folder(home, environ)
    moved = (environ.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH", ""), environ.get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", ""))
    return (
        f"{host_folder}/settings.json",
        f"{project.rstrip('/')}/{FOLDER}/settings.json",
        f"{MANAGED_FOLDER}/settings.json",
        f"{MANAGED_FOLDER}/system-defaults.json",
        *(path for path in moved if path.startswith("/")),
        f"{host_folder}/extensions/",
        f"{host_folder}/policies/",
        f"{host_folder}/trustedFolders.json",
    )


def environment_files(project: str) -> tuple[str, ...]:
    return tuple(iter_dotenv_files(project, FOLDER))


def hook_folders(_home: str, _project: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns nothing: no folder holds only scripts."""
    return ()
