"""Counts the commits that would become unreachable if a ref were deleted or moved."""

import heapq
import os
import re
from collections.abc import Callable

from toolgate.model.world import ABSENT, UNKNOWN, CommitEntry, NoAnswer

from .git_objects import Commit, ObjectStore
from .git_repository import Repository, find_worktrees, open_repository, read_line

_MAX_COMMITS = 2_000
"""Commits that are read for one answer."""
_MAX_REFS = 2_000
_MAX_PACKED_BYTES = 4_000_000
_KEEPING_PREFIXES = ("refs/heads/", "refs/remotes/", "refs/tags/")
_DIGEST = re.compile(r"[0-9a-f]{40}")
_ANCESTRY_SUFFIX = re.compile(r"(?:~\d*|\^\d*)*")
_TARGET_MARK, _KEPT_MARK = 1, 2


class History:
    """The refs and commits of one repository, read once."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._objects = ObjectStore(f"{repository.common}/objects")
        self._commits: dict[str, Commit | None] = {}
        self.refs = _read_refs(repository.common)
        self.head = read_line(f"{repository.own}/HEAD")

    def resolve_revision(self, revision: str) -> str | None:
        """Returns the digest of the commit that a revision names: a ref or a full digest, with optional `~n` and `^n`."""
        cut = min((revision.find(char) for char in "~^" if char in revision), default=len(revision))
        name, steps = revision[:cut] or "HEAD", revision[cut:]
        digest = self._resolve_name(name)
        if not _ANCESTRY_SUFFIX.fullmatch(steps):
            return None
        for sign, number in re.findall(r"([~^])(\d*)", steps):
            count = int(number[:4] or 1)
            for _ in range(count if sign == "~" else 1):
                commit = self._read_commit(digest) if digest is not None else None
                parents = commit.parents if commit is not None else ()
                at = 0 if sign == "~" else count - 1
                digest = parents[at] if 0 <= at < len(parents) else None
        return digest

    def _resolve_name(self, name: str) -> str | None:
        if name in ("HEAD", "@"):
            return self.refs.get(self.head[5:].strip()) if self.head.startswith("ref: ") else self.head or None
        if _DIGEST.fullmatch(name):
            return name
        candidates = (f"{prefix}{name}" for prefix in ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"))
        return next((self.refs[each] for each in candidates if each in self.refs), None)

    def tree_of_revision(self, revision: str) -> str | None:
        """Returns the digest of a revision's tree."""
        digest = self.resolve_revision(revision)
        commit = self._read_commit(digest) if digest is not None else None
        return None if commit is None else commit.tree

    def count_lost(self, dropped_refs: tuple[str, ...], kept_ref: str = "") -> int | None:
        """Returns how many commits become unreachable when `dropped_refs` (`HEAD`: its ref) move to `kept_ref` or are deleted.

        None if unknown: an unknown revision, a broken or a very long history. Tags, branches and
        fetched refs keep commits; the stash and the reflog do not.
        """
        current = self.head[5:].strip() if self.head.startswith("ref: ") else "HEAD"
        names = {current if name == "HEAD" else name for name in dropped_refs}
        here, stays = self.resolve_revision("HEAD"), self.resolve_revision(kept_ref) if kept_ref else None
        if here is None or (kept_ref and stays is None):
            return None
        starts = [here if name == "HEAD" else self.refs.get(name) for name in names]  # a missing ref loses nothing
        keeping = {digest for name, digest in self.refs.items() if name not in names and name.startswith(_KEEPING_PREFIXES)}
        keeping |= self._other_heads()
        keeping |= {stays} if stays is not None else set()
        keeping |= {here} if current not in names else set()
        left = [start for start in starts if start is not None and start not in keeping]
        return _HistoryWalk(self._read_commit).count_lost(left, keeping) if left else 0

    def list_commits(self, ref: str, limit: int) -> tuple[CommitEntry, ...] | NoAnswer:
        """Returns the newest commits of a ref by first parents; UNKNOWN if one cannot be read."""
        digest = self.refs.get(ref)
        if digest is None:
            return ABSENT if self.head else UNKNOWN
        found: list[CommitEntry] = []
        while digest is not None and len(found) < limit:
            commit = self._read_commit(digest)
            if commit is None:
                return UNKNOWN
            found.append(CommitEntry(digest, len(commit.parents), commit.time, self._objects.read_write_time(digest)))
            digest = commit.parents[0] if commit.parents else None
        return tuple(found)

    def _other_heads(self) -> set[str]:
        """Returns the commits of detached HEADs in other work trees of the repository."""
        tops = (open_repository(top) for top in find_worktrees(self._repository))
        heads = {read_line(f"{other.own}/HEAD") for other in tops if other is not None and other.own != self._repository.own}
        return {head for head in heads if _DIGEST.fullmatch(head)}

    def _read_commit(self, digest: str) -> Commit | None:
        if digest not in self._commits:
            self._commits[digest] = self._objects.read_commit(digest) if _DIGEST.fullmatch(digest) else None
        return self._commits[digest]


