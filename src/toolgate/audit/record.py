"""The record of one decision.

No secret is stored (law 11). A record holds the operation (a command, a path, a URL) with its secrets redacted by the caller, or
else the programs' names; the zones of places; and as the reason the fixed text of each rule, never its text about this call.
"""

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from toolgate import rules
from toolgate.machine.build import installed_build
from toolgate.model.decision import Decision, Finding, Verdict
from toolgate.model.effect import Effect, Effects, Operation, Run, kind_of, list_places
from toolgate.model.event import Scene
from toolgate.model.rule import Policy
from toolgate.model.stakes import Stakes
from toolgate.rules import written_rules

from .chain import OUTCOME_KIND

FORMAT_VERSION = 1
STAKES = ("files", "size", "unheld", "untracked", "commits", "lines", "more")
"""The numbers of `Stakes` that are recorded."""
NO_OPERATION = "(not recorded)"
MAX_ENTRIES = 20  # entries in a list of a record: a record stays small for every call
MAX_OPERATION_LENGTH = 500  # characters of an operation
MAX_REASON_LENGTH = 1000  # characters of a reason
MAX_NAME_LENGTH = 120  # characters of a name that a host gave
_VERDICT_NAMES = {each: each.name.lower() for each in Verdict}
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")


class Record(NamedTuple):
    """The fields in the order in which they are written; those of `OPTIONAL_FIELDS` are left out where they are empty.

    `microseconds` is the time that judging took; `exact`, whether `operation` is the whole of what was asked for, unchanged;
    `gate`, the build that judged; `allowed`, why the host's own question was answered; `stakes`, what would be lost, in numbers;
    `undo`, the id of the copy that was kept; `failure`, why the call was answered without a judgement."""

    id: str
    time: str
    host: str
    session: str
    agent: str
    role: str
    tool: str
    tool_use_id: str
    operation: str
    effects: tuple[Mapping[str, object], ...]
    rules: tuple[Mapping[str, str], ...]
    judged: str
    verdict: str
    reason: str
    policy: str
    microseconds: int
    cwd: str = ""
    project: str = ""
    exact: bool = False
    gate: str = ""
    allowed: str = ""
    stakes: Mapping[str, int] = MappingProxyType({})
    undo: str = ""
    failure: str = ""

    @property
    def utc_day(self) -> str:
        return self.time[:10]

    def render_line(self) -> str:
        table = {"format": FORMAT_VERSION, **self._asdict()}
        for name in OPTIONAL_FIELDS:
            if not table[name]:
                del table[name]
        return encode_line(table)


def encode_line(table: Mapping[str, object]) -> str:
    return _ENCODER.encode(table) + "\n"


_ENCODER = json.JSONEncoder(separators=(",", ":"))  # json.dumps builds one for each line
OPTIONAL_FIELDS = ("allowed", "stakes", "undo", "failure")


def build_record(
    scene: Scene,
    tool: str,
    call: str,
    effects: Effects,
    decision: Decision,
    policy: Policy,
    *,
    now: float,
    microseconds: int,
    role: str = "",
    operation: str = "",
    exact: bool = False,
    folders: tuple[str, str] = ("", ""),
) -> Record:
    """`now` is the request's own time; `operation` is the operation with its secrets redacted, `exact`, whether nothing was, and
    `folders` the redacted working directory and project."""
    shown = _shorten_operation(operation)
    found = (*decision.findings, *decision.waived)
    return Record(
        id=uuid7(now, os.urandom(10)),
        time=_format_time(now),
        host=_clean_name(scene.caller.host),
        session=_clean_name(scene.caller.session),
        agent=_clean_name(scene.caller.agent),
        role=_clean_name(role),
        tool=_clean_name(tool),
        tool_use_id=_clean_name(call),
        operation=shown or " ".join(_iter_program_names(effects.all)),
        effects=effects.derive(_count_effects),
        rules=tuple(_iter_rule_verdicts(found)),
        judged=_VERDICT_NAMES[decision.judged],
        verdict=_VERDICT_NAMES[decision.verdict],
        reason=_join_rule_texts(found, policy) if found else "",
        policy=policy.digest,
        microseconds=microseconds,
        cwd=folders[0],
        project=folders[1],
        exact=exact and shown == operation,
        gate=name_gate(),
        allowed=decision.allowed,
        stakes=_count_stakes(found),
        undo=decision.copy,
    )


def build_failure(scene: Scene, tool: str, call: str, decision: Decision, policy: Policy, failure: str, *, now: float) -> Record:
    """Returns the record of a call that was answered without a judgement. `failure` holds nothing of the call."""
    blank = build_record(
        scene, tool, call, Effects(), decision, policy, now=now, microseconds=0, role=scene.role, operation=NO_OPERATION
    )
    return blank._replace(failure=_clean_name(failure))


@cache
def name_gate() -> str:
    """Returns the name of the build that this process runs: a digest of its sources, or `checkout`."""
    return installed_build().rstrip("-")


def _count_stakes(findings: Iterable[Finding]) -> Mapping[str, int]:
    """Returns what would be lost, by the finding that counted most, without zeros."""
    measured = (each.match.stakes or getattr(each.match.effect, "stakes", None) for each in findings)
    counted = [each for each in measured if isinstance(each, Stakes)]
    if not counted:
        return {}
    most = max(counted, key=lambda each: (each.commits, each.unheld, each.files, each.lines))
    return {name: int(number) for name in STAKES if (number := getattr(most, name))}


