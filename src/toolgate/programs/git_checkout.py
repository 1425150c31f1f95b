"""Subcommands that overwrite files of the work tree: checkout, restore and switch."""

from collections.abc import Iterator

from toolgate.model.effect import Reported
from toolgate.model.place import Place
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, every, is_glob, some

from .git_refs import is_current, moved, operation, works_here
from .options import Given


def checkout(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`checkout -- path`, `checkout .` and `checkout TREE path` overwrite files; `checkout branch` does not, unless forced."""
    for name in given.all("-B"):
        yield from moved(name, seen)
    cut = next((n + 1 for n, word in enumerate(argv) if word.text == "--"), None)
    behind = argv[cut:] if cut is not None else ()
    from_index = cut is not None and len(given.operands) == len(behind)
    of_tree = given.operands[1:] if cut is None else [] if from_index else [*behind]
    first = given.operands[0] if given.operands else None
    creates = given.flag("-b", "-B", "--orphan") is not False
    only = first if cut is None and len(given.operands) == 1 else None
    alone = only is not None and (_is_path(only) or (not creates and _is_changed(only, seen)))
    sides = given.flag("--ours", "--theirs") is True  # resolves a conflict
    discards: Maybe = (bool(behind) or alone or (bool(of_tree) and not creates)) and not sides
    if given.value("--pathspec-from-file") is not None or (first is not None and first.text in (".", "./", ":/", "*")):
        discards = True
    from_tree = bool(of_tree) and first is not None and not alone
    named = of_tree if from_tree else behind or given.operands[:1] if discards is not False else ()
    if given.value("--pathspec-from-file") is not None:
        held: Maybe = False
    elif named:
        held = every(is_held(seen.place(name), seen, by_commit=from_tree) for name in named)
    else:
        held = stays_at(first, seen)
    yield operation("checkout", seen, first, discards=discards, force=given.flag("--force"), held=held, from_commit=from_tree)


def is_held(place: Place, seen: Seen, *, by_commit: bool) -> Maybe:
    """Tell whether git can restore what would be overwritten. `by_commit`: staged changes may be replaced, too, and, in a
    folder, untracked files."""
    if not works_here(seen):
        return None
    return seen.as_committed(place) if by_commit else seen.as_staged(place)


def stays_at(target: Word | None, seen: Seen) -> Maybe:
    """Tell whether changing all files to those of `target` loses nothing: HEAD is there already, and the work tree is clean."""
    if not works_here(seen) or not is_current(target, seen):
        return None
    return seen.is_clean()


def _is_changed(word: Word, seen: Seen) -> bool:
    """Tell whether it is a tracked file with changes. git takes no name that may be a branch, too."""
    return word.text is not None and works_here(seen) and seen.as_staged(seen.place(word)) is False


def _is_path(word: Word) -> bool:
    """Tell whether the word can be no branch name."""
    if word.text is None:
        return any(map(is_glob, word.parts))
    return word.text.startswith(("./", "../", "/", ":")) or word.text.endswith("/")


def restore(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    only_index = every((given.flag("--staged"), given.flag("--worktree") is not True))
    by_commit = given.value("--source") is not None or given.flag("--staged") is not False
    named = given.operands if given.value("--pathspec-from-file") is None else ()
    held = bool(named) and every(is_held(seen.place(name), seen, by_commit=by_commit) for name in named)
    yield operation(
        "restore",
        seen,
        given.operands[0] if given.operands else None,
        discards=None if only_index is None else not only_index,
        held=held,
        from_commit=given.value("--source") is not None,
    )


def switch(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    force = some((given.flag("--force"), given.flag("--discard-changes")))
    for name in given.all("--force-create"):
        yield from moved(name, seen)
    target = given.operands[0] if given.operands else None
    yield operation("switch", seen, target, force=force, held=stays_at(target, seen))
