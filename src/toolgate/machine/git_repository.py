"""The folders of a repository: the main work tree's in its `.git`, a linked one's beside the shared folder."""

import os
from typing import NamedTuple

from . import descriptors

_MAX_LINE_BYTES = 4_096


class Repository(NamedTuple):
    """`own` has the work tree's index and HEAD, `common` the refs and objects of all work trees."""

    top: str
    own: str
    common: str


def open_repository(top: str) -> Repository | None:
    """Returns the repository whose work tree has this top folder; None if `.git` leads nowhere."""
    git = f"{top.rstrip('/')}/.git"
    if os.path.isdir(git) and not os.path.islink(git):
        return Repository(top, git, git)
    pointer = read_line(git)
    if not pointer.startswith("gitdir:"):
        return None
    own = os.path.normpath(os.path.join(top, pointer[7:].strip()))
    shared = read_line(f"{own}/commondir")
    return Repository(top, own, os.path.normpath(os.path.join(own, shared)) if shared else own)


def find_worktrees(repository: Repository) -> tuple[str, ...]:
    """Returns the top folders of all work trees of a repository.

    A linked one counts if both sides agree: the repository names its folder, and the `.git` there names the repository.
    """
    found = []
    if os.path.basename(repository.common) == ".git":
        found.append(os.path.dirname(repository.common))
    folder = f"{repository.common}/worktrees"
    names = sorted(os.listdir(folder))[:_MAX_WORKTREES] if os.path.isdir(folder) else []
    for name in names:
        git = read_line(f"{folder}/{name}/gitdir")
        if not os.path.isabs(git) or os.path.basename(git) != ".git" or os.path.islink(git):
            continue
        there = open_repository(os.path.dirname(git))
        if (
            there is not None
            and there.own != there.common
            and os.path.realpath(there.own) == os.path.realpath(f"{folder}/{name}")
        ):
            found.append(os.path.dirname(git))
    return tuple(found)


_MAX_WORKTREES = 64
"""Work trees that are read."""


def read_line(path: str) -> str:
    """Returns the first line of a small regular file; empty if there is none."""
    try:
        with open(os.open(path, os.O_RDONLY | descriptors.NONBLOCK | descriptors.CLOEXEC), "rb") as opened:
            return opened.read(_MAX_LINE_BYTES).partition(b"\n")[0].decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
