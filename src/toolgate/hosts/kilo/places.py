"""The paths of Kilo's settings and plugins."""

from toolgate.hosts.formats.opencode_places import OpenCodePlaces
from toolgate.hosts.formats.settings_only import environment_files, hook_folders

__all__ = ["environment_files", "hook_folders", "own_folder", "settings_files"]

PLACES = OpenCodePlaces(
    "kilo",
    (".kilo", ".kilocode"),
    ("kilo.json", "kilo.jsonc", "opencode.json", "opencode.jsonc", "config.json"),
    "KILO",
)
"""`.kilocode` and the names of OpenCode are of earlier releases; the client still loads them."""
own_folder, settings_files = PLACES.own_folder, PLACES.settings_files
