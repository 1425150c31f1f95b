"""`git clean -f` deletes files that git does not know: nothing brings them back.

`git clean -n` shows them first; `git stash -u` puts them aside. Where there is nothing but folders that a tool fills again
(`node_modules`, `dist`), the call passes; of folders that it names it deletes no more than `rm -r` does.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context
from toolgate.model.stakes import NOTHING_AT_STAKE
from toolgate.model.word import every

from .context import changes_nothing


@dataclass(frozen=True, slots=True)
class Options:
    """`only_above_project`: nothing counts but what cleans the root, a home folder or a folder that holds the project."""

    only_above_project: bool = False


def check(clean: Operation, options: Options, context: Context) -> Iterator[Match]:
    if clean.flag("dry_run") is True or clean.flag("named") is True:  # of named folders the rules of files judge
        return
    force, stakes = clean.flag("force"), clean.stakes
    if options.only_above_project:
        force = every((force, clean.flag("above_project")))
    if force is False or (stakes == NOTHING_AT_STAKE and changes_nothing(clean, context)):
        return
    told = "This deletes files that git does not track."
    if stakes is not None and stakes != NOTHING_AT_STAKE:
        kinds = ((stakes.untracked, "untracked"), (stakes.ignored, "ignored"))
        told = f"This deletes what git does not track: {', '.join(f'{count:,} {kind}' for count, kind in kinds if count)}."
    yield Match(clean, told, instead="git clean -n", sure=force)
