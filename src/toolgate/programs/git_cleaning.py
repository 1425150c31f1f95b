"""`git clean`: which untracked files it deletes, and whether it stays within the project."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Delete, Reported
from toolgate.model.seen import Seen
from toolgate.model.stakes import Stakes
from toolgate.model.word import Hole, Maybe, Word, every, known, some

from .git_files import work_tree
from .git_refs import operation, works_here
from .options import Given


def clean(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    ignored = some((given.flag("-x"), given.flag("-X")))
    folders = folders_to_clean(given, seen)
    stakes = stakes_of_clean(given, seen) if not folders else None
    for folder in folders:  # tracked files in it remain
        yield Delete(seen.place(folder + known("/") + Word((Hole("**", "what git does not know"),))), True, seen.origin)
    yield operation(
        "clean",
        seen,
        given.operands[0] if given.operands else None,
        stakes=stakes,
        force=given.flag("--force"),
        dry_run=some((given.flag("--dry-run"), given.flag("--interactive"))),
        ignored=ignored,
        named=bool(folders),
        above_project=cleans_above_project(given, seen),
    )


def stakes_of_clean(given: Given, seen: Seen) -> Stakes | None:
    """Return what `git clean` would delete in the whole work tree; None where that is unknown."""
    top = work_tree(seen) if works_here(seen) else None
    found = seen.stakes(top) if top is not None else None
    if found is None or found.more_unheld or given.value("--exclude") is not None:
        return None
    untracked = 0 if given.flag("-X") is True else found.untracked
    ignored = 0 if given.flag("-x") is False and given.flag("-X") is False else found.ignored
    return Stakes(untracked=untracked, ignored=ignored)


def cleans_above_project(given: Given, seen: Seen) -> Maybe:
    """Tell whether `git clean` cleans a home folder, or one that contains the project. It never leaves its repository."""
    if not works_here(seen):
        return None
    top = work_tree(seen)
    folders = [_folder_to_clean(word, top) for word in given.operands] or [known(".")]
    wide = some(None if folder is None else seen.is_above_project(seen.place(folder)) for folder in folders)
    return wide if wide is True or top is None else every((wide, seen.is_above_project(seen.place(known(top)))))


def _folder_to_clean(word: Word, top: str | None) -> Word | None:
    """Return the folder that a pathspec is matched in: the top one for `:/`, the one before a quoted glob, or the word itself."""
    if word.starts(":") is True:
        return None if top is None else known(top)
    plain = re.split(r"[*?\[]", word.text or "", maxsplit=1)
    return word if len(plain) == 1 else known(plain[0].rpartition("/")[0] or ("/" if plain[0].startswith("/") else "."))


_WHOLE = (".", "./", "..", "../", "*", ":/", "./*", "**")


def folders_to_clean(given: Given, seen: Seen) -> list[Word]:
    """Return the folders that `git clean` is limited to; none if it cleans anything else, too."""
    named = [
        word for word in given.operands if word.text is not None and not word.text.startswith(":") and word.text not in _WHOLE
    ]
    if not works_here(seen) or not named or len(named) < len(given.operands):
        return []
    return [known((word.text or "").rstrip("/")) for word in named] if all(_is_folder(word, seen) for word in named) else []


def _is_folder(word: Word, seen: Seen) -> bool:
    return not set(word.text or "") & set("*?[") and seen.is_folder(seen.place(word)) is True
