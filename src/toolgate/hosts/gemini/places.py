"""The paths of Gemini CLI's settings and policies."""

from collections.abc import Mapping

from toolgate.hosts.formats.gemini_places import GeminiPlaces

PLACES = GeminiPlaces(".gemini", "/etc/gemini-cli", "GEMINI_CLI", ("extensions/", "policies/", "trustedFolders.json"))
environment_files = PLACES.environment_files


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return f"{(environ.get('GEMINI_CLI_HOME') or home).rstrip('/')}/{PLACES.folder}"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    return PLACES.list_settings(own_folder(home, environ), project, environ)


def hook_folders(_home: str, _project: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns nothing: no folder holds only scripts."""
    return ()
