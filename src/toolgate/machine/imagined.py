"""A World that is only told about: for the cases that ship beside rules and programs."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from toolgate.model.world import ABSENT, UNKNOWN, GitState, Kind, NoAnswer


@dataclass(slots=True)
class Imagined:
    """`files`: path -> content; `links`: path -> target; `git_tops`: repositories by their top. All that is above them exists."""

    files: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()
    git_tops: Mapping[str, GitState] = field(default_factory=dict)
    folds_case: bool = False
    identities: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    committed: frozenset[str] = frozenset()
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

    def read(self, path: str, limit: int) -> str | NoAnswer:
        text = self.files.get(path)
        return ABSENT if text is None else UNKNOWN if len(text.encode()) > limit else text

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

    def stamp(self, folder: str) -> Hashable:  # noqa: ARG002  (nothing here takes time)
        return UNKNOWN

    def followed(self) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(self.files.items()))

    def as_committed(self, path: str) -> bool | NoAnswer:
        return path in self.committed

    def git(self, path: str) -> GitState | NoAnswer:
        tops = [top for top in self.git_tops if path == top or path.startswith(top.rstrip("/") + "/")]
        return self.git_tops[max(tops, key=len)] if tops else ABSENT
