"""The paths of Qwen Code's settings."""

from collections.abc import Mapping

from toolgate.hosts.formats.gemini_places import GeminiPlaces

PLACES = GeminiPlaces(".qwen", "/etc/qwen-code", "QWEN_CODE", ("extensions/", "trustedFolders.json"))
environment_files = PLACES.environment_files


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return (environ.get("QWEN_HOME") or f"{home.rstrip('/')}/{PLACES.folder}").rstrip("/") or "/"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    return PLACES.list_settings(own_folder(home, environ), project, environ)


def hook_folders(_home: str, _project: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns nothing: no folder holds only scripts."""
    return ()
