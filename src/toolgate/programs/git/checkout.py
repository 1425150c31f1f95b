"""Subcommands that overwrite files of the work tree: checkout, restore and switch."""

import re
from collections.abc import Iterable, Iterator

from toolgate.model.effect import ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Maybe, Word, is_glob, maybe_all, maybe_any
from toolgate.programs.argv.options import ParsedOptions

from .refs import build_operation, create_branch, is_at_head, move_branch, uses_surrounding_repository


def checkout(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`checkout -- path`, `checkout .` and `checkout TREE path` overwrite files; `checkout branch` does not, unless forced."""
    for name in options.values_of("-B"):
        yield from move_branch(name, context)
    for name in options.values_of("-b"):
        yield from create_branch(name, context)
    cut = next((n + 1 for n, word in enumerate(argv) if word.text == "--"), None)
    behind = argv[cut:] if cut is not None else ()
    from_index = cut is not None and len(options.operands) == len(behind)
    of_tree = options.operands[1:] if cut is None else [] if from_index else [*behind]
    first = options.operands[0] if options.operands else None
    creates = options.has_flag("-b", "-B", "--orphan") is not False
    only = first if cut is None and len(options.operands) == 1 else None
    alone = only is not None and (_can_only_be_path(only) or (not creates and _is_modified_file(only, context)))
    sides = options.has_flag("--ours", "--theirs") is True  # resolves a conflict
    discards: Maybe = (bool(behind) or alone or (bool(of_tree) and not creates)) and not sides
    if options.value_of("--pathspec-from-file") is not None or (first is not None and first.text in (".", "./", ":/", "*")):
        discards = True
    from_tree = bool(of_tree) and first is not None and not alone
    named = of_tree if from_tree else behind or options.operands[:1] if discards is not False else ()
    if options.value_of("--pathspec-from-file") is not None:
        held: Maybe = False
    elif named:
        held = maybe_all(is_recoverable(name, context, by_commit=from_tree) for name in named)
    else:
        held = keeps_all_files(first, context)
    yield build_operation(
        "checkout", context, first, discards=discards, force=options.has_flag("--force"), held=held, from_commit=from_tree
    )
    if from_tree and first is not None:
        yield from _write_hidden_files(named, first, context)


def is_recoverable(name: Word, context: ExecutionContext, *, by_commit: bool) -> Maybe:
    """Returns whether git can restore what would be overwritten, if there is anything. `by_commit`: staged changes may be replaced,
    too, and, in a folder, untracked files."""
    if not uses_surrounding_repository(context):
        return None
    place = context.resolve_place(name)
    if not by_commit:
        return context.is_as_staged(place)
    if place.path is not None and context.is_folder(place) is False and not context.read_alternatives(name):
        return True  # there is no such file
    if place.path is None or context.is_folder(place) is not True or context.is_as_staged(place) is not True:
        return context.is_as_committed(place)
    stakes = context.measure_stakes(place.path)
    return None if stakes is None or stakes.more_unheld else stakes.unheld + stakes.ignored == 0


def keeps_all_files(target: Word | None, context: ExecutionContext) -> Maybe:
    """Returns whether changing all files to those of `target` loses nothing: HEAD is there already, and the work tree is clean."""
    if not uses_surrounding_repository(context) or not is_at_head(target, context):
        return None
    return context.is_repository_clean()


def _is_modified_file(word: Word, context: ExecutionContext) -> bool:
    """Returns whether it is a tracked file with changes. git takes no name that may be a branch, too."""
    return (
        word.text is not None
        and uses_surrounding_repository(context)
        and context.is_as_staged(context.resolve_place(word)) is False
    )


def _can_only_be_path(word: Word) -> bool:
    """Returns whether the word can be no branch name."""
    if word.text is None:
        return any(map(is_glob, word.parts))
    return word.text.startswith(("./", "../", "/", ":")) or word.text.endswith("/")


def restore(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    only_index = maybe_all((options.has_flag("--staged"), options.has_flag("--worktree") is not True))
    by_commit = options.value_of("--source") is not None or options.has_flag("--staged") is not False
    named = options.operands if options.value_of("--pathspec-from-file") is None else ()
    held = bool(named) and maybe_all(is_recoverable(name, context, by_commit=by_commit) for name in named)
    yield build_operation(
        "restore",
        context,
        options.operands[0] if options.operands else None,
        discards=None if only_index is None else not only_index,
        held=held,
        from_commit=options.value_of("--source") is not None,
    )
    if (source := options.value_of("--source")) is not None and only_index is not True:
        yield from _write_hidden_files(named, source, context)


def _write_hidden_files(named: Iterable[Word], commit: Word, context: ExecutionContext) -> Iterator[Write]:
    """Yields the hidden files and folders that another commit's version replaces: settings of programs and agents, which act by
    themselves."""
    if commit.text in ("HEAD", "@"):
        return
    for name in named:
        if _HIDDEN_PATH.match(name.text or ""):
            place = context.resolve_place(name)
            yield Write(place, None, False, context.origin, tree=context.is_folder(place))


_HIDDEN_PATH = re.compile(r"(?:\./)?\.[A-Za-z]")


def switch(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    force = maybe_any((options.has_flag("--force"), options.has_flag("--discard-changes")))
    for name in options.values_of("--force-create"):
        yield from move_branch(name, context)
    for name in options.values_of("--create"):
        yield from create_branch(name, context)
    target = options.operands[0] if options.operands else None
    yield build_operation("switch", context, target, force=force, held=keeps_all_files(target, context))
