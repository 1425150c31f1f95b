"""What git puts in the place of files of the work tree: checkout, restore and switch."""

from collections.abc import Iterator

from toolgate.model.effect import Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Hole, Maybe, Word, every, some

from .git_refs import moved, operation
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
    alone = cut is None and len(given.operands) == 1 and first is not None and _is_path(first)
    creates = given.flag("-b", "-B", "--orphan") is not False
    sides = given.flag("--ours", "--theirs") is True  # of a conflict
    discards: Maybe = (bool(behind) or alone or (bool(of_tree) and not creates)) and not sides
    if given.value("--pathspec-from-file") is not None or (first is not None and first.text in (".", "./", ":/", "*")):
        discards = True
    held = bool(of_tree) and every(seen.as_committed(seen.place(name)) for name in of_tree)
    yield operation("checkout", seen, first, discards=discards, force=given.flag("--force"), held=held)


def _is_path(word: Word) -> bool:
    """No branch is called like that."""
    if word.text is None:
        return any(isinstance(part, Hole) and part.why[:1] in ("*", "?", "[") for part in word.parts)
    return word.text.startswith(("./", "../", "/", ":")) or word.text.endswith("/")


def restore(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    only_index = every((given.flag("--staged"), given.flag("--worktree") is not True))
    yield operation(
        "restore", seen, given.operands[0] if given.operands else None, discards=None if only_index is None else not only_index
    )


def switch(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    force = some((given.flag("--force"), given.flag("--discard-changes")))
    for name in given.all("--force-create"):
        yield from moved(name, seen)
    yield operation("switch", seen, given.operands[0] if given.operands else None, force=force)
