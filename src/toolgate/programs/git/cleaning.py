"""`git clean`: which untracked files it deletes, and whether it stays within the project."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Delete, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.stakes import Stakes
from toolgate.model.word import Hole, Maybe, Word, known_word, maybe_all, maybe_any
from toolgate.programs.argv.options import ParsedOptions

from .config_files import work_tree
from .refs import build_operation, uses_surrounding_repository


def clean(given: ParsedOptions, _argv: tuple[Word, ...], seen: ExecutionContext) -> Iterator[ReportedEffect]:
    ignored = maybe_any((given.has_flag("-x"), given.has_flag("-X")))
    folders = folders_to_clean(given, seen)
    stakes = stakes_of_clean(given, seen) if not folders else None
    for folder in folders:  # tracked files in it remain
        yield Delete(seen.resolve_place(folder + known_word("/") + Word((Hole("**", "untracked files"),))), True, seen.origin)
    yield build_operation(
        "clean",
        seen,
        given.operands[0] if given.operands else None,
        stakes=stakes,
        force=given.has_flag("--force"),
        dry_run=maybe_any((given.has_flag("--dry-run"), given.has_flag("--interactive"))),
        ignored=ignored,
        named=bool(folders),
        above_project=cleans_above_project(given, seen),
    )


def stakes_of_clean(given: ParsedOptions, seen: ExecutionContext) -> Stakes | None:
    """Return what `git clean` would delete in the whole work tree; None where that is unknown."""
    top = work_tree(seen) if uses_surrounding_repository(seen) else None
    found = seen.measure_stakes(top) if top is not None else None
    if found is None or found.more_unheld or given.value_of("--exclude") is not None:
        return None
    untracked = 0 if given.has_flag("-X") is True else found.untracked
    ignored = 0 if given.has_flag("-x") is False and given.has_flag("-X") is False else found.ignored
    return Stakes(untracked=untracked, ignored=ignored)


def cleans_above_project(given: ParsedOptions, seen: ExecutionContext) -> Maybe:
    """Tell whether `git clean` cleans a home folder, or one that contains the project. It never leaves its repository."""
    if not uses_surrounding_repository(seen):
        return None
    top = work_tree(seen)
    folders = [_folder_to_clean(word, top) for word in given.operands] or [known_word(".")]
    wide = maybe_any(None if folder is None else seen.contains_project(seen.resolve_place(folder)) for folder in folders)
    return wide if wide is True or top is None else maybe_all((wide, seen.contains_project(seen.resolve_place(known_word(top)))))


def _folder_to_clean(word: Word, top: str | None) -> Word | None:
    """Return the folder that a pathspec is matched in: the top one for `:/`, the one before a quoted glob, or the word itself."""
    if word.starts_with(":") is True:
        return None if top is None else known_word(top)
    plain = re.split(r"[*?\[]", word.text or "", maxsplit=1)
    return word if len(plain) == 1 else known_word(plain[0].rpartition("/")[0] or ("/" if plain[0].startswith("/") else "."))


_WHOLE_TREE = (".", "./", "..", "../", "*", ":/", "./*", "**")


def folders_to_clean(given: ParsedOptions, seen: ExecutionContext) -> list[Word]:
    """Return the folders that `git clean` is limited to; none if it cleans anything else, too."""
    named = [
        word
        for word in given.operands
        if word.text is not None and not word.text.startswith(":") and word.text not in _WHOLE_TREE
    ]
    if not uses_surrounding_repository(seen) or not named or len(named) < len(given.operands):
        return []
    return [known_word((word.text or "").rstrip("/")) for word in named] if all(_is_folder(word, seen) for word in named) else []


def _is_folder(word: Word, seen: ExecutionContext) -> bool:
    return not set(word.text or "") & set("*?[") and seen.is_folder(seen.resolve_place(word)) is True
