"""What was worked out from the world's answers holds for as long as the answers do: it is asked again, not worked out again."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from toolgate.model.world import GitState, Kind, NoAnswer, World

T = TypeVar("T")
MOST = 8  # values that are remembered, unless said otherwise


class Noting:
    """A World that notes what it was asked, and what it said."""

    def __init__(self, world: World) -> None:
        self._world, self.folds_case = world, world.folds_case
        self.said: dict[tuple[str, tuple[Any, ...]], object] = {}

    def _ask(self, question: str, *about: Any) -> Any:
        self.said[question, about] = answer = getattr(self._world, question)(*about)
        return answer

    def kind(self, path: str) -> Kind | NoAnswer:
        return self._ask("kind", path)  # type: ignore[no-any-return]

    def link(self, path: str) -> str | NoAnswer:
        return self._ask("link", path)  # type: ignore[no-any-return]

    def read(self, path: str, limit: int) -> str | NoAnswer:
        return self._ask("read", path, limit)  # type: ignore[no-any-return]

    def listing(self, path: str, limit: int) -> tuple[str, ...] | NoAnswer:
        return self._ask("listing", path, limit)  # type: ignore[no-any-return]

    def identity(self, path: str) -> tuple[int, int] | NoAnswer:
        return self._ask("identity", path)  # type: ignore[no-any-return]

    def as_committed(self, path: str) -> bool | NoAnswer:
        return self._ask("as_committed", path)  # type: ignore[no-any-return]

    def git(self, path: str) -> GitState | NoAnswer:
        return self._ask("git", path)  # type: ignore[no-any-return]

    def followed(self) -> tuple[tuple[str, str], ...]:
        return self._world.followed()


class Memory:
    """Of this process. What a value comes from beside the world is in its key. Of more than `most`, the one that nobody asked for
    the longest is forgotten."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: dict[Hashable, tuple[dict[tuple[str, tuple[Any, ...]], object], Any]] = {}

    def of(self, key: Hashable, world: World, work_out: Callable[[World], T]) -> T:
        if (known := self._known.pop(key, None)) is not None:
            said, value = known
            if all(getattr(world, question)(*about) == answer for (question, about), answer in said.items()):
                self._known[key] = known
                found: T = value
                return found
        noting = Noting(world)
        made = work_out(noting)
        if len(self._known) >= self._most:
            self._known.pop(next(iter(self._known)), None)  # another thread may have been quicker
        self._known[key] = noting.said, made
        return made

    def forget(self, key: Hashable) -> None:
        self._known.pop(key, None)
