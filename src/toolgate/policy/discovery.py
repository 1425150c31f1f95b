"""Finds and reads the files of the policy's layers."""

import errno
import os
import stat
import sys
from typing import NamedTuple

from toolgate.designs import TEAM_FOLDERS, TEAM_POLICY_FILE, USER_POLICY_FILE
from toolgate.machine import descriptors
from toolgate.machine.current_account import effective_user
from toolgate.machine.environment import ORGANISATION, Folders
from toolgate.model.errors import PolicyError
from toolgate.model.rule import Author

MAX_FILE_BYTES = 256 * 1024
POLICY_FILE = "policy.toml"
SCRIPTS_FOLDER = "deployed"  # inside the state folder: a copy of each deployed script, by its digest
SCRIPT_MODE = 0o555
DEPLOYED_FILE = "deployed.json"  # beside the user's policy: where `toolgate deploy` put the gate, and under which profile


class FoundFile(NamedTuple):
    """An existing file: its bytes, or why they cannot be read."""

    author: Author
    file: str
    data: bytes = b""
    problem: PolicyError | None = None

    @property
    def base_name(self) -> str:
        return os.path.basename(self.file)


def list_paths(folders: Folders, project: str, agents: str = "") -> tuple[tuple[Author, str], ...]:
    """Returns every layer's file, the highest first. No variable can hide the one in /etc. Files of other designs have their own
    names."""
    fixed = f"{ORGANISATION}/{POLICY_FILE}"
    organisation = fixed if os.path.lexists(fixed) else f"{folders.organisation}/{POLICY_FILE}"
    own: list[tuple[Author, str]] = [("organisation", organisation)]
    own += [("user", f"{folders.config}/{each}") for each in (POLICY_FILE, DEPLOYED_FILE)]
    if agents:
        own.append(("user", f"{agents}/state/{USER_POLICY_FILE}"))
    if project.startswith("/"):
        own += [
            ("project", f"{project.rstrip('/')}/.toolgate/{POLICY_FILE}"),
            ("project", _team_policy_path(project.rstrip("/"))),
        ]
    return tuple(own)


def _team_policy_path(project: str) -> str:
    """Returns the path of a team's own policies, in the main checkout where the project is a worktree. It need not exist."""
    main = _find_main_checkout(project)
    tops = (main, project) if main else (project,)
    every = [f"{top}/{folder}/config/{TEAM_POLICY_FILE}" for top in tops for folder in TEAM_FOLDERS]
    return next((each for each in every if os.path.lexists(each)), every[-len(TEAM_FOLDERS)])


def _find_main_checkout(project: str) -> str:
    """Returns the repository that a worktree's `.git` file names."""
    try:
        if not stat.S_ISREG(os.lstat(f"{project}/.git").st_mode):
            return ""
        with open(f"{project}/.git", "rb") as file:
            pointer = file.read(4096).decode("utf-8", "replace")
    except OSError:
        return ""
    git = os.path.normpath(os.path.join(project, pointer.removeprefix("gitdir:").strip()))
    main, found, _ = git.partition("/.git/worktrees/")
    return main if pointer.startswith("gitdir:") and found else ""


def find_files(folders: Folders, project: str, agents: str = "") -> tuple[FoundFile, ...]:
    """Returns the existing files of all layers."""
    found = (_read_file(author, file) for author, file in list_paths(folders, project, agents))
    return tuple(each for each in found if each is not None)


def _read_file(author: Author, file: str) -> FoundFile | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | descriptors.CLOEXEC | descriptors.NONBLOCK | descriptors.NOCTTY)
    except OSError as problem:
        if problem.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        return _unusable_file(author, file, problem.strerror or "cannot be opened", "make it readable, or take it away")
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return _unusable_file(author, file, "not a regular file", "put a file there, or remove it")
        if status.st_size > MAX_FILE_BYTES:
            return _unusable_file(author, file, f"larger than {MAX_FILE_BYTES // 1024} KiB", "make it shorter")
        if author != "project" and not is_trusted_owner(status):
            return _unusable_file(author, file, "others may write it", "chown it to root or yourself, and chmod o-w")
        data = b"".join(iter(lambda: os.read(descriptor, MAX_FILE_BYTES), b""))
        return FoundFile(author, file, data[: MAX_FILE_BYTES + 1])
    except OSError as problem:
        return _unusable_file(author, file, problem.strerror or "cannot be read", "make it readable, or take it away")
    finally:
        os.close(descriptor)


def is_trusted_owner(status: os.stat_result) -> bool:
    """Returns whether only root and the current user can have written the file. Windows reports no owners here."""
    if sys.platform == "win32":
        return True
    return status.st_uid in (0, effective_user()) and not status.st_mode & stat.S_IWOTH


def _unusable_file(author: Author, file: str, problem: str, remedy: str) -> FoundFile:
    return FoundFile(author, file, problem=PolicyError(file, "", problem, remedy))
