"""Keeps and restores copies without a session, to test the store by itself."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from toolgate.model.rule import UNDO_LIMITS, UndoLimits
from toolgate.undo.comparison import compare
from toolgate.undo.entry import Entry
from toolgate.undo.restoration import restore
from toolgate.undo.survey import Survey
from toolgate.undo.vault import Vault

BARE = Entry("", 1_000_000.0, "test", "s", "/project", "rm", (), ())


def allow_all(_path: str) -> str:
    return ""


def keep(
    vault: Vault,
    id_: str,
    *roots: Path,
    limits: UndoLimits = UNDO_LIMITS,
    protects: Callable[[str], str] = allow_all,
    at: float = BARE.at,
) -> Entry:
    survey = Survey(limits.max_entries, limits.max_bytes, protects)
    survey.add_trees(map(str, roots))
    return vault.save_copy(replace(BARE, id=id_, at=at, roots=tuple(map(str, roots))), survey, limits)


def give_back(vault: Vault, entry: Entry, protects: Callable[[str], str] = allow_all) -> None:
    restore(entry, [change for change in compare(entry, vault, protects) if not change.refused], vault)


def tree(top: Path) -> dict[str, object]:
    """Returns everything below a folder: the target of a link, the content of a file, nothing for a folder."""
    return {
        str(path.relative_to(top)): path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        for path in top.rglob("*")
    }
