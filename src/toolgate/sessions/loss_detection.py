"""Detects whether a call deletes or overwrites something that exists nowhere else: runs for every call, so it imports nothing of
the undo store."""

from collections.abc import Iterator

from toolgate.judge import blocking_findings
from toolgate.model.decision import Finding, Verdict
from toolgate.model.effect import Delete, Effects, Link, Move, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import Policy
from toolgate.model.stakes_measurement import measure_place
from toolgate.model.world import ABSENT, World

from .judgements import Judgement

COPYABLE_RULES = frozenset(
    (
        "filesystem.delete-outside-project",
        "filesystem.delete-project",
        "filesystem.delete-uncommitted",
        "git.clean",
        "git.delete-branch",
        "git.discard",
        "git.hard-reset",
    )
)
"""Rules on the loss of data that a copy makes good."""


def needs_copy(judgement: Judgement) -> bool:
    """Returns whether a copy would answer everything that stops a call, or the call passes and loses something."""
    policy, decision = judgement.policy, judgement.decision
    if policy.undo == "off" or (decision.verdict is Verdict.DENY and policy.human):
        return False
    if decision.verdict >= Verdict.ASK:
        return all(_is_answered_by_copy(each, policy) for each in blocking_findings(decision.findings, policy))
    return any(is_at_stake(place, judgement.world) for place in iter_lost_places(judgement.effects, judgement.world))


def _is_answered_by_copy(finding: Finding, policy: Policy) -> bool:
    """Returns whether only the shipped verdict of a rule on the loss of data asks, about a certain target."""
    return (
        finding.rule in COPYABLE_RULES
        and finding.verdict is Verdict.ASK
        and finding.floor is Verdict.PASS
        and finding.rate is None
        and finding.match.sure is True
        and finding.rule not in policy.rulings
        and finding.rule not in policy.confirmed
    )


def iter_lost_places(effects: Effects, world: World) -> Iterator[Place]:
    """Yields the places whose contents are lost: deleted ones, and files that are overwritten or replaced by another file or a
    link."""
    deletes = bool(effects.of_kind(Delete))
    for effect in effects.all:
        if deletes and isinstance(effect, Move):
            yield effect.place  # it may be moved into what is deleted
        match effect:
            case Delete(place=place):
                yield place
            case Write(place=place) if _is_overwrite(effect) and _may_be_file(place, world):
                yield place
            case Move(to=place) | Link(place=place) if _may_be_file(place, world):
                yield place
            case _:
                pass


def is_at_stake(place: Place, world: World) -> bool:
    """Returns whether a place holds something that git does not hold and no tool generates. Temporary folders do not count,
    unless the project is in one."""
    if place.machine != LOCAL or (place.is_in("temporary") is True and place.is_in("project", "safe") is not True):
        return False
    if place.path is not None and world.kind(place.path) is ABSENT:
        return False
    found = measure_place(place, world)
    return bool(found.unheld or found.ignored) if found is not None else place.anchor is not None or place.path is not None


def _is_overwrite(write: Write) -> bool:
    """Returns whether the write replaces the former contents. An edit contains the old text itself."""
    return write.append is not True and not write.folder and not write.edits


def _may_be_file(place: Place, world: World) -> bool:
    return place.path is None or world.kind(place.path) == "file"