class _HistoryWalk:
    """A walk through history from the newest commit. Each commit has the marks of the refs that reach it."""

    def __init__(self, read: Callable[[str], Commit | None]) -> None:
        self._read = read
        self._marks: dict[str, int] = {}
        self._queue: list[tuple[int, str]] = []
        self._waiting: set[str] = set()
        self._open = 0  # waiting commits that only the targets reach

    def count_lost(self, targets: list[str], keeping: set[str]) -> int | None:
        """Returns how many commits only the targets reach; None if unknown."""
        for digest in targets:
            if not self._add_marks(digest, _TARGET_MARK):
                return None
        for digest in sorted(keeping):
            self._add_marks(digest, _KEPT_MARK)
        oldest = 1 << 62
        while self._queue and (self._open or -self._queue[0][0] >= oldest):
            if len(self._marks) > _MAX_COMMITS:
                return None
            _, digest = heapq.heappop(self._queue)
            self._waiting.discard(digest)
            marks, commit = self._marks[digest], self._read(digest)
            if commit is None:
                continue
            if marks == _TARGET_MARK:
                self._open -= 1
                oldest = min(oldest, commit.time)
            for parent in commit.parents:
                if not self._add_marks(parent, marks):
                    return None
        return sum(marks == _TARGET_MARK for marks in self._marks.values())

    def _add_marks(self, digest: str, marks: int) -> bool:
        """Adds marks to a commit. Returns whether it could be read; a missing commit of a kept ref is tolerated."""
        before = self._marks.get(digest, 0)
        if before | marks == before:
            return True
        commit = self._read(digest)
        if commit is None:
            return marks != _TARGET_MARK
        if before == _TARGET_MARK and digest in self._waiting:
            self._open -= 1
        self._marks[digest] = before | marks
        self._open += self._marks[digest] == _TARGET_MARK
        if digest not in self._waiting:
            self._waiting.add(digest)
            heapq.heappush(self._queue, (-commit.time, digest))
        return True


def _read_refs(common: str) -> dict[str, str]:
    found: dict[str, str] = {}
    try:
        with open(f"{common}/packed-refs", encoding="utf-8", errors="surrogateescape") as opened:
            for line in opened.read(_MAX_PACKED_BYTES).splitlines():
                digest, _, name = line.partition(" ")
                if _DIGEST.fullmatch(digest):
                    found[name] = digest
                elif line.startswith("^") and found:
                    found[next(reversed(found))] = line[1:]  # the commit of a tag object
    except OSError:
        pass
    looked_at = 0
    for prefix in _KEEPING_PREFIXES:
        for folder, _, names in os.walk(f"{common}/{prefix}"):
            for name in names:
                looked_at += 1
                if looked_at > _MAX_REFS:
                    return found
                path = f"{folder.rstrip('/')}/{name}"
                digest = read_line(path)
                if _DIGEST.fullmatch(digest):
                    found[path[len(common) + 1 :].replace("//", "/")] = digest
    return found
