"""Deleting files that git does not track with `git clean -f`: they cannot be restored.

`git clean -n` shows them first; `git stash -u` puts them aside. Where there are only folders that a tool generates
(`node_modules`, `dist`), the call passes; for folders that it names, the rules of `rm -r` apply.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.command_runs import list_runs
from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Operation
from toolgate.model.rule import RuleContext
from toolgate.model.stakes import NOTHING_AT_STAKE
from toolgate.model.word import maybe_all

from .context import is_made_by_call, is_unchanged_before


@dataclass(frozen=True, slots=True)
class Options:
    """`only_above_project`: only cleaning the root, a home folder or a folder that contains the project matches."""

    only_above_project: bool = False


def check(effect: Operation | Delete, options: Options, context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation):
        yield from _check_clean(effect, options, context)
    elif not options.only_above_project and _is_each_untracked_file(effect, context):
        yield Match(effect, "Deletes each file that git does not track.", "git clean -n", advice="delete them by name.")


def _is_each_untracked_file(deletion: Delete, context: RuleContext) -> bool:
    """Returns whether what `git ls-files --others` lists is deleted, and no pattern narrows it to some."""
    runs = [run for number in deletion.place.word.src for run in list_runs(number, context.effects)]
    texts = ([word.text or "" for word in run.argv] for run in runs if run.argv[0].file_name == "git")
    is_narrowed = any(run.argv[0].file_name in _SELECTING_PROGRAMS for run in runs)
    return not is_narrowed and any(
        "ls-files" in words
        and not {"-o", "--others"}.isdisjoint(words)
        and {"-i", "--ignored"}.isdisjoint(words)
        and all(word.startswith("-") for word in words[words.index("ls-files") + 1 :])
        for words in texts
    )


_SELECTING_PROGRAMS = ("grep", "egrep", "fgrep", "rg", "fzf", "head", "tail", "awk", "sed")


def _check_clean(clean: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
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
