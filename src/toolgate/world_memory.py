"""Caches values computed from the world's answers, as long as the world gives the same answers."""

from collections.abc import Callable, Hashable, Set
from typing import Any, TypeVar

from toolgate.model.stakes import Stakes
from toolgate.model.word import Unread
from toolgate.model.world import ABSENT, UNKNOWN, CommitEntry, Entry, GitState, Kind, NoAnswer, World

T = TypeVar("T")
WorldAnswers = dict[tuple[str, tuple[Any, ...]], object]
MAX_VALUES = 8  # values that are cached by default


class RecordingWorld:
    """A World that records its questions and answers."""

    def __init__(self, world: World) -> None:
        self._world, self.folds_case = world, world.folds_case
        self.said: WorldAnswers = {}

    def _ask(self, question: str, *about: Any) -> Any:
        """Asks each question once: within a call the world's answers stay the same."""
        answer = self.said.get((question, about))
        if answer is None:
            self.said[question, about] = answer = getattr(self._world, question)(*about)
        return answer

    def kind(self, path: str) -> Kind | NoAnswer:
        return self._ask("kind", path)  # type: ignore[no-any-return]

    def link(self, path: str) -> str | NoAnswer:
        return self._ask("link", path)  # type: ignore[no-any-return]

    def read(self, path: str, limit: int) -> str | Unread | NoAnswer:
        return self._ask("read", path, limit)  # type: ignore[no-any-return]

    def listing(self, path: str, limit: int) -> tuple[str, ...] | NoAnswer:
        return self._ask("listing", path, limit)  # type: ignore[no-any-return]

    def identity(self, path: str) -> tuple[int, int] | NoAnswer:
        return self._ask("identity", path)  # type: ignore[no-any-return]

    def as_committed(self, path: str) -> bool | NoAnswer:
        return self._ask("as_committed", path)  # type: ignore[no-any-return]

    def as_staged(self, path: str) -> bool | NoAnswer:
        return self._ask("as_staged", path)  # type: ignore[no-any-return]

    def is_clean(self, folder: str) -> bool | NoAnswer:
        return self._ask("is_clean", folder)  # type: ignore[no-any-return]

    def lost_commits(self, folder: str, dropped_refs: str, kept_ref: str) -> int | NoAnswer:
        return self._ask("lost_commits", folder, dropped_refs, kept_ref)  # type: ignore[no-any-return]

    def commits(self, folder: str, ref: str, limit: int) -> tuple[CommitEntry, ...] | NoAnswer:
        return self._ask("commits", folder, ref, limit)  # type: ignore[no-any-return]

    def stakes(self, path: str) -> Stakes | NoAnswer:
        return self._ask("stakes", path)  # type: ignore[no-any-return]

    def changed_lines(self, path: str, text: str) -> int | NoAnswer:
        return self._ask("changed_lines", path, text)  # type: ignore[no-any-return]

    def worktrees(self, folder: str) -> tuple[str, ...] | NoAnswer:
        return self._ask("worktrees", folder)  # type: ignore[no-any-return]

    def git(self, path: str) -> GitState | NoAnswer:
        return self._ask("git", path)  # type: ignore[no-any-return]

    def entry(self, path: str) -> Entry | NoAnswer:
        return self._ask("entry", path)  # type: ignore[no-any-return]

    def tree(self, path: str, limit: int) -> tuple[Entry, ...] | NoAnswer:
        return self._ask("tree", path, limit)  # type: ignore[no-any-return]

    def add_answers(self, answers: WorldAnswers) -> None:
        """Records answers that a value depends on which was computed before."""
        self.said.update(answers)

    def stamp(self, folder: str) -> Hashable:
        return self._world.stamp(folder)

    def followed_files(self) -> tuple[tuple[str, str], ...]:
        return self._world.followed_files()


class CachedValue:
    """A value, and the answers that it depends on. Questions about names in a folder need not be repeated while its stamp is
    unchanged."""

    __slots__ = ("_folders", "_rest", "_times", "answers", "value")

    def __init__(self, answers: WorldAnswers, value: Any) -> None:
        self.answers, self._rest, self.value = answers, answers, value
        self._folders: dict[str, Hashable] = {}
        self._times = 0

    def is_valid(self, world: World) -> bool:
        """Returns whether all answers are still the same. The 1st, 2nd, 4th, 8th time everything is asked: by then more folders
        may be stamped."""
        self._times += 1
        if self._times & (self._times - 1) and all(world.stamp(folder) == stamp for folder, stamp in self._folders.items()):
            return _are_same_answers(world, self._rest)
        top = world.stamp("/")
        if not _are_same_answers(world, self.answers):
            return False
        self._collect_stamps(world, top)
        return True

    def _collect_stamps(self, world: World, top: Hashable) -> None:
        """Collects stamps of folders; a stamp counts only if it was read before the contents of its folder."""
        stamps = {"/": top} if top is not UNKNOWN else {}
        self._folders, self._rest = {}, {}
        texts = {about[0] for (question, about), answer in self.answers.items() if question == "read" and isinstance(answer, str)}
        for (question, about), answer in self.answers.items():
            path = about[0]
            folder = path if question == "listing" else path.rpartition("/")[0] or "/"
            if folder in stamps and self._is_answer_about_names(question, path, answer, texts):
                self._folders[folder] = stamps[folder]
            else:
                self._rest[question, about] = answer
            if question in _NAME_QUESTIONS and (stamp := world.stamp(path)) is not UNKNOWN:
                stamps[path] = stamp

    def _is_answer_about_names(self, question: str, path: str, answer: object, texts: Set[str]) -> bool:
        """Returns whether the answer holds as long as the folder's names and their kinds do. Another file may be mounted over a
        file, which does not matter if its text is asked for. `texts`: the files whose text is."""
        if question == "read":
            return answer is ABSENT and self.answers.get(("kind", (path,))) is ABSENT
        if question == "kind" and answer == "file":
            return path in texts
        return question in (*_NAME_QUESTIONS, "listing") and answer is not UNKNOWN


_NAME_QUESTIONS = ("kind", "link")


def _are_same_answers(world: World, answers: WorldAnswers) -> bool:
    return all(getattr(world, question)(*about) == answer for (question, about), answer in answers.items())


class WorldMemory:
    """Per-process cache. The key holds every input of a value except the world. Beyond `most` values, the least recently used is
    dropped."""

    def __init__(self, most: int = MAX_VALUES) -> None:
        self._most = most
        self._known: dict[Hashable, CachedValue] = {}

    def compute_or_reuse(self, key: Hashable, world: World, work_out: Callable[[World], T]) -> T:
        if (known := self._known.pop(key, None)) is not None and known.is_valid(world):
            self._known[key] = known
            if isinstance(world, RecordingWorld):
                world.add_answers(known.answers)
            found: T = known.value
            return found
        noting = RecordingWorld(world)
        made = work_out(noting)
        if len(self._known) >= self._most:
            self._known.pop(next(iter(self._known)), None)  # another thread may have removed it
        self._known[key] = CachedValue(noting.said, made)
        return made

    def forget_value(self, key: Hashable) -> None:
        self._known.pop(key, None)
