"""A command that is asked for again: it is judged as before, for as long as the world gives the answers that this rests on.

Agents repeat themselves, and a host asks twice about what it asks its user. Every question that the first judgement put to the
world is put to it again; one that is answered otherwise, and the call is judged anew.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar

from toolgate.model.action import Action, RunShell
from toolgate.model.event import Scene
from toolgate.model.rule import Policy
from toolgate.model.world import World

from .remembering import Memory

T = TypeVar("T")
MOST = 32  # judgements
LONGEST = 4_000  # characters of a command


class Recall:
    """Of this process. What was judged by what the store holds is not kept: that may be otherwise the next time."""

    def __init__(self) -> None:
        self._memory = Memory(MOST)

    def of(
        self,
        action: Action,
        scene: Scene,
        policy: Policy,
        world: World,
        judged: Callable[[World], T],
        rests_on_state: Callable[[], bool],
    ) -> T:
        """As it was judged before, or else `judged` in this world. `rests_on_state` tells of what was judged just now."""
        if not isinstance(action, RunShell) or len(action.text) > LONGEST:
            return judged(world)
        key: Hashable = (action, scene.cwd, _Same(scene), _Same(policy))
        found = self._memory.of(key, world, judged)
        if rests_on_state():
            self._memory.forget(key)
        return found


class _Same:
    """A value without a hash, as a part of a key whose other parts tell most keys apart."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and (self.value is other.value or self.value == other.value)

    def __hash__(self) -> int:
        return 0
