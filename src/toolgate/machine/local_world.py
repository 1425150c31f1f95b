"""The World of this machine without what lies on other machines."""

from collections.abc import Callable
from typing import TypeVar

from toolgate.model.stakes import Stakes
from toolgate.model.world import UNKNOWN, Kind, NoAnswer

from .filesystems import is_beneath
from .world import MachineWorld

_T = TypeVar("_T")


class LocalWorld(MachineWorld):
    """A World that never touches network mounts: what lies on one is UNKNOWN, and no tree that holds one is counted."""

    def __init__(self, network_mounts: tuple[str, ...]) -> None:
        super().__init__()
        self._network_mounts = network_mounts

    def _ask_once(self, question: str, path: str, find: Callable[[], _T]) -> _T | NoAnswer:
        return UNKNOWN if is_beneath(path, self._network_mounts) else super()._ask_once(question, path, find)

    def kind(self, path: str) -> Kind | NoAnswer:
        return UNKNOWN if is_beneath(path, self._network_mounts) else super().kind(path)

    def stakes(self, path: str) -> Stakes | NoAnswer:
        holds_mount = any(is_beneath(mount, (path,)) for mount in self._network_mounts)
        return UNKNOWN if holds_mount else super().stakes(path)
