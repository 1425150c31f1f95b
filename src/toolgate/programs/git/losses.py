"""Losses by git subcommands: commits that become unreachable, untracked files."""

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.stakes import Stakes
from toolgate.model.word import Maybe, Word, known_word, maybe_all
from toolgate.programs.argv.options import ParsedOptions

from .config_files import common_git_folder, work_tree
from .refs import is_at_head, uses_surrounding_repository


def at_stake_of_reset(target: Word | None, context: ExecutionContext) -> tuple[Maybe, Stakes | None]:
    """Returns whether `git reset --hard` surely loses nothing, and its losses as far as they were counted."""
    if not uses_surrounding_repository(context) or (target is not None and target.text is None):
        return None, None
    clean, top = context.is_repository_clean(), work_tree(context)
    if is_at_head(target, context):
        return clean, None
    commits = context.count_lost_commits("HEAD", target.text or "") if target is not None else None
    files = context.measure_stakes(top) if top is not None else None
    if commits is None or files is None:
        return None, None
    in_the_way: Maybe = None if files.more_unheld else files.untracked == 0  # a file of the target overwrites it
    return maybe_all((clean, commits == 0, in_the_way)), Stakes(commits=commits)


def stakes_of_branches(names: list[Word], options: ParsedOptions, context: ExecutionContext) -> Stakes | None:
    """Returns the number of commits that are reachable from these branches only."""
    if not uses_surrounding_repository(context) or any(name.text is None for name in names):
        return None
    prefix = "refs/remotes/" if options.has_flag("--remotes") is True else "refs/heads/"
    lost = context.count_lost_commits(" ".join(f"{prefix}{name.text}" for name in names))
    return None if lost is None else Stakes(commits=lost)


def describe_stash(name: Word, context: ExecutionContext) -> Word | None:
    """Returns a stash's message from the reflog: `stash@{1}: WIP on main: ...`."""
    top = work_tree(context)
    text = name.text or ""
    number = text.removeprefix("stash@{").removesuffix("}")
    if top is None or not uses_surrounding_repository(context) or not number.isdecimal():
        return None
    for log in context.read_alternatives(known_word(f"{common_git_folder(top, context)}/logs/refs/stash")):
        lines = (log.text or "").splitlines()
        if int(number) < len(lines):
            return known_word(f"stash@{{{number}}}: {lines[-1 - int(number)].partition(chr(9))[2]}")
    return None
