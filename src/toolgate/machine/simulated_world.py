"""A simulated World, for the cases that ship beside rules and programs."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from toolgate.model.stakes import Stakes
from toolgate.model.stakes_measurement import count_changed_lines
from toolgate.model.word import Unread
from toolgate.model.world import ABSENT, UNKNOWN, CommitEntry, Entry, GitState, Kind, NoAnswer

_USUAL_BRANCHES = ("refs/heads/main", "refs/heads/master")


@dataclass(slots=True)
class SimulatedWorld:
    """`files`: path -> content; `links`: path -> target; `git_tops`: repositories by their top. All folders above them exist."""

    files: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()
    git_tops: Mapping[str, GitState] = field(default_factory=dict)
    folds_case: bool = False
    identities: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    committed: frozenset[str] = frozenset()
    lost: Mapping[str, int] = field(default_factory=dict)
    working_trees: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    _above: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        above = {"/", *self.folders}
        for path in (*self.files, *self.links, *self.folders, *self.git_tops):
            names = path.split("/")
            above.update("/".join(names[:n]) or "/" for n in range(1, len(names)))
        self._above = frozenset(above | set(self.git_tops))

    def kind(self, path: str) -> Kind | NoAnswer:
        if path in self.links:
            return "link"
        if path in self.files:
            return "file"
        return "folder" if path in self._above else ABSENT

    def link(self, path: str) -> str | NoAnswer:
        return self.links.get(path, ABSENT)

    def read(self, path: str, limit: int) -> str | Unread | NoAnswer:
        text = self.files.get(path)
        if text is not None and len(text.encode("utf-8", "surrogateescape")) > limit:
            return Unread(f"it is larger than {limit:,} bytes", "\0" in text.partition("\n")[0])
        return ABSENT if text is None else text

    def listing(self, path: str, limit: int) -> tuple[str, ...] | NoAnswer:
        if path not in self._above:
            return ABSENT
        root = path.rstrip("/") + "/"
        names = {
            each[len(root) :].partition("/")[0]
            for each in (*self.files, *self.links, *self._above)
            if each.startswith(root) and each != root
        }
        return UNKNOWN if len(names) > limit else tuple(sorted(names))

    def identity(self, path: str) -> tuple[int, int] | NoAnswer:
        return self.identities.get(path, ABSENT)

    def entry(self, path: str) -> Entry | NoAnswer:
        return UNKNOWN if path in self.files else ABSENT

    def tree(self, path: str, limit: int) -> tuple[Entry, ...] | NoAnswer:  # noqa: ARG002  (nothing here has an identity)
        return UNKNOWN

    def stamp(self, folder: str) -> Hashable:  # noqa: ARG002  (nothing changes here)
        return UNKNOWN

    def followed_files(self) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(self.files.items()))

    def as_committed(self, path: str) -> bool | NoAnswer:
        return path in self.committed

    def as_staged(self, path: str) -> bool | NoAnswer:
        beneath = [each for each in self.files if each == path or each.startswith(f"{path.rstrip('/')}/")]
        return all(each in self.committed for each in beneath) if beneath and self.committed else UNKNOWN

    def is_clean(self, folder: str) -> bool | NoAnswer:
        state = self.git(folder)
        return self.as_staged(state.root) if isinstance(state, GitState) else UNKNOWN

    def lost_commits(self, folder: str, dropped_refs: str, kept_ref: str) -> int | NoAnswer:  # noqa: ARG002  (one history per world)
        return self.lost.get(f"{dropped_refs} {kept_ref}".strip(), UNKNOWN)

    def commits(self, folder: str, ref: str, limit: int) -> tuple[CommitEntry, ...] | NoAnswer:  # noqa: ARG002  (no objects here)
        """Answers for branches alone: one that the world names nowhere does not exist."""
        state = self.git(folder)
        if not isinstance(state, GitState) or not ref.startswith("refs/heads/") or ref in _USUAL_BRANCHES:
            return UNKNOWN
        is_named = any(ref in each.split() for each in self.lost) or f"{state.root}/.git/{ref}" in self.files
        return UNKNOWN if is_named or ref.endswith(f"/{state.branch}") else ABSENT

    def stakes(self, path: str) -> Stakes | NoAnswer:
        beneath = [each for each in self.files if each == path or each.startswith(f"{path.rstrip('/')}/")]
        unheld = [each for each in beneath if each not in self.committed]
        size, unheld_size = (sum(len(self.files[each]) for each in some) for some in (beneath, unheld))
        return Stakes(len(beneath), size, 0, len(unheld), unheld_size, len(unheld)) if beneath else UNKNOWN

    def changed_lines(self, path: str, text: str) -> int | NoAnswer:
        return count_changed_lines(self.files[path], text) if path in self.files else ABSENT

    def worktrees(self, folder: str) -> tuple[str, ...] | NoAnswer:
        state = self.git(folder)
        return self.working_trees.get(state.root, (state.root,)) if isinstance(state, GitState) else ABSENT

    def git(self, path: str) -> GitState | NoAnswer:
        tops = [top for top in self.git_tops if path == top or path.startswith(top.rstrip("/") + "/")]
        return self.git_tops[max(tops, key=len)] if tops else ABSENT
