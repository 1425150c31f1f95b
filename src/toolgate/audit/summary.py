"""What the records of a while come to: how often what was answered, by which rules, and how agents took a no."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from toolgate.consent.escalation import SURFACES

Line = Mapping[str, object]
"""A record as it was written (`record.Record`), or nothing where the line could not be read."""

STOPS = ("ask", "deny")
Denied = list[tuple[str, str, str]]
"""A call's session and agent with each rule that denied it."""


@dataclass(frozen=True, slots=True)
class Denials:
    """Of a rule, or of all: `corrected` are those that an agent took in by itself."""

    all: int
    corrected: int

    @property
    def share(self) -> float | None:
        return self.corrected / self.all if self.all else None


@dataclass(frozen=True, slots=True)
class Summary:
    """`stopped`: rule -> calls that it was among the reasons to stop. `denials`: rule -> what became of its denials, and
    `self_correction` of all denied calls. `torn`: lines that could not be read. `microseconds`: that half of the calls took at
    most, and 99 of 100."""

    records: int
    torn: int
    sessions: int
    verdicts: Mapping[str, int]
    stopped: Mapping[str, int]
    denials: Mapping[str, Denials]
    self_correction: Denials
    microseconds: tuple[int, int]


def lines(folder: str, since: str = "") -> Iterator[Line]:
    """Of the days in an audit folder, from `since` (2026-11-20) on. Raises OSError."""
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".jsonl") and name >= since:
            with open(f"{folder}/{name}", encoding="utf-8", errors="replace") as file:
                yield from (_line(text) for text in file if text.strip())


def _line(text: str) -> Line:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) and isinstance(said.get("verdict"), str) else {}


def summary(found: Iterable[Line]) -> Summary:
    """A denial was taken in where its rule said no to that agent of that session less than three times: from then on the user
    hears of it. A session has many turns, so that this counts too few rather than too many."""
    records, torn, sessions, took = 0, 0, set(), []
    verdicts: Counter[str] = Counter()
    stopped: Counter[str] = Counter()
    denied: list[Denied] = []
    for line in found:
        if not line:
            torn += 1
            continue
        records += 1
        verdict, who = str(line["verdict"]), (str(line.get("session", "")), str(line.get("agent", "")))
        sessions.add(who[0])
        verdicts[verdict] += 1
        took.append(_number(line.get("microseconds")))
        if verdict in STOPS:
            stopped.update(against := list(_rules(line, verdict)))
            if verdict == "deny":
                denied.append([(*who, rule) for rule in against])
    return Summary(records, torn, len(sessions), verdicts, stopped, *_denials(denied), (_at(took, 0.5), _at(took, 0.99)))


def _rules(line: Line, verdict: str) -> Iterator[str]:
    """Those that said as much as the answer came to."""
    rules = line.get("rules")
    for each in rules if isinstance(rules, list) else ():
        if isinstance(each, dict) and each.get("verdict") == verdict:
            yield str(each.get("rule"))


def _denials(denied: list[Denied]) -> tuple[dict[str, Denials], Denials]:
    """By rule, and of all calls that were denied."""
    times = Counter(each for call in denied for each in call)
    total = Counter(rule for call in denied for _, _, rule in call)
    corrected = Counter(each[2] for call in denied for each in call if times[each] < SURFACES)
    taken_in = sum(all(times[each] < SURFACES for each in call) for call in denied)
    return {rule: Denials(number, corrected[rule]) for rule, number in total.most_common()}, Denials(len(denied), taken_in)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _at(numbers: list[int], share: float) -> int:
    return sorted(numbers)[min(int(len(numbers) * share), len(numbers) - 1)] if numbers else 0
