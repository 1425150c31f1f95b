"""Patterns of approvals beyond one operation: the same rules' findings, on targets that a glob matches.

A person sees the whole pattern before approving it. It covers a call only where every finding against it has a fully known
target, and the call runs no file that could have changed.
"""

from collections.abc import Iterable
from typing import NamedTuple

from toolgate.model.decision import Finding
from toolgate.model.effect import Connect, Effect, Operation, kind_of
from toolgate.model.glob import matches_path
from toolgate.model.place import LOCAL, Place


class Target(NamedTuple):
    """`does`: the kind of effect. `what`: its target; in a pattern a glob, empty where it is unknown or incomplete: an operation
    depends on its folder as well."""

    rule: str
    does: str
    what: str


def list_targets(findings: Iterable[Finding]) -> tuple[Target, ...]:
    """Returns the targets of the findings against a call."""
    found = (Target(each.rule, _effect_kind(each.match.effect), _known_target(each)) for each in findings)
    return tuple(dict.fromkeys(found))


def widen_targets(targets: Iterable[Target], glob: str) -> tuple[Target, ...]:
    """Returns the pattern of a glob for a call's targets; empty where it does not cover the call itself."""
    pattern = tuple(dict.fromkeys(each._replace(what=glob) for each in targets))
    return pattern if is_covering_pattern(pattern, tuple(targets)) else ()


def is_covering_pattern(pattern: Iterable[Target], targets: tuple[Target, ...]) -> bool:
    clauses = tuple(pattern)
    return bool(targets) and all(any(_is_covering_clause(clause, target) for clause in clauses) for target in targets)


def _is_covering_clause(clause: Target, target: Target) -> bool:
    same = (clause.rule, clause.does) == (target.rule, target.does)
    return same and bool(target.what) and matches_path(clause.what, target.what) is True


def _effect_kind(effect: Effect) -> str:
    if isinstance(effect, Operation):
        return effect.name
    kind = kind_of(effect)
    return f"{kind} of all beneath" if getattr(effect, "recursive", False) is not False else kind


def _known_target(finding: Finding) -> str:
    effect = finding.match.effect
    if finding.match.sure is not True:
        return ""
    if isinstance(effect, Connect):
        return effect.target.text or ""
    place = getattr(effect, "place", None)
    if not isinstance(place, Place) or place.machine != LOCAL or place.rest or hasattr(effect, "to"):
        return ""
    return place.path or ""
