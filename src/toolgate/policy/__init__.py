"""Finds, merges and checks the policy's layers. Every value records the file and the key that it came from.

The code that runs on each hook call is here and light: without policy files, nothing is parsed; otherwise the compiled policy is
found in the cache by a digest of all its inputs.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from toolgate.machine.environment import folders
from toolgate.model.rule import Policy, Row

from .cache import BUILT_IN, Cache
from .find import Found, search
from .shelf import Folder, Shelf
from .strictness import stricter

if TYPE_CHECKING:
    from .compiling import Compiled, TryExample

__all__ = ["compiled", "load", "pin", "stricter"]

CHANGED = "the policy changed in the middle of the session: the stricter of both holds until the next one"


def load(
    environ: Mapping[str, str],
    home: str,
    project: str,
    session: str = "",
    *,
    profile: str = "",
    embedded: str = "",
    table: Mapping[str, Row] | None = None,
    shelf: Shelf | None = None,
    try_example: "TryExample | None" = None,
) -> Policy:
    """Returns the policy in force. Never raises: what is wrong with a file is in `notices`, and in `degraded` where it matters.

    `profile` replaces the one that the files name, to show what another would decide; `embedded` replaces the user's, for a
    program of theirs that embeds the gate. `shelf`: the storage of compiled policies, if not the user's cache folder.
    `try_example` returns whether a written rule stops a command; it is called when a file is new."""
    table = _rules() if table is None else table
    cache = Cache(shelf or Folder(folders(environ, home).cache))
    current, key = _current(table, cache, environ, home, project, profile, embedded, try_example)
    pinned = cache.pinned(session)
    if pinned in ("", key):
        return current
    before = _BUILT_IN if pinned == BUILT_IN else cache.compiled(pinned)
    held = stricter(table, before or Policy(digest="lost"), current)
    return replace(held, notices=(*current.notices, CHANGED))


def pin(
    environ: Mapping[str, str],
    home: str,
    project: str,
    session: str,
    now: float,
    *,
    embedded: str = "",
    table: Mapping[str, Row] | None = None,
    shelf: Shelf | None = None,
    try_example: "TryExample | None" = None,
) -> None:
    """Called when a session starts, is resumed or cleared: the current policy is the minimum until the next start."""
    cache = Cache(shelf or Folder(folders(environ, home).cache))
    _, key = _current(_rules() if table is None else table, cache, environ, home, project, "", embedded, try_example)
    cache.pin(session, key, now)


def compiled(
    environ: Mapping[str, str],
    home: str,
    project: str,
    *,
    table: Mapping[str, Row] | None = None,
    try_example: "TryExample | None" = None,
) -> "Compiled":
    """Compiles the files with every source and every problem: for `policy show`, `policy check` and `doctor`."""
    from .compiling import compile_policy

    where = folders(environ, home)
    return compile_policy(
        _rules() if table is None else table,
        search(where, project, _agents(environ, home)),
        Cache(Folder(where.cache)),
        _here(project, home),
        joined=environ.get("TOOLGATE_PROFILE", ""),
        try_example=try_example,
    )


def _current(
    table: Mapping[str, Row],
    cache: Cache,
    environ: Mapping[str, str],
    home: str,
    project: str,
    profile: str,
    embedded: str,
    try_example: "TryExample | None",
) -> tuple[Policy, str]:
    """Returns the policy of the current files, and its key in the cache."""
    found, joined = search(folders(environ, home), project, _agents(environ, home)), environ.get("TOOLGATE_PROFILE", "")
    if not (found or joined or profile or embedded):
        return _BUILT_IN, BUILT_IN
    key = _key(table, found, home, project, (joined, profile, embedded))
    known = _KNOWN.get(key) or cache.compiled(key)
    if known is not None:
        _remember(key, known)
        return known, key
    from .compiling import compile_policy

    result = compile_policy(
        table,
        found,
        cache,
        _here(project, home),
        joined=joined,
        instead_of_profile=profile,
        embedded=embedded,
        try_example=try_example,
    )
    policy = result.merged.policy
    unread = any(each.problem for each in found)
    if not (policy.degraded or unread or (policy.written and try_example is None)):
        cache.keep_compiled(key, policy)
        _remember(key, policy)
    return policy, key


def _agents(environ: Mapping[str, str], home: str) -> str:
    """Returns the folder of the host for which the design of guardrails.json is made."""
    from toolgate.hosts.claude_code.places import own_folder

    return own_folder(home, environ)


_BUILT_IN = Policy(digest=BUILT_IN)

_KNOWN: dict[str, Policy] = {}
"""Policies that this process has compiled or read. The files are read at every call, and the key covers every byte of them: no
entry can be out of date."""


def _remember(key: str, policy: Policy) -> None:
    if len(_KNOWN) >= 64:
        _KNOWN.clear()
    _KNOWN[key] = policy


def _rules() -> Mapping[str, Row]:
    from toolgate.rules import TABLE

    return TABLE


def _key(table: Mapping[str, Row], found: tuple[Found, ...], home: str, project: str, profiles: tuple[str, ...]) -> str:
    """Digests everything that the compiled policy depends on."""
    from hashlib import sha256

    from .profiles import stamp

    rules = _built_in_rules() if table is _rules() else _digest(table)
    files = [(each.author, each.file, each.data, str(each.problem or "")) for each in found]
    return sha256(repr((rules, files, home, project, profiles, stamp())).encode()).hexdigest()


@lru_cache(1)
def _built_in_rules() -> str:
    return _digest(_rules())


def _digest(table: Mapping[str, Row]) -> str:
    from hashlib import sha256

    return sha256(repr(sorted(table.items())).encode()).hexdigest()


def _here(project: str, home: str) -> Callable[[str], bool]:
    """Returns a function that tells whether the session's project is a folder or inside it."""
    real = os.path.realpath(project) if project else ""

    def here(folder: str) -> bool:
        full = os.path.realpath(home + folder[1:] if folder == "~" or folder.startswith("~/") else folder)
        return bool(real) and (real == full or real.startswith(full.rstrip("/") + "/"))

    return here
