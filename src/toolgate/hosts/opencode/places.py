"""The paths of OpenCode's settings and plugins."""

from toolgate.hosts.formats.opencode_places import OpenCodePlaces
from toolgate.hosts.formats.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]

PLACES = OpenCodePlaces("opencode", (".opencode",), ("opencode.json", "opencode.jsonc", "config.json"), "OPENCODE")
own_folder, settings_files = PLACES.own_folder, PLACES.settings_files