class OutcomeRecord(NamedTuple):
    """What became of a recorded call. `outcome`: ran, or failed, which means that it ran and reported an error."""

    time: str
    session: str
    tool_use_id: str
    outcome: Literal["ran", "failed"]

    @property
    def utc_day(self) -> str:
        return self.time[:10]

    def render_line(self) -> str:
        return encode_line({"format": FORMAT_VERSION, "kind": OUTCOME_KIND, **self._asdict()})


def build_outcome(scene: Scene, call: str, outcome: Literal["ran", "failed"], now: float) -> OutcomeRecord:
    return OutcomeRecord(_format_time(now), _clean_name(scene.caller.session), _clean_name(call), outcome)


def _format_time(now: float) -> str:
    day, milliseconds = divmod(int(now * 1000), 86_400_000)
    hours, milliseconds = divmod(milliseconds, 3_600_000)
    minutes, milliseconds = divmod(milliseconds, 60_000)
    seconds, milliseconds = divmod(milliseconds, 1000)
    return f"{_format_day(day)}T{hours:02}:{minutes:02}:{seconds:02}.{milliseconds:03}Z"


@lru_cache(2)
def _format_day(number: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(number * 86_400))


def uuid7(now: float, entropy: bytes) -> str:
    """Returns an id by RFC 9562: 48 bits of milliseconds, then random bits; ids sort by time. `entropy` is ten bytes."""
    milliseconds = int(now * 1000) & (1 << 48) - 1
    chance = int.from_bytes(entropy, "big")
    text = f"{milliseconds << 80 | 7 << 76 | (chance >> 66 & 0xFFF) << 64 | 0b10 << 62 | chance & (1 << 62) - 1:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _shorten_operation(text: str) -> str:
    shown = text[: MAX_OPERATION_LENGTH + 1]
    if not shown.isprintable():
        shown = "".join(char if char.isprintable() or char in "\n\t" else " " for char in shown)
    shown = shown.strip()
    return shown if len(text) <= MAX_OPERATION_LENGTH else f"{shown[:MAX_OPERATION_LENGTH]} ..."


def _clean_name(text: str) -> str:
    shown = text[:MAX_NAME_LENGTH]
    return shown if shown.isprintable() else "".join(char if char.isprintable() else "?" for char in shown)


def _join_rule_texts(findings: Iterable[Finding], policy: Policy) -> str:
    texts = dict.fromkeys(_rule_text(rule, policy) for rule in dict.fromkeys(each.rule for each in findings))
    return " ".join(texts).strip()[:MAX_REASON_LENGTH]


def _rule_text(rule: str, policy: Policy) -> str:
    """Returns the fixed text of a rule: the first paragraph of its page, or the reason of a policy's author."""
    if rule in rules.TABLE:
        page = (rules.load_rule_module(rule).__doc__ or "").strip()
        return " ".join(page.partition("\n\n")[0].split())
    return next((written_rules.build_reason(each) for each in policy.written if each.id == rule), "")


def _iter_program_names(effects: Iterable[Effect]) -> Iterator[str]:
    """Yields the commands' names in order. A word that does not look like a program's name is not repeated."""
    heads = [effect.argv[0].text for effect in effects if isinstance(effect, Run) and effect.argv]
    for head in heads[:MAX_ENTRIES]:
        name = (head or "").rpartition("/")[2]
        yield name if name and len(name) <= 40 and _NAME_CHARACTERS.issuperset(name) else "?"
    if len(heads) > MAX_ENTRIES:
        yield "..."


def _count_effects(effects: Effects) -> tuple[Mapping[str, object], ...]:
    """Returns the kinds of effect with their zones and number."""
    return tuple(_iter_effect_counts(effects.all))


def _iter_effect_counts(effects: Iterable[Effect]) -> Iterator[Mapping[str, object]]:
    counts: dict[tuple[str, str, tuple[str, ...]], int] = {}
    for effect in effects:
        if not isinstance(effect, Run):
            key = (kind_of(effect), effect.name if isinstance(effect, Operation) else "", tuple(sorted(_find_zones(effect))))
            counts[key] = counts.get(key, 0) + 1
    for (kind, name, zones), count in list(counts.items())[:MAX_ENTRIES]:
        yield {"kind": kind, **({"name": name} if name else {}), **({"zones": list(zones)} if zones else {}), "count": count}


def _find_zones(effect: Effect) -> set[str]:
    return {zone for place in list_places(effect) for zone in place.inside}


def _iter_rule_verdicts(findings: Iterable[Finding]) -> Iterator[Mapping[str, str]]:
    """Yields every rule that matched, with its strictest verdict."""
    strictest: dict[str, Finding] = {}
    for finding in findings:
        if finding.rule not in strictest or finding.verdict > strictest[finding.rule].verdict:
            strictest[finding.rule] = finding
    for rule, finding in sorted(strictest.items())[:MAX_ENTRIES]:
        yield {"rule": rule, "verdict": _VERDICT_NAMES[finding.verdict]}
