"""A host that is told of the gate by a file of the gate's own: a plugin, which holds nothing else."""

from collections.abc import Sequence

from toolgate.machine import build
from toolgate.model.errors import SettingsError
from toolgate.model.host import OwnFile

_ENDS = (f"{build.PACKAGE}/clients/node", f"{build.PACKAGE.removesuffix('/src/toolgate')}/clients/node")
"""The Node package in a wheel, and in a checkout."""


def node_package() -> str:
    """The folder of `@toolgate/hooks` that belongs to this very installation."""
    return _ENDS[build.installed() == build.CHECKOUT]


def with_gate(wiring: OwnFile, path: str, before: bytes | None, command: Sequence[str]) -> bytes:
    """What the file is to hold. Raises SettingsError where somebody else's file is in its place."""
    must_be_ours(wiring, path, before)
    return wiring.render(command, node_package()).encode()


def must_be_ours(wiring: OwnFile, path: str, content: bytes | None) -> None:
    if content is not None and not is_ours(wiring, content):
        raise SettingsError(path, "it is there already and is not toolgate's", "move it away; nothing was changed")


def is_ours(wiring: OwnFile, content: bytes) -> bool:
    return bool(wiring.commands(wiring.parse(content.decode("utf-8", "replace"))))
