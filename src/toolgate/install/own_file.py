"""Registers the gate with a host by a file of its own: a plugin, which holds nothing else."""

from collections.abc import Sequence

from toolgate.machine import build
from toolgate.model.errors import SettingsError
from toolgate.model.host import OwnFile

_PACKAGE_FOLDERS = (f"{build.PACKAGE}/clients/node", f"{build.PACKAGE.removesuffix('/src/toolgate')}/clients/node")
"""The Node package in a wheel, and in a checkout."""


def find_node_package() -> str:
    """Returns the folder of `@toolgate/hooks` in this installation."""
    return _PACKAGE_FOLDERS[build.installed_build() == build.CHECKOUT]


def render_file(wiring: OwnFile, path: str, before: bytes | None, command: Sequence[str]) -> bytes:
    """Returns the contents of the file. Raises SettingsError where another file is in its place."""
    require_own_file(wiring, path, before)
    return wiring.render(command, find_node_package()).encode()


def require_own_file(wiring: OwnFile, path: str, content: bytes | None) -> None:
    if content is not None and not is_own_file(wiring, content):
        raise SettingsError(path, "it is there already and is not toolgate's", "move it away; nothing was changed")


def is_own_file(wiring: OwnFile, content: bytes) -> bool:
    return bool(wiring.list_commands(wiring.parse(content.decode("utf-8", "replace"))))
