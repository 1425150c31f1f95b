"""Deleting files that git does not track with `git clean -f`: they cannot be restored.

`git clean -n` shows them first; `git stash -u` puts them aside. Where there are only folders that a tool generates
(`node_modules`, `dist`), the call passes; for folders that it names, the rules of `rm -r` apply.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext
from toolgate.model.stakes import NOTHING_AT_STAKE
from toolgate.model.word import maybe_all

from .context import is_made_by_call, is_unchanged_before


@dataclass(frozen=True, slots=True)
class Options:
    """`only_above_project`: only cleaning the root, a home folder or a folder that contains the project matches."""

    only_above_project: bool = False


def check(clean: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    if clean.get_flag("dry_run") is True or clean.get_flag("named") is True:  # the file rules judge named folders
        return
    if is_made_by_call(clean, context):
        return
    force, stakes = clean.get_flag("force"), clean.stakes
    if options.only_above_project:
        force = maybe_all((force, clean.get_flag("above_project")))
    if force is False or (stakes == NOTHING_AT_STAKE and is_unchanged_before(clean, context)):
        return
    what = f"files that git does not track ({context.effects.quote_command(clean)})"
    message = f"Deletes {what}."
    if stakes is not None and stakes != NOTHING_AT_STAKE:
        kinds = ((stakes.untracked, "untracked"), (stakes.ignored, "ignored"))
        message = f"Deletes {what}: {', '.join(f'{count:,} {kind}' for count, kind in kinds if count)}."
    yield Match(clean, message, "git clean -n", force, advice="list the files, and delete them by name.")
