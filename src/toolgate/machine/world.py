"""The only access to the machine for the deciding half."""

import os
import stat
import sys
import time
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from toolgate.model.place import OPEN_FILES
from toolgate.model.stakes import Stakes
from toolgate.model.stakes_measurement import count_changed_lines
from toolgate.model.word import Unread
from toolgate.model.world import ABSENT, UNKNOWN, CommitEntry, Entry, GitState, Kind, NoAnswer

from . import descriptors
from .current_account import effective_user
from .trees import read_entry, read_tree

if TYPE_CHECKING:
    from .git_state import GitReader

_T = TypeVar("_T")
MAX_QUESTIONS = 2_000
SETTLED_NANOSECONDS = (
    3_000_000_000  # nanoseconds: file systems have coarse clocks, and two changes in one tick have the same time
)
_MAX_COMPARED_BYTES = 262_144  # bytes of a file
_ABSENT_ERRORS = (FileNotFoundError, NotADirectoryError)


class MachineWorld:
    """The World of this machine (model.world): lazy, each question asked once, counted and recorded.

    It runs no program, opens regular files only and never waits: a pipe or a device is UNKNOWN.
    """

    def __init__(self) -> None:
        self.folds_case = sys.platform in ("darwin", "win32")
        self.answers: dict[tuple[str, str], object] = {}
        self._folders: dict[str, os.stat_result] = {}
        self._repository_tops: dict[str, str] = {}
        self._opened: GitReader | None = None

    def _ask_once(self, question: str, path: str, find: Callable[[], _T]) -> _T | NoAnswer:
        if path.startswith(OPEN_FILES):  # the gate's own open files differ from the call's
            return UNKNOWN
        key = (question, path)
        if key in self.answers:
            return self.answers[key]  # type: ignore[return-value]
        if len(self.answers) >= MAX_QUESTIONS:
            return UNKNOWN
        answer: _T | NoAnswer
        try:
            answer = find()
        except _ABSENT_ERRORS:
            answer = ABSENT
        except (OSError, ValueError):
            answer = UNKNOWN
        self.answers[key] = answer
        return answer

    def kind(self, path: str) -> Kind | NoAnswer:
        """Most questions are of this kind, so it takes a shorter path than the others."""
        answers, key = self.answers, ("kind", path)
        answer: Any = answers.get(key)
        if answer is not None:
            return answer  # type: ignore[no-any-return]
        if len(answers) >= MAX_QUESTIONS or path.startswith(OPEN_FILES):
            return UNKNOWN
        if answers.get(("kind", path.rpartition("/")[0])) is ABSENT:
            answer = ABSENT  # nothing can be in an absent folder
        else:
            try:
                status = os.lstat(path)
                answer = _KINDS.get(status.st_mode & _FORMAT_MASK, "other")
                if answer == "folder":
                    self._folders[path] = status
            except _ABSENT_ERRORS:
                answer = ABSENT
            except (OSError, ValueError):
                answer = UNKNOWN
        answers[key] = answer
        return answer  # type: ignore[no-any-return]

    def stamp(self, folder: str) -> Hashable:
        """Returns the folder's state when `kind` read it, before its entries were read."""
        if self.kind(folder) != "folder" or (status := self._folders.get(folder)) is None:
            return UNKNOWN
        return (status.st_dev, status.st_ino, status.st_ctime_ns) if is_settled(status) else UNKNOWN

    def _is_known_absent(self, path: str) -> bool:
        return self.answers.get(("kind", path)) is ABSENT

    def link(self, path: str) -> str | NoAnswer:
        kind = self.kind(path)
        if kind == "link":
            return self._ask_once("link", path, lambda: os.readlink(path))
        return kind if kind is UNKNOWN else ABSENT

    def read(self, path: str, limit: int) -> str | Unread | NoAnswer:
        answer = self._ask_once(f"read {limit}", path, lambda: ABSENT if self._is_known_absent(path) else _read_text(path, limit))
        if answer is not UNKNOWN:
            return answer
        if len(self.answers) >= MAX_QUESTIONS and (f"read {limit}", path) not in self.answers:
            return Unread(f"this call asks for more than {MAX_QUESTIONS:,} files and folders")
        return Unread("it cannot be opened")

    def listing(self, path: str, limit: int) -> tuple[str, ...] | NoAnswer:
        return self._ask_once(f"listing {limit}", path, lambda: _list_names(path, limit))

    def identity(self, path: str) -> tuple[int, int] | NoAnswer:
        return self._ask_once("identity", path, lambda: _hard_link_identity(path))

    def entry(self, path: str) -> Entry | NoAnswer:
        return self._ask_once("entry", path, lambda: read_entry(path))

    def tree(self, path: str, limit: int) -> tuple[Entry, ...] | NoAnswer:
        return self._ask_once(f"tree {limit}", path, lambda: read_tree(path, limit))

    def followed_files(self) -> tuple[tuple[str, str], ...]:
        """Returns a digest per file; one that was no text, or too large, is represented by its time and size."""
        found = {}
        for (question, path), answer in self.answers.items():
            if question.startswith("read "):
                text = isinstance(answer, str)
                found[path] = sha256(str(answer).encode("utf-8", "surrogateescape")).hexdigest() if text else _fingerprint(path)
        return tuple(sorted(found.items()))

    def git(self, path: str) -> GitState | NoAnswer:
        """Finds the nearest `.git` above: a folder, or (worktrees, submodules) a file."""
        top = path
        while True:
            kind = self.kind(f"{top.rstrip('/')}/.git")
            if kind in ("folder", "file"):
                git = f"{top.rstrip('/')}/.git"
                return GitState(top, self._read_branch(git, kind), ours=self._is_ours(git))
            if top in ("/", ""):
                return ABSENT
            top = top.rpartition("/")[0] or "/"

    def as_committed(self, path: str) -> bool | NoAnswer:
        top = self._owned_repository_top(path.rpartition("/")[0] or "/")
        return self._ask_once("as committed", path, lambda: self._git_reader.has_committed_content(top, path)) if top else UNKNOWN

    def as_staged(self, path: str) -> bool | NoAnswer:
        top = self._owned_repository_top(path)
        return self._ask_once("as staged", path, lambda: self._git_reader.has_staged_content(top, path)) if top else UNKNOWN

    def is_clean(self, folder: str) -> bool | NoAnswer:
        top = self._owned_repository_top(folder)
        return self._ask_once("clean", top, lambda: self._git_reader.is_clean(top)) if top else UNKNOWN

    def lost_commits(self, folder: str, dropped_refs: str, kept_ref: str) -> int | NoAnswer:
        top, question = self._owned_repository_top(folder), f"commits lost without {dropped_refs}, at {kept_ref}"
        return (
            self._ask_once(question, top, lambda: self._git_reader.count_lost_commits(top, dropped_refs, kept_ref))
            if top
            else UNKNOWN
        )

    def commits(self, folder: str, ref: str, limit: int) -> tuple[CommitEntry, ...] | NoAnswer:
        top = self._owned_repository_top(folder)
        return (
            self._ask_once(f"{limit} commits of {ref}", top, lambda: self._git_reader.list_commits(top, ref, limit))
            if top
            else UNKNOWN
        )

    @property
    def _git_reader(self) -> "GitReader":
        """Returns the reader, which is loaded for the first question about a repository: most calls ask none."""
        if self._opened is None:
            from .git_state import GitReader

            self._opened = GitReader()
        return self._opened

    def stakes(self, path: str) -> Stakes | NoAnswer:
        top = self._owned_repository_top(path)
        return self._ask_once("stakes", path, lambda: self._git_reader.count_stakes(path, top, os.path.expanduser("~")))

    def changed_lines(self, path: str, text: str) -> int | NoAnswer:
        def count_changes() -> int | NoAnswer:
            before = _read_text(path, _MAX_COMPARED_BYTES)
            return count_changed_lines(before, text) if isinstance(before, str) else UNKNOWN

        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return self._ask_once(f"lines changed by {digest}", path, count_changes)

    def worktrees(self, folder: str) -> tuple[str, ...] | NoAnswer:
        top = self._owned_repository_top(folder)
        return self._ask_once("worktrees", top, lambda: self._list_worktrees(top)) if top else UNKNOWN

    def _list_worktrees(self, top: str) -> tuple[str, ...] | NoAnswer:
        git = f"{top.rstrip('/')}/.git"
        has_others = self.kind(git) != "folder" or self.kind(f"{git}/worktrees") is not ABSENT
        return self._git_reader.list_worktrees(top) if has_others else (top,)

    def _owned_repository_top(self, path: str) -> str:
        """Returns the top of the repository around a path, if it belongs to the user or root; empty if there is none."""
        top, tops, passed = path, self._repository_tops, list[str]()
        while (found := tops.get(top)) is None:
            passed.append(top)
            if self.kind(git := f"{top.rstrip('/')}/.git") in ("folder", "file"):
                found = top if self._is_ours(git) else ""
                break
            if top in ("/", ""):
                found = ""
                break
            top = top.rpartition("/")[0] or "/"
        tops.update(dict.fromkeys(passed, found))
        return found

    def _is_ours(self, path: str) -> bool:
        return self._ask_once("ours", path, lambda: _is_owned_by_user(self._folders.get(path) or os.lstat(path))) is True

    def _read_branch(self, git: str, kind: Kind | NoAnswer) -> str | None:
        if kind == "file":
            pointer = self.read(git, 4096)
            if not isinstance(pointer, str) or not pointer.startswith("gitdir:"):
                return None
            git = os.path.join(os.path.dirname(git), pointer[7:].strip())
        head = self.read(f"{git}/HEAD", 4096)
        return head[16:].strip() if isinstance(head, str) and head.startswith("ref: refs/heads/") else None


