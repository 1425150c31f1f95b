"""Tests that replace what touches files or runs programs: `vi.mock("node:fs")`, mock-fs, pyfakefs, `patch("shutil.rmtree")`.

From then on the files that the code under test names are in memory, or the program that it starts does not start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from .shared_state import Arguments, Evaluation
from .values import Function, Reference, Value, text_of

_REPLACES_MODULE = re.compile(r"(?:^|\.)(?:mock|doMock|unstable_mockModule|mock\.module)$").search
_REPLACES_FILES = re.compile(r"mock-fs$|pyfakefs\.\w+\.(?:Patcher|patchfs)$|(?:^|\.)setUpPyfakefs$").search
_FILES = frozenset(("fs", "fs/promises", "fs-extra", "graceful-fs", "rimraf", "del"))
_PROGRAMS = frozenset(("child_process", "execa", "zx", "shelljs", "cross-spawn"))
_ORIGINALS = frozenset(("requireActual", "importActual", "importOriginal", "createRequire"))
FILE_EFFECTS = frozenset("delete read write permit copy move link".split())
PROGRAM_EFFECTS = frozenset(("run", "shell"))
_FILE_FIXTURE = "fs"
"""The fixture of pyfakefs that gives a test a file system in memory."""


def find_simulated_effects(name: str, arguments: Arguments) -> frozenset[str]:
    """Returns the kinds of effects that a call makes harmless for the rest of the code."""
    if _REPLACES_FILES(name):
        return FILE_EFFECTS
    first, replacement = (*arguments.positional, None, None)[:2]
    module = (text_of(first) if first is not None else None) or ""
    if not _REPLACES_MODULE(name) or not _is_whole(replacement):
        return frozenset()
    bare = module.removeprefix("node:")
    return FILE_EFFECTS if bare in _FILES else PROGRAM_EFFECTS if bare in _PROGRAMS else frozenset()


@contextmanager
def simulate_fixtures(evaluation: Evaluation, fixtures: Iterable[str]) -> Iterator[None]:
    """Keeps files in memory while a test runs that has asked for it by a fixture. What a test replaces ends with it."""
    openings, patched = evaluation.report.openings, set(evaluation.patched)
    before = openings.simulated
    is_in_memory = _FILE_FIXTURE in fixtures
    openings.simulated = before | FILE_EFFECTS if is_in_memory else before
    try:
        yield
    finally:
        openings.simulated = before if is_in_memory else openings.simulated
        for name in set(evaluation.patched) - patched:
            evaluation.journal.set_cell(evaluation.patched, name, Reference(name))


def _is_whole(replacement: Value | None) -> bool:
    """Returns whether nothing of the module is left: its replacement neither takes the original nor asks for it."""
    if not isinstance(replacement, Function):
        return replacement is None
    return not replacement.parameters and _ORIGINALS.isdisjoint(_iter_names(replacement.body))


def _iter_names(body: object) -> list[str]:
    """Returns the texts in a function's statements, names among them."""
    found: list[str] = []
    waiting = [body]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            waiting += each
        elif isinstance(each, str):
            found.append(each)
    return found
