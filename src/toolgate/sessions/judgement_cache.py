"""Reuses the judgement of a repeated command, as long as the world and the store give the same answers.

Agents repeat themselves, and a host asks twice about what it asks its user. Every question that the first judgement depended on
is asked again; if one answer differs, the call is judged again.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar

from toolgate.model.action import Action, RunShell
from toolgate.model.errors import StoreError
from toolgate.model.event import Scene
from toolgate.model.rule import Policy
from toolgate.model.store import Document, Key
from toolgate.model.world import World
from toolgate.world_memory import WorldMemory

T = TypeVar("T")
ReadDocument = Callable[[Key], Document]
MAX_JUDGEMENTS = 32  # judgements
MAX_COMMAND_LENGTH = 4_000  # characters of a command


class JudgementCache:
    """Per-process cache of judgements."""

    def __init__(self) -> None:
        self._memory = WorldMemory(MAX_JUDGEMENTS)

    def judge_or_reuse(
        self,
        action: Action,
        scene: Scene,
        policy: Policy,
        world: World,
        load_document: ReadDocument,
        judged: Callable[[World, ReadDocument], T],
    ) -> T:
        """Returns the former judgement, or else calls `judged`. `load_document` reads the store."""
        if not isinstance(action, RunShell) or len(action.text) > MAX_COMMAND_LENGTH:
            return judged(world, load_document)
        key: Hashable = (action, scene.cwd, _ByEquality(scene), _ByEquality(policy))
        answers: dict[Key, Document | None] = {}

        def read_and_note(about: Key) -> Document:
            answers[about] = None  # an error of the store may not recur the next time
            answers[about] = document = load_document(about)
            return document

        before, found = self._memory.compute_or_reuse(key, world, lambda noting: (answers, judged(noting, read_and_note)))
        if before is answers or all(_is_same_document(load_document, about, document) for about, document in before.items()):
            return found
        self._memory.forget_value(key)
        return self.judge_or_reuse(action, scene, policy, world, load_document, judged)


def _is_same_document(load_document: ReadDocument, about: Key, document: Document | None) -> bool:
    """Returns whether the store still holds the document."""
    try:
        return document is not None and load_document(about) == document
    except StoreError:
        return False


class _ByEquality:
    """Wraps a value without a hash as part of a key; the other parts distinguish most keys."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByEquality) and (self.value is other.value or self.value == other.value)

    def __hash__(self) -> int:
        return 0
