"""The machine as pure code sees it: questions with three kinds of answer."""

from collections.abc import Hashable
from enum import Enum
from typing import Literal, NamedTuple, Protocol

from .stakes import Stakes
from .word import Maybe, Unread


class NoAnswer(Enum):
    """ABSENT: it does not exist. UNKNOWN: it could not be determined (no permission, too large, out of budget)."""

    ABSENT = "absent"
    UNKNOWN = "unknown"


ABSENT = NoAnswer.ABSENT
UNKNOWN = NoAnswer.UNKNOWN

Kind = Literal["file", "folder", "link", "device", "other"]


class GitState(NamedTuple):
    """The repository that contains a path, read from files only. `clean` None: undetermined, treated as dirty. `ours`: it
    belongs to the user or to root."""

    root: str
    branch: str | None = None
    clean: Maybe = None
    ours: bool = True


class Entry(NamedTuple):
    """A file or folder of a tree. `name`: its path below the top; empty for the top. `identity`: device, inode and, except for a
    folder, time of the last change of any kind. `modified`: when its content changed, in nanoseconds."""

    name: str
    identity: tuple[int, ...]
    modified: int


class CommitEntry(NamedTuple):
    """A commit of a branch. `time`: when it was committed, in seconds. `written`: when its file was written, in nanoseconds; 0 if
    it is in a pack."""

    digest: str
    parents: int
    time: int
    written: int


class World(Protocol):
    """Lazy, cached for one call, counted and recorded. Paths are absolute. Never runs a program; reads regular files only."""

    folds_case: bool

    def kind(self, path: str) -> Kind | NoAnswer:
        """Returns the kind of file, links followed except for the last component (a link is `link`)."""

    def link(self, path: str) -> str | NoAnswer:
        """Returns the target of a symbolic link, as written; ABSENT if it is not a link."""

    def read(self, path: str, limit: int) -> str | Unread | NoAnswer:
        """Returns the content of a regular file of at most `limit` bytes, as UTF-8; an invalid byte is a lone surrogate
        (surrogateescape), so that every reader can decode it as its program does. Unread gives the reason why a file that
        may exist was not read."""

    def listing(self, path: str, limit: int) -> tuple[str, ...] | NoAnswer:
        """Returns the names in a folder; UNKNOWN if there are more than `limit`."""

    def identity(self, path: str) -> tuple[int, int] | NoAnswer:
        """Returns device and inode, links followed: equal for another name of the same file."""

    def entry(self, path: str) -> Entry | NoAnswer:
        """Returns the entry of a path, links not followed; UNKNOWN for a file with several names."""

    def tree(self, path: str, limit: int) -> tuple[Entry, ...] | NoAnswer:
        """Returns every entry at or below a path, links not followed; UNKNOWN if there are more than `limit`, or a file with
        several names or another file system is among them."""

    def stamp(self, folder: str) -> Hashable:
        """Returns a value that changes if a name in this folder is added, removed or changes its kind; UNKNOWN if that cannot
        be told."""

    def followed_files(self) -> tuple[tuple[str, str], ...]:
        """Returns every file whose text was read so far, with a digest of it: the same files give the same answer."""

    def as_committed(self, path: str) -> bool | NoAnswer:
        """Returns whether git has this file's content, with no other version staged. Decided by time and size, as git does."""

    def as_staged(self, path: str) -> bool | NoAnswer:
        """Returns whether everything tracked at or below this path has the content of the index. Missing files lose nothing;
        UNKNOWN if git tracks nothing there."""

    def is_clean(self, folder: str) -> bool | NoAnswer:
        """Returns whether everything tracked in the repository around this folder has the content of HEAD, with nothing
        staged."""

    def lost_commits(self, folder: str, dropped_refs: str, kept_ref: str) -> int | NoAnswer:
        """Returns how many commits no branch, tag or remote reaches after `dropped_refs`, separated by blanks (`HEAD`: the ref it
        names), move to the revision `kept_ref` or, if that is empty, are deleted."""

    def commits(self, folder: str, ref: str, limit: int) -> tuple[CommitEntry, ...] | NoAnswer:
        """Returns the newest commits of a ref by first parents, at most `limit`; ABSENT if there is no such ref."""

    def stakes(self, path: str) -> Stakes | NoAnswer:
        """Returns what is at or below this path, in numbers, within the budget of one call."""

    def changed_lines(self, path: str, text: str) -> int | NoAnswer:
        """Returns how many lines would differ if the file held this text. The file does not count as followed."""

    def worktrees(self, folder: str) -> tuple[str, ...] | NoAnswer:
        """Returns the top folders of all working trees of the repository around this folder."""

    def git(self, path: str) -> GitState | NoAnswer:
        """Returns the repository around a path; ABSENT if there is none."""