class RecordedWorld(MachineWorld):
    """The recorded answers only, so that a decision can be judged again."""

    def __init__(self, answers: Mapping[tuple[str, str], object], *, folds_case: bool) -> None:
        super().__init__()
        self.answers, self.folds_case = dict(answers), folds_case

    def _ask_once(self, question: str, path: str, find: Callable[[], _T]) -> _T | NoAnswer:  # noqa: ARG002  (only recorded answers)
        return self.answers.get((question, path), UNKNOWN)  # type: ignore[return-value]

    def kind(self, path: str) -> Kind | NoAnswer:
        return self.answers.get(("kind", path), UNKNOWN)  # type: ignore[return-value]


def is_settled(status: os.stat_result) -> bool:
    """Returns whether any later change will show in the time of change: not if it was changed just now, or if its device keeps
    no such times."""
    return time.time_ns() - status.st_ctime_ns > SETTLED_NANOSECONDS and _updates_change_times(status.st_dev)


@cache
def _updates_change_times(device: int) -> bool:
    """Returns whether a folder on this device has the time of its last change. /proc does not, and network or FUSE file systems
    may not: of devices without a disk, only the root is trusted. Windows reports another time under this name."""
    return sys.platform != "win32" and (os.major(device) != 0 or device == os.lstat("/").st_dev)


