"""Compares two values of any policy setting and returns the stricter one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toolgate.designs import MESSAGE_FORMS
from toolgate.model.decision import Verdict
from toolgate.model.place import Workplaces
from toolgate.model.rule import DescribedTool, LoweredFloor, Policy, Redaction, RuleRow, Ruling, UndoLimits

# The keys of a policy file beside rules, their values from the laxest to the strictest; of a number, the lower is the stricter.
# `log` is the policy's `audit`. A fuller record is the stricter.
SWITCHES: dict[str, tuple[object, ...]] = {
    "human": (True, False),
    "cap": (Verdict.WARN, Verdict.ASK, Verdict.DENY),
    "ask_through": ("host", "code"),
    "messages": MESSAGE_FORMS,
    "agent_may_confirm": (True, False),
    "answers": ("legacy", "current"),
    "max_questions": (),
    "shortest_answer": (),
    "on_error": ("warn", "closed"),
    "on_timeout": ("warn", "closed"),
    "on_missing_context": ("warn", "closed"),
    "on_store_error": ("warn", "closed"),
    "on_session_error": ("host", "retry", "skip", "abort"),
    "audit.operations": ("none", "shape", "full"),
    "log": ("off", "interventions", "decisions"),
    "redact": ("off", "on"),
    "placeholders": ("labels", "keyed"),
    "addresses": ("people", "all"),
    "on_credential_print": ("withhold", "ask"),
    "wrap_commands": (False, True),
    "rewrite": (True, False),
    "journal": ("none", "security-audit", "safety-hook"),
    "undo": ("on", "off"),
    "answer_prompts": ("granted", "read-only", "off"),
}
_RENAMED = {"log": "audit", "audit.operations": "operations"}
FIELDS = {name: _RENAMED.get(name, name) for name in SWITCHES}


def stricter_value(switch: str, first: object, second: object) -> object:
    order = SWITCHES[switch]
    if not order:
        return min((each for each in (first, second) if isinstance(each, int)), default=None)
    return order[max(order.index(first), order.index(second))]


def stricter_ruling(row: RuleRow, first: Ruling, second: Ruling) -> Ruling:
    """Keeps the first one's options, except where the other has the value that the row names as the strictest: which of two
    other values is stricter is unknown. No rate is stricter than any."""
    rate = first.rate if first.rate == second.rate else None
    strict = {name: value for name, value in row.strictest if second.options.get(name) == value}
    return Ruling(max(first.verdict, second.verdict), max(first.unsure, second.unsure), {**first.options, **strict}, rate)


def stricter_policy(table: Mapping[str, RuleRow], pinned: Policy, changed: Policy) -> Policy:
    """Returns the policy after a change in the middle of a session: for each rule the stricter one, with options as pinned."""
    rulings = {
        rule: stricter_ruling(table[rule], pinned.ruling_for(rule, table[rule]), changed.ruling_for(rule, table[rule]))
        for rule in {**pinned.rulings, **changed.rulings}
        if rule in table
    }
    switches: dict[str, Any] = {
        field: stricter_value(name, getattr(pinned, field), getattr(changed, field)) for name, field in FIELDS.items()
    }
    return replace(
        changed,
        rulings=rulings,
        floors={
            rule: _stricter_floor(floor, changed.floors[rule]) for rule, floor in pinned.floors.items() if rule in changed.floors
        },
        places=Workplaces(
            tuple(zone for zone in changed.places.zones if zone in pinned.places.zones),
            tuple(path for path in changed.places.safe if path in pinned.places.safe),
            tuple(dict.fromkeys(pinned.places.blocked + changed.places.blocked)),
        ),
        written=tuple(dict.fromkeys(pinned.written + changed.written)),
        redaction=stricter_redaction(pinned.redaction, changed.redaction),
        tools=stricter_tools(pinned.tools, changed.tools),
        wrappers=tuple(each for each in changed.wrappers if each in pinned.wrappers),
        store=pinned.store,
        checkpoint=pinned.checkpoint,
        log_limits=pinned.log_limits,
        store_is_fixed=pinned.store_is_fixed,
        undo_limits=stricter_limits(pinned.undo_limits, changed.undo_limits),
        confirmed=tuple(sorted({*pinned.confirmed, *changed.confirmed})),
        degraded=pinned.degraded or changed.degraded,
        digest=pinned.digest if pinned.digest == changed.digest else f"{pinned.digest}+{changed.digest}",
        **switches,
    )


def stricter_limits(first: UndoLimits, second: UndoLimits) -> UndoLimits:
    return UndoLimits(*map(min, first, second))


def stricter_redaction(one: Redaction, other: Redaction) -> Redaction:
    """Searches for everything that either searches for, and excludes only what both exclude."""

    def intersect(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(each for each in first if each in second)

    return Redaction(
        personal=tuple(dict.fromkeys(one.personal + other.personal)),
        patterns=tuple(dict.fromkeys(one.patterns + other.patterns)),
        values=intersect(one.values, other.values),
        domains=intersect(one.domains, other.domains),
        paths=intersect(one.paths, other.paths),
        replacements=tuple({**dict(other.replacements), **dict(one.replacements)}.items()),
    )


def stricter_tools(first: tuple[DescribedTool, ...], second: tuple[DescribedTool, ...]) -> tuple[DescribedTool, ...]:
    """Keeps what either declares about a tool; a guess is dropped only where both describe the tool."""
    both = tuple(each for each in first if each in second)
    alone = (each for each in (*first, *second) if each not in both)
    return both + tuple(each._replace(adds=True) for each in alone)


def _stricter_floor(first: LoweredFloor, second: LoweredFloor) -> LoweredFloor:
    return second._replace(sure=max(first.sure, second.sure), unsure=max(first.unsure, second.unsure))
