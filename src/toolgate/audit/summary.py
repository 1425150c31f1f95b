"""Sums up records: how often each answer was given, by which rules, and how agents reacted to denials."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from toolgate.consent.escalation import TELL_USER_FROM

from .chain import OUTCOME_KIND
from .fields import RecordLine, objects_of
from .segments import list_segments, read_lines

_OUTCOME_MARK = b'"kind":"outcome"'
"""Part of each line of an outcome; inside a recorded text the quotation marks are escaped."""
STOPPING_VERDICTS = ("ask", "deny")
DeniedCall = list[tuple[str, str, str]]
"""A call's session and agent with each rule that denied it."""


@dataclass(frozen=True, slots=True)
class Denials:
    """Denials of one rule, or of all: `corrected` are those that an agent accepted by itself."""

    all: int
    corrected: int

    @property
    def corrected_share(self) -> float | None:
        return self.corrected / self.all if self.all else None


@dataclass(frozen=True, slots=True)
class Summary:
    """`stopped`: rule -> number of calls that it stopped. `denials`: rule -> the outcome of its denials, and `self_correction` of
    all denied calls. `torn`: lines that could not be read. `microseconds`: the median, the 90th and the 99th percentile.
    `prompts_avoided`: calls for which the gate answered the host's own question. `days`: day -> its answers. `approvals`: rule ->
    how many calls it asked about, and how many of them ran. `retries`: stopped calls that repeat a stopped one of the session.
    `redacted`: calls of which something was hidden; `opaque`: calls that could not be read completely; `failed`: calls that ran
    and reported an error. `failed_closed`: cause -> calls that were answered without a judgement; `undo_copies`: calls before
    which a copy was kept."""

    records: int
    torn: int
    sessions: int
    verdicts: Mapping[str, int]
    stopped: Mapping[str, int]
    denials: Mapping[str, Denials]
    self_correction: Denials
    microseconds: tuple[int, int, int]
    prompts_avoided: int = 0
    days: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    approvals: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    retries: int = 0
    redacted: int = 0
    opaque: int = 0
    failed: int = 0
    failed_closed: Mapping[str, int] = field(default_factory=dict)
    undo_copies: int = 0


def iter_lines(folder: str, since: str = "") -> Iterator[RecordLine]:
    """Yields the records in an audit folder, from `since` (2026-11-20) on; {} for a line that is none. Raises OSError."""
    names = [name for name in list_segments(folder) if name >= since]
    outcomes = _read_outcomes(line for name in names for line in read_lines(f"{folder}/{name}"))
    for name in names:
        for line in read_records(read_lines(f"{folder}/{name}")):
            outcome = outcomes.get((str(line.get("session")), str(line.get("tool_use_id")))) if line else None
            yield {**line, "outcome": outcome} if outcome else line


def _read_outcomes(lines: Iterable[bytes]) -> dict[tuple[str, str], str]:
    """Returns what became of calls, by session and the host's id of the call."""
    found: dict[tuple[str, str], str] = {}
    for text in lines:
        if _OUTCOME_MARK in text and (line := parse_line(text)).get("kind") == OUTCOME_KIND:
            found[str(line.get("session")), str(line.get("tool_use_id"))] = str(line.get("outcome"))
    return found


def read_records(lines: Iterable[bytes]) -> Iterator[RecordLine]:
    """Yields the records among lines of the log; {} for a line that is none. Lines with a kind describe the log itself and are
    left out."""
    for text in lines:
        line = parse_line(text)
        if text.strip() and line.get("kind") is None:
            yield line


def parse_line(text: bytes) -> RecordLine:
    """Returns a record, or a line that describes the log; {} for anything else."""
    try:
        table = json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) and (isinstance(table.get("verdict"), str) or "kind" in table) else {}


def summarize(lines: Iterable[RecordLine]) -> Summary:
    """Sums up the records. A denial counts as accepted where its rule denied fewer than three times to that agent in that
    session: the third tells the user. A session has many turns, so this counts too few rather than too many."""
    records, torn, sessions, took = 0, 0, set(), []
    verdicts: Counter[str] = Counter()
    stopped: Counter[str] = Counter()
    denied: list[DeniedCall] = []
    failed_closed: Counter[str] = Counter()
    avoided = redacted = opaque = failed = retries = copies = 0
    days: dict[str, Counter[str]] = {}
    asked: Counter[str] = Counter()
    approved: Counter[str] = Counter()
    stopped_before: set[tuple[str, str, str]] = set()
    for line in lines:
        if not line:
            torn += 1
            continue
        records += 1
        verdict, who = str(line["verdict"]), (str(line.get("session", "")), str(line.get("agent", "")))
        sessions.add(who[0])
        verdicts[verdict] += 1
        avoided += bool(line.get("allowed"))
        redacted += "REDACTED" in str(line.get("operation"))
        opaque += any(each.get("kind") == "Opaque" for each in objects_of(line, "effects"))
        failed += line.get("outcome") == "failed"
        failed_closed.update([str(line["failure"])] if line.get("failure") else ())
        copies += bool(line.get("undo"))
        days.setdefault(str(line.get("time", ""))[:10], Counter())[verdict] += 1
        if verdict == "ask":
            asked.update(rules := list(_iter_deciding_rules(line, verdict)))
            approved.update(rules if line.get("outcome") else ())
        took.append(_as_number(line.get("microseconds")))
        if verdict in STOPPING_VERDICTS:
            call = who[0], str(line.get("tool")), str(line.get("operation"))
            retries += call in stopped_before
            stopped_before.add(call)
            stopped.update(against := list(_iter_deciding_rules(line, verdict)))
            if verdict == "deny":
                denied.append([(*who, rule) for rule in against])
    return Summary(
        records,
        torn,
        len(sessions),
        verdicts,
        stopped,
        *_count_denials(denied),
        (_percentile(took, 0.5), _percentile(took, 0.9), _percentile(took, 0.99)),
        avoided,
        days,
        {rule: (times, approved[rule]) for rule, times in asked.items()},
        retries,
        redacted,
        opaque,
        failed,
        failed_closed,
        copies,
    )


def _iter_deciding_rules(line: RecordLine, verdict: str) -> Iterator[str]:
    """Yields the rules with the verdict of the answer."""
    rules = line.get("rules")
    for each in rules if isinstance(rules, list) else ():
        if isinstance(each, dict) and each.get("verdict") == verdict:
            yield str(each.get("rule"))


def _count_denials(denied: list[DeniedCall]) -> tuple[dict[str, Denials], Denials]:
    """Returns the denials by rule, and of all denied calls."""
    times = Counter(each for call in denied for each in call)
    total = Counter(rule for call in denied for _, _, rule in call)
    corrected = Counter(each[2] for call in denied for each in call if times[each] < TELL_USER_FROM)
    taken_in = sum(all(times[each] < TELL_USER_FROM for each in call) for call in denied)
    return {rule: Denials(number, corrected[rule]) for rule, number in total.most_common()}, Denials(len(denied), taken_in)


def _as_number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _percentile(numbers: list[int], share: float) -> int:
    return sorted(numbers)[min(int(len(numbers) * share), len(numbers) - 1)] if numbers else 0
