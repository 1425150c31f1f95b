"""Finds and reads the files of the policy's layers."""

import errno
import os
import stat
import sys
from typing import NamedTuple

from toolgate.machine.environment import ORGANISATION, Folders
from toolgate.model.errors import PolicyError
from toolgate.model.rule import Author

LARGEST = 256 * 1024
NAME = "policy.toml"
GUARDRAILS = "guardrails.json"  # inside the folder of the agent's host, where its design puts it
SQUAD = "policies.json"
TEAMS = (".squad", ".ai-team")  # a team's folder, and its former name
SCRIPTS = "deployed"  # inside the state folder: a copy of each deployed script, by its digest
SCRIPT_MODE = 0o555
DEPLOYED = "deployed.json"  # beside the user's policy: where `toolgate deploy` put the gate, and under which profile


class Found(NamedTuple):
    """An existing file: its bytes, or why they cannot be read."""

    author: Author
    file: str
    data: bytes = b""
    problem: PolicyError | None = None

    @property
    def name(self) -> str:
        return os.path.basename(self.file)


def places(where: Folders, project: str, agents: str = "") -> tuple[tuple[Author, str], ...]:
    """Returns every layer's file, the highest first. No variable can hide the one in /etc. Files of other designs have their own
    names."""
    fixed = f"{ORGANISATION}/{NAME}"
    organisation = fixed if os.path.lexists(fixed) else f"{where.organisation}/{NAME}"
    own: list[tuple[Author, str]] = [("organisation", organisation)]
    own += [("user", f"{where.config}/{each}") for each in (NAME, DEPLOYED)]
    if agents:
        own.append(("user", f"{agents}/state/{GUARDRAILS}"))
    if project.startswith("/"):
        own += [("project", f"{project.rstrip('/')}/.toolgate/{NAME}"), ("project", _of_the_team(project.rstrip("/")))]
    return tuple(own)


def _of_the_team(project: str) -> str:
    """Returns the path of a team's own policies, in the main checkout where the project is a worktree. It need not exist."""
    main = _main_checkout(project)
    tops = (main, project) if main else (project,)
    every = [f"{top}/{folder}/config/{SQUAD}" for top in tops for folder in TEAMS]
    return next((each for each in every if os.path.lexists(each)), every[-len(TEAMS)])


def _main_checkout(project: str) -> str:
    """Returns the repository that a worktree's `.git` file names."""
    try:
        if not stat.S_ISREG(os.lstat(f"{project}/.git").st_mode):
            return ""
        with open(f"{project}/.git", "rb") as file:
            said = file.read(4096).decode("utf-8", "replace")
    except OSError:
        return ""
    git = os.path.normpath(os.path.join(project, said.removeprefix("gitdir:").strip()))
    main, found, _ = git.partition("/.git/worktrees/")
    return main if said.startswith("gitdir:") and found else ""


def search(where: Folders, project: str, agents: str = "") -> tuple[Found, ...]:
    """Returns the existing files of all layers."""
    found = (_read(author, file) for author, file in places(where, project, agents))
    return tuple(each for each in found if each is not None)


def _read(author: Author, file: str) -> Found | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as problem:
        if problem.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        return _broken(author, file, problem.strerror or "cannot be opened", "make it readable, or take it away")
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return _broken(author, file, "not a regular file", "put a file there, or take it away")
        if status.st_size > LARGEST:
            return _broken(author, file, f"larger than {LARGEST // 1024} KiB", "make it shorter")
        if author != "project" and not trusted(status):
            return _broken(author, file, "others may write it", "chown it to root or yourself, and chmod o-w")
        data = b"".join(iter(lambda: os.read(descriptor, LARGEST), b""))
        return Found(author, file, data[: LARGEST + 1])
    except OSError as problem:
        return _broken(author, file, problem.strerror or "cannot be read", "make it readable, or take it away")
    finally:
        os.close(descriptor)


def trusted(status: os.stat_result) -> bool:
    """Returns whether only root and the current user can have written the file. Windows reports no owners here."""
    if sys.platform == "win32":
        return True
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & stat.S_IWOTH


def _broken(author: Author, file: str, problem: str, remedy: str) -> Found:
    return Found(author, file, problem=PolicyError(file, "", problem, remedy))
