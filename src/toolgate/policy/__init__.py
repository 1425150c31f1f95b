"""Finds, merges and checks the policy's layers. Every value records the file and the key that it came from.

The code that runs on each hook call is here and light: without policy files, nothing is parsed; otherwise the compiled policy is
found in the cache by a digest of all its inputs.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from toolgate.machine.environment import find_folders
from toolgate.model.rule import Policy, RuleRow

from .cache import BUILT_IN, Cache
from .cache_storage import CacheStorage, FolderStorage
from .discovery import FoundFile, find_files
from .strictness import stricter_policy

if TYPE_CHECKING:
    from .compilation import CompiledPolicy, TryExample

__all__ = ["compile_files", "load", "pin_policy", "stricter_policy"]

CHANGED_NOTICE = "the policy changed in the middle of the session: the stricter of both holds until the next one"


def load(
    environ: Mapping[str, str],
    home: str,
    project: str,
    session: str = "",
    *,
    profile: str = "",
    embedding_profile: str = "",
    table: Mapping[str, RuleRow] | None = None,
    shelf: CacheStorage | None = None,
    try_example: "TryExample | None" = None,
) -> Policy:
    """Returns the policy in force. Never raises: what is wrong with a file is in `notices`, and in `degraded` where it matters.

    `profile` replaces the one that the files name, to show what another would decide; `embedding_profile` replaces the user's,
    for a program of theirs that embeds the gate. `shelf`: the storage of compiled policies, if not the user's cache folder.
    `try_example` returns whether a written rule stops a command; it is called when a file is new."""
    table = _built_in_table() if table is None else table
    cache = Cache(shelf or FolderStorage(find_folders(environ, home).cache))
    current, key = _load_current(table, cache, environ, home, project, profile, embedding_profile, try_example)
    pinned = cache.find_pinned_key(session)
    if pinned in ("", key):
        return current
    before = _BUILT_IN if pinned == BUILT_IN else cache.load_policy(pinned)
    held = stricter_policy(table, before or Policy(digest="lost"), current)
    return replace(held, notices=(*current.notices, CHANGED_NOTICE))


def pin_policy(
    environ: Mapping[str, str],
    home: str,
    project: str,
    session: str,
    now: float,
    *,
    embedding_profile: str = "",
    table: Mapping[str, RuleRow] | None = None,
    shelf: CacheStorage | None = None,
    try_example: "TryExample | None" = None,
) -> None:
    """Called when a session starts, is resumed or cleared: the current policy is the minimum until the next start."""
    cache = Cache(shelf or FolderStorage(find_folders(environ, home).cache))
    _, key = _load_current(
        _built_in_table() if table is None else table, cache, environ, home, project, "", embedding_profile, try_example
    )
    cache.pin_key(session, key, now)


def compile_files(
    environ: Mapping[str, str],
    home: str,
    project: str,
    *,
    table: Mapping[str, RuleRow] | None = None,
    try_example: "TryExample | None" = None,
) -> "CompiledPolicy":
    """Compiles the files with every source and every problem: for `policy show`, `policy check` and `doctor`."""
    from .compilation import compile_policy

    where = find_folders(environ, home)
    return compile_policy(
        _built_in_table() if table is None else table,
        find_files(where, project, _design_host_folder(environ, home)),
        Cache(FolderStorage(where.cache)),
        _build_folder_check(project, home),
        joined=environ.get("TOOLGATE_PROFILE", ""),
        try_example=try_example,
    )


def _load_current(
    table: Mapping[str, RuleRow],
    cache: Cache,
    environ: Mapping[str, str],
    home: str,
    project: str,
    profile: str,
    embedding_profile: str,
    try_example: "TryExample | None",
) -> tuple[Policy, str]:
    """Returns the policy of the current files, and its key in the cache."""
    found, joined = (
        find_files(find_folders(environ, home), project, _design_host_folder(environ, home)),
        environ.get("TOOLGATE_PROFILE", ""),
    )
    if not (found or joined or profile or embedding_profile):
        return _BUILT_IN, BUILT_IN
    key = _cache_key(table, found, home, project, (joined, profile, embedding_profile))
    known = _POLICIES_BY_KEY.get(key) or cache.load_policy(key)
    if known is not None:
        _cache_policy(key, known)
        return known, key
    from .compilation import compile_policy

    result = compile_policy(
        table,
        found,
        cache,
        _build_folder_check(project, home),
        joined=joined,
        instead_of_profile=profile,
        embedding_profile=embedding_profile,
        try_example=try_example,
    )
    policy = result.merged.policy
    unread = any(each.problem for each in found)
    if not (policy.degraded or unread or (policy.written and try_example is None)):
        cache.save_policy(key, policy)
        _cache_policy(key, policy)
    return policy, key


def _design_host_folder(environ: Mapping[str, str], home: str) -> str:
    """Returns the folder of the host for which the design of the user's own policy file is made."""
    from toolgate.hosts.claude_code.places import own_folder

    return own_folder(home, environ)


_BUILT_IN = Policy(digest=BUILT_IN)

_POLICIES_BY_KEY: dict[str, Policy] = {}
"""Policies that this process has compiled or read. The files are read at every call, and the key covers every byte of them: no
entry can be out of date."""


def _cache_policy(key: str, policy: Policy) -> None:
    if len(_POLICIES_BY_KEY) >= 64:
        _POLICIES_BY_KEY.clear()
    _POLICIES_BY_KEY[key] = policy


def _built_in_table() -> Mapping[str, RuleRow]:
    from toolgate.rules import TABLE

    return TABLE


def _cache_key(
    table: Mapping[str, RuleRow], policy_files: tuple[FoundFile, ...], home: str, project: str, profiles: tuple[str, ...]
) -> str:
    """Digests everything that the compiled policy depends on."""
    from hashlib import sha256

    from .profiles import read_stamp

    rules = _built_in_digest() if table is _built_in_table() else _digest_table(table)
    files = [(each.author, each.file, each.data, str(each.problem or "")) for each in policy_files]
    return sha256(repr((rules, files, home, project, profiles, read_stamp())).encode()).hexdigest()


@lru_cache(1)
def _built_in_digest() -> str:
    return _digest_table(_built_in_table())


def _digest_table(table: Mapping[str, RuleRow]) -> str:
    from hashlib import sha256

    return sha256(repr(sorted(table.items())).encode()).hexdigest()


def _build_folder_check(project: str, home: str) -> Callable[[str], bool]:
    """Returns a function that tells whether the session's project is a folder or inside it."""
    real = os.path.realpath(project) if project else ""

    def is_project_inside(folder: str) -> bool:
        full = os.path.realpath(home + folder[1:] if folder == "~" or folder.startswith("~/") else folder)
        return bool(real) and (real == full or real.startswith(full.rstrip("/") + "/"))

    return is_project_inside
