"""What a call would lose, in numbers."""

from typing import NamedTuple


class Stakes(NamedTuple):
    """Files at or below some paths, and commits.

    `unheld`: files whose content git neither has nor ignores; `untracked`: those of them that git does not track. `ignored`:
    ignored files and folders that no tool regenerates. `newest`: time of the last change to one of them, in nanoseconds.
    `more`: there are more than were counted; `more_unheld`: there may be more that git does not have. `commits`: those that
    would become unreachable. `lines`: lines of an overwritten file that would differ.
    """

    files: int = 0
    size: int = 0
    newest: int = 0
    unheld: int = 0
    unheld_size: int = 0
    untracked: int = 0
    ignored: int = 0
    more: bool = False
    more_unheld: bool = False
    commits: int = 0
    lines: int = 0

    def __add__(self, other: object) -> "Stakes":
        if not isinstance(other, Stakes):
            return NotImplemented
        return Stakes(
            self.files + other.files,
            self.size + other.size,
            max(self.newest, other.newest),
            self.unheld + other.unheld,
            self.unheld_size + other.unheld_size,
            self.untracked + other.untracked,
            self.ignored + other.ignored,
            self.more or other.more,
            self.more_unheld or other.more_unheld,
            self.commits + other.commits,
            self.lines + other.lines,
        )


NOTHING_AT_STAKE = Stakes()

GENERATED_FOLDERS = frozenset(
    (
        *("node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
        *(".next", ".nuxt", ".turbo", ".parcel-cache", ".svelte-kit", ".angular", ".gradle", ".terraform", ".eggs"),
        *(
            "dist",
            "build",
            "target",
            "out",
            "coverage",
            "htmlcov",
            ".nyc_output",
            ".cache",
            "_build",
            "deps",
            "Pods",
            "DerivedData",
        ),
    )
)
"""Folders that a tool regenerates, if git ignores them."""
DEPENDENCY_FOLDERS = frozenset(("node_modules", "__pycache__", ".venv", "bower_components", ".tox", ".nox"))
"""Those among them that never contain work, whether git ignores them or not."""


def describe_lost_commits(stakes: Stakes | None) -> str:
    """Returns how many commits would be lost, in words; empty if none were counted."""
    if stakes is None or not stakes.commits:
        return ""
    return f"{stakes.commits:,} {'commit' if stakes.commits == 1 else 'commits'} that no other branch, tag or remote holds"