def _fingerprint(path: str) -> str:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return "absent"
    return f"{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"


def _is_owned_by_user(status: os.stat_result) -> bool:
    """Returns whether a file is the user's or root's, as git requires before it uses a repository's configuration. Windows
    reports no owners here."""
    return sys.platform == "win32" or status.st_uid in (0, effective_user())


_FORMAT_MASK = 0o170000
_KINDS: dict[int, Kind] = {
    stat.S_IFLNK: "link",
    stat.S_IFDIR: "folder",
    stat.S_IFREG: "file",
    stat.S_IFBLK: "device",
    stat.S_IFCHR: "device",
}


_SCRIPT_CHECK_BYTES = 80
"""Bytes in which bash searches for a NUL before it runs a file as a script."""


def _read_text(path: str, limit: int) -> str | Unread:
    try:
        descriptor = os.open(path, os.O_RDONLY | descriptors.NONBLOCK | descriptors.CLOEXEC | descriptors.NOCTTY)
    except PermissionError:
        return Unread("this user may not read it")
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Unread("it is not a regular file")
        size = limit if status.st_size <= limit else _SCRIPT_CHECK_BYTES
        data = b""
        while len(data) <= size and (more := os.read(descriptor, size + 1 - len(data))):
            data += more
            if len(data) == status.st_size:
                break  # files of /proc have no size, and end where nothing more is read
    finally:
        os.close(descriptor)
    if len(data) > size:
        return Unread(f"it is larger than {limit:,} bytes", b"\0" in data[:_SCRIPT_CHECK_BYTES].partition(b"\n")[0])
    return data.decode("utf-8", "surrogateescape")


def _list_names(path: str, limit: int) -> tuple[str, ...] | NoAnswer:
    names: list[str] = []
    with os.scandir(path) as entries:
        for entry in entries:
            names.append(entry.name)
            if len(names) > limit:
                return UNKNOWN
    return tuple(sorted(names))


def _hard_link_identity(path: str) -> tuple[int, int] | NoAnswer:
    status = os.stat(path)
    return (status.st_dev, status.st_ino) if status.st_nlink > 1 else ABSENT
