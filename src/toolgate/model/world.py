"""The machine as the deciding half sees it: questions with three kinds of answer."""

from collections.abc import Hashable
from enum import Enum
from typing import Literal, NamedTuple, Protocol

from .stakes import Stakes
from .word import Maybe, Unread


class NoAnswer(Enum):
    """ABSENT: it is not there. UNKNOWN: it could not be found out (no permission, too large, out of budget)."""

    ABSENT = "absent"
    UNKNOWN = "unknown"


ABSENT = NoAnswer.ABSENT
UNKNOWN = NoAnswer.UNKNOWN

Kind = Literal["file", "folder", "link", "device", "other"]


class GitState(NamedTuple):
    """The repository that holds a path, read from files alone. `clean` None: not found out, which counts as dirty. `ours`: it
    belongs to the user or to root."""

    root: str
    branch: str | None = None
    clean: Maybe = None
    ours: bool = True


class World(Protocol):
    """Lazy, remembered for one call, counted and recorded. Paths are absolute. Never runs a program; reads regular files only."""

    folds_case: bool

    def kind(self, path: str) -> Kind | NoAnswer:
        """What is there, links followed except for the last component (a link is `link`)."""

    def link(self, path: str) -> str | NoAnswer:
        """Where a symbolic link leads, as written; ABSENT when it is no link."""

    def read(self, path: str, limit: int) -> str | Unread | NoAnswer:
        """The content of a regular file of at most `limit` bytes, as UTF-8; a byte that is not UTF-8 stands as a lone surrogate
        (surrogateescape), so that every reader can decode it as its program does. Unread says why a file that may exist was not
        read."""

    def listing(self, path: str, limit: int) -> tuple[str, ...] | NoAnswer:
        """The names in a folder; UNKNOWN when there are more than `limit`."""

    def identity(self, path: str) -> tuple[int, int] | NoAnswer:
        """Device and inode, links followed: the same file by another name."""

    def stamp(self, folder: str) -> Hashable:
        """The same as long as no name came into this folder, left it, or turned from one kind into another; UNKNOWN where that
        cannot be told."""

    def followed(self) -> tuple[tuple[str, str], ...]:
        """Every file whose text was asked for so far, with a digest of what it held: the same files, the same answer."""

    def as_committed(self, path: str) -> bool | NoAnswer:
        """Does git hold what this file holds, with nothing else staged beside it? Told by time and size, as git asks."""

    def as_staged(self, path: str) -> bool | NoAnswer:
        """Does everything at or beneath this path that git knows of hold what the index holds of it? What is gone loses nothing;
        UNKNOWN where git knows of nothing there."""

    def is_clean(self, folder: str) -> bool | NoAnswer:
        """Is all that git knows of in the repository around this folder as HEAD has it, with nothing else staged?"""

    def lost_commits(self, folder: str, dropped: str, kept: str) -> int | NoAnswer:
        """How many commits no branch, tag or remote would lead to once the refs `dropped`, with blanks between them (`HEAD`: what
        HEAD names), lead to the revision `kept`, or, where that is empty, are gone."""

    def stakes(self, path: str) -> Stakes | NoAnswer:
        """What lies at or beneath this path, in numbers, as far as one call may count."""

    def changed_lines(self, path: str, text: str) -> int | NoAnswer:
        """How many lines would differ if the file held this text. It is looked at for that alone, and counts as none that was
        followed."""

    def worktrees(self, folder: str) -> tuple[str, ...] | NoAnswer:
        """The top folders of all working trees of the repository around this folder."""

    def git(self, path: str) -> GitState | NoAnswer:
        """The repository around a path; ABSENT when there is none."""
