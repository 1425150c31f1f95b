"""Deleting many files of the project that git does not track, in one call or in many small ones.

Files that git holds can be restored, and ignored files are generated again by a tool. The rest is lost for good. A few such files
pass; more than `[limits]` allows, counted over the session, ask. Commit them first, or put them aside with `git stash -u`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Effects
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.stakes import NOTHING_AT_STAKE, Stakes
from toolgate.model.stakes_measurement import format_size, measure_effect
from toolgate.model.world import World


@dataclass(frozen=True, slots=True)
class Options:
    """`files`, `bytes`: how much may be deleted in a session before the rule asks. `[limits]` of a policy file sets both."""

    files: int = 200
    bytes: int = 50_000_000


def check(deletion: Delete, options: Options, context: RuleContext) -> Iterator[Match]:
    if context.effects.of_kind(Delete)[0] is not deletion:
        return  # counted together, once
    found = measure_untracked_loss(context.effects, context.world)
    if is_over_limits(found, options):
        yield Match(deletion, explain_loss(found), instead="git stash -u", stakes=found)


def is_over_limits(found: Stakes, options: Options) -> bool:
    """Returns whether the deletion is larger than the options allow."""
    return found.more_unheld or found.unheld > options.files or found.unheld_size > options.bytes


def explain_loss(found: Stakes, *, before: int = 0) -> str:
    """Returns the reason with the number and size of lost files. `before`: files deleted by earlier calls of the session."""
    least = "more than " if found.more_unheld else ""
    earlier = f", after {before:,} earlier in this session" if before else ""
    return f"This deletes {least}{found.unheld:,} files of {format_size(found.unheld_size)} that git does not hold{earlier}."


def measure_untracked_loss(effects: Effects, world: World) -> Stakes:
    """Returns the stakes of everything that a call deletes in the project, each place counted once."""
    total, counted = NOTHING_AT_STAKE, list[str]()
    for effect in effects.of_kind(Delete):
        place = effect.place
        path = place.path or place.anchor
        if place.machine != LOCAL or path is None or place.is_in("project") is not True or effect.origin.sure is False:
            continue
        if any(f"{path}/".startswith(f"{each}/") for each in counted):
            continue
        if place.path is not None:
            counted.append(path)
        total += measure_effect(effect, world) or NOTHING_AT_STAKE
    return total
