"""Subcommands that overwrite files of the work tree: checkout, restore and switch."""

from collections.abc import Iterator

from toolgate.model.effect import ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import Place
from toolgate.model.word import Maybe, Word, is_glob, maybe_all, maybe_any
from toolgate.programs.argv.options import ParsedOptions

from .refs import build_operation, create_branch, is_at_head, move_branch, uses_surrounding_repository


def checkout(given: ParsedOptions, argv: tuple[Word, ...], seen: ExecutionContext) -> Iterator[ReportedEffect]:
    """`checkout -- path`, `checkout .` and `checkout TREE path` overwrite files; `checkout branch` does not, unless forced."""
    for name in given.values_of("-B"):
        yield from move_branch(name, seen)
    for name in given.values_of("-b"):
        yield from create_branch(name, seen)
    cut = next((n + 1 for n, word in enumerate(argv) if word.text == "--"), None)
    behind = argv[cut:] if cut is not None else ()
    from_index = cut is not None and len(given.operands) == len(behind)
    of_tree = given.operands[1:] if cut is None else [] if from_index else [*behind]
    first = given.operands[0] if given.operands else None
    creates = given.has_flag("-b", "-B", "--orphan") is not False
    only = first if cut is None and len(given.operands) == 1 else None
    alone = only is not None and (_can_only_be_path(only) or (not creates and _is_modified_file(only, seen)))
    sides = given.has_flag("--ours", "--theirs") is True  # resolves a conflict
    discards: Maybe = (bool(behind) or alone or (bool(of_tree) and not creates)) and not sides
    if given.value_of("--pathspec-from-file") is not None or (first is not None and first.text in (".", "./", ":/", "*")):
        discards = True
    from_tree = bool(of_tree) and first is not None and not alone
    named = of_tree if from_tree else behind or given.operands[:1] if discards is not False else ()
    if given.value_of("--pathspec-from-file") is not None:
        held: Maybe = False
    elif named:
        held = maybe_all(is_recoverable(seen.resolve_place(name), seen, by_commit=from_tree) for name in named)
    else:
        held = keeps_all_files(first, seen)
    yield build_operation(
        "checkout", seen, first, discards=discards, force=given.has_flag("--force"), held=held, from_commit=from_tree
    )


def is_recoverable(place: Place, seen: ExecutionContext, *, by_commit: bool) -> Maybe:
    """Tell whether git can restore what would be overwritten. `by_commit`: staged changes may be replaced, too, and, in a
    folder, untracked files."""
    if not uses_surrounding_repository(seen):
        return None
    return seen.is_as_committed(place) if by_commit else seen.is_as_staged(place)


def keeps_all_files(target: Word | None, seen: ExecutionContext) -> Maybe:
    """Tell whether changing all files to those of `target` loses nothing: HEAD is there already, and the work tree is clean."""
    if not uses_surrounding_repository(seen) or not is_at_head(target, seen):
        return None
    return seen.is_repository_clean()


def _is_modified_file(word: Word, seen: ExecutionContext) -> bool:
    """Tell whether it is a tracked file with changes. git takes no name that may be a branch, too."""
    return word.text is not None and uses_surrounding_repository(seen) and seen.is_as_staged(seen.resolve_place(word)) is False


def _can_only_be_path(word: Word) -> bool:
    """Tell whether the word can be no branch name."""
    if word.text is None:
        return any(map(is_glob, word.parts))
    return word.text.startswith(("./", "../", "/", ":")) or word.text.endswith("/")


def restore(given: ParsedOptions, _argv: tuple[Word, ...], seen: ExecutionContext) -> Iterator[ReportedEffect]:
    only_index = maybe_all((given.has_flag("--staged"), given.has_flag("--worktree") is not True))
    by_commit = given.value_of("--source") is not None or given.has_flag("--staged") is not False
    named = given.operands if given.value_of("--pathspec-from-file") is None else ()
    held = bool(named) and maybe_all(is_recoverable(seen.resolve_place(name), seen, by_commit=by_commit) for name in named)
    yield build_operation(
        "restore",
        seen,
        given.operands[0] if given.operands else None,
        discards=None if only_index is None else not only_index,
        held=held,
        from_commit=given.value_of("--source") is not None,
    )


def switch(given: ParsedOptions, _argv: tuple[Word, ...], seen: ExecutionContext) -> Iterator[ReportedEffect]:
    force = maybe_any((given.has_flag("--force"), given.has_flag("--discard-changes")))
    for name in given.values_of("--force-create"):
        yield from move_branch(name, seen)
    for name in given.values_of("--create"):
        yield from create_branch(name, seen)
    target = given.operands[0] if given.operands else None
    yield build_operation("switch", seen, target, force=force, held=keeps_all_files(target, seen))
