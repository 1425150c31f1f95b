"""Losses by git subcommands: commits that become unreachable, untracked files."""

from toolgate.model.seen import Seen
from toolgate.model.stakes import Stakes
from toolgate.model.word import Maybe, Word, every, known

from .git_files import git_folder, work_tree
from .git_refs import is_current, works_here
from .options import Given


def at_stake_of_reset(target: Word | None, seen: Seen) -> tuple[Maybe, Stakes | None]:
    """Return whether `git reset --hard` surely loses nothing, and its losses as far as they were counted."""
    if not works_here(seen) or (target is not None and target.text is None):
        return None, None
    clean, top = seen.is_clean(), work_tree(seen)
    if is_current(target, seen):
        return clean, None
    commits = seen.lost_commits("HEAD", target.text or "") if target is not None else None
    files = seen.stakes(top) if top is not None else None
    if commits is None or files is None:
        return None, None
    in_the_way: Maybe = None if files.more_unheld else files.untracked == 0  # a file of the target overwrites it
    return every((clean, commits == 0, in_the_way)), Stakes(commits=commits)


def stakes_of_branches(names: list[Word], given: Given, seen: Seen) -> Stakes | None:
    """Return the number of commits that are reachable from these branches only."""
    if not works_here(seen) or any(name.text is None for name in names):
        return None
    prefix = "refs/remotes/" if given.flag("--remotes") is True else "refs/heads/"
    lost = seen.lost_commits(" ".join(f"{prefix}{name.text}" for name in names))
    return None if lost is None else Stakes(commits=lost)


def describe_stash(name: Word, seen: Seen) -> Word | None:
    """Return a stash's message from the reflog: `stash@{1}: WIP on main: ...`."""
    top = work_tree(seen)
    text = name.text or ""
    number = text.removeprefix("stash@{").removesuffix("}")
    if top is None or not works_here(seen) or not number.isdecimal():
        return None
    for log in seen.contents(known(f"{git_folder(top, seen)}/logs/refs/stash")):
        lines = (log.text or "").splitlines()
        if int(number) < len(lines):
            return known(f"stash@{{{number}}}: {lines[-1 - int(number)].partition(chr(9))[2]}")
    return None
