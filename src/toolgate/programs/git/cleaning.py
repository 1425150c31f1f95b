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


def clean(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    ignored = maybe_any((options.has_flag("-x"), options.has_flag("-X")))
    folders = folders_to_clean(options, context)
    stakes = stakes_of_clean(options, context) if not folders else None
    for folder in folders:  # tracked files in it remain
        yield Delete(
            context.resolve_place(folder + known_word("/") + Word((Hole("**", "untracked files"),))), True, context.origin
        )
    yield build_operation(
        "clean",
        context,
        options.operands[0] if options.operands else None,
        stakes=stakes,
        force=options.has_flag("--force"),
        dry_run=maybe_any((options.has_flag("--dry-run"), options.has_flag("--interactive"))),
        ignored=ignored,
        named=bool(folders),
        above_project=cleans_above_project(options, context),
    )


def stakes_of_clean(options: ParsedOptions, context: ExecutionContext) -> Stakes | None:
    """Returns what `git clean` would delete in the whole work tree; None where that is unknown."""
    top = work_tree(context) if uses_surrounding_repository(context) else None
    found = context.measure_stakes(top) if top is not None else None
    if found is None or found.more_unheld or options.value_of("--exclude") is not None:
        return None
    untracked = 0 if options.has_flag("-X") is True else found.untracked
    ignored = 0 if options.has_flag("-x") is False and options.has_flag("-X") is False else found.ignored
    return Stakes(untracked=untracked, ignored=ignored)


def cleans_above_project(options: ParsedOptions, context: ExecutionContext) -> Maybe:
    """Returns whether `git clean` cleans a home folder, or one that contains the project. It never leaves its repository."""
    if not uses_surrounding_repository(context):
        return None
    top = work_tree(context)
    folders = [_folder_to_clean(word, top) for word in options.operands] or [known_word(".")]
    wide = maybe_any(None if folder is None else context.contains_project(context.resolve_place(folder)) for folder in folders)
    return (
        wide
        if wide is True or top is None
        else maybe_all((wide, context.contains_project(context.resolve_place(known_word(top)))))
    )


def _folder_to_clean(word: Word, top: str | None) -> Word | None:
    """Returns the folder that a pathspec is matched in: the top one for `:/`, the one before a quoted glob, or the word itself."""
    if word.starts_with(":") is True:
        return None if top is None else known_word(top)
    plain = re.split(r"[*?\[]", word.text or "", maxsplit=1)
    return word if len(plain) == 1 else known_word(plain[0].rpartition("/")[0] or ("/" if plain[0].startswith("/") else "."))


_WHOLE_TREE = (".", "./", "..", "../", "*", ":/", "./*", "**")


def folders_to_clean(options: ParsedOptions, context: ExecutionContext) -> list[Word]:
    """Returns the folders that `git clean` is limited to; none if it cleans anything else, too."""
    named = [
        word
        for word in options.operands
        if word.text is not None and not word.text.startswith(":") and word.text not in _WHOLE_TREE
    ]
    if not uses_surrounding_repository(context) or not named or len(named) < len(options.operands):
        return []
    return (
        [known_word((word.text or "").rstrip("/")) for word in named] if all(_is_folder(word, context) for word in named) else []
    )


def _is_folder(word: Word, context: ExecutionContext) -> bool:
    """Returns whether it is a folder, or there is nothing of this name."""
    place = context.resolve_place(word)
    exists = context.is_folder(place) is not False or bool(context.read_alternatives(word))
    return not set(word.text or "") & set("*?[") and place.path is not None and (context.is_folder(place) is True or not exists)
