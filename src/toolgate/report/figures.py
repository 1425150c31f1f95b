"""Computes the report's figures: counts by time, rule, tool, kind of effect, session and policy, and judging time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from toolgate.audit.fields import RecordLine, make_visible, number_of, objects_of, zones_of
from toolgate.audit.query import RUN_VERDICTS, iter_rules

from .details import Chunks, Place, encode_call

VERDICTS = ("pass", "warn", "ask", "deny")
MOST_STEPS = 150  # of the time axis
WIDTHS = tuple(minutes * 60 for minutes in (1, 5, 15, 60, 360, 1440, 10080))
"""Seconds that a step of the time axis may cover."""


@dataclass(slots=True)
class Step:
    """The calls of one time step: counts by verdict, and the judging time of each."""

    verdicts: Counter[str] = field(default_factory=Counter)
    microseconds: list[int] = field(default_factory=list)

    def include(self, other: "Step") -> None:
        self.verdicts.update(other.verdicts)
        self.microseconds += other.microseconds


@dataclass(slots=True)
class Tally:
    """Counts of a group of calls: answers, times, and calls that ran although a rule matched."""

    verdicts: Counter[str] = field(default_factory=Counter)
    near: int = 0
    first: str = ""
    last: str = ""
    host: str = ""

    @property
    def calls(self) -> int:
        return self.verdicts.total()

    @property
    def stops(self) -> int:
        return self.verdicts["ask"] + self.verdicts["deny"]

    def include_call(self, verdict: str, time: str, is_near: bool) -> None:
        self.verdicts[verdict] += 1
        self.near += is_near
        self.first = min(self.first or time, time)
        self.last = max(self.last, time)


@dataclass(slots=True)
class Figures:
    """All figures of the report.

    `minutes` is keyed by the start of each minute, in seconds since 1970. `stakes` is keyed by kind of effect and zone.
    """

    total: Tally = field(default_factory=Tally)
    unreadable: int = 0
    minutes: dict[int, Step] = field(default_factory=dict)
    rules: dict[str, Tally] = field(default_factory=dict)
    tools: dict[str, Tally] = field(default_factory=dict)
    stakes: dict[tuple[str, str], Tally] = field(default_factory=dict)
    sessions: dict[str, Tally] = field(default_factory=dict)
    policies: dict[str, Tally] = field(default_factory=dict)
    places: Mapping[str, list[Place]] = field(default_factory=dict)
    chunks: list[str] = field(default_factory=list)

    def latency(self) -> dict[float, int]:
        """Returns the percentiles of the judging time, in microseconds."""
        return percentiles([took for step in self.minutes.values() for took in step.microseconds])

    def timeline(self) -> tuple[int, list[tuple[int, Step]]]:
        """Returns the seconds per step and the steps of the time axis, without gaps; the step is the shortest allowed."""
        if not self.minutes:
            return WIDTHS[0], []
        first, last = min(self.minutes), max(self.minutes)
        width = next((each for each in WIDTHS if (last - first) // each < MOST_STEPS), (last - first) // MOST_STEPS + 1)
        start = first // width * width
        steps = [(at, Step()) for at in range(start, last + 1, width)]
        for minute, step in self.minutes.items():
            steps[(minute - start) // width][1].include(step)
        return width, steps


def collect_figures(lines: Iterable[RecordLine]) -> Figures:
    """Returns the figures of some records, with their calls in chunks. A line that is no record ({}) is counted."""
    figures, chunks = Figures(), Chunks()
    for line in lines:
        if not line:
            figures.unreadable += 1
            continue
        _include_record(figures, line)
        chunks.add(make_visible(line.get("session", "")), encode_call(line))
    figures.chunks, figures.places = chunks.pack()
    return figures


def _include_record(figures: Figures, line: RecordLine) -> None:
    given = str(line["verdict"])
    verdict, time = given if given in VERDICTS else "other", make_visible(line.get("time", ""))
    matched = {make_visible(rule) for rule, _ in iter_rules(line)}
    is_near = bool(matched) and verdict in RUN_VERDICTS
    for tally in _tallies_of(figures, line, matched):
        tally.include_call(verdict, time, is_near)
    figures.sessions[make_visible(line.get("session", ""))].host = make_visible(line.get("host", ""))
    minute = _minute_of(time)
    if minute is not None:
        step = figures.minutes.setdefault(minute, Step())
        step.verdicts[verdict] += 1
        step.microseconds.append(number_of(line, "microseconds"))


def _tallies_of(figures: Figures, line: RecordLine, matched: set[str]) -> Iterator[Tally]:
    yield figures.total
    yield figures.tools.setdefault(make_visible(line.get("tool", "")), Tally())
    yield figures.sessions.setdefault(make_visible(line.get("session", "")), Tally())
    yield figures.policies.setdefault(make_visible(line.get("policy", "")), Tally())
    for rule in matched:
        yield figures.rules.setdefault(rule, Tally())
    touched = {
        (make_visible(effect.get("kind", "")), zone)
        for effect in objects_of(line, "effects")
        for zone in zones_of(effect) or ("",)
    }
    for each in touched:
        yield figures.stakes.setdefault(each, Tally())


def _minute_of(time: str) -> int | None:
    try:
        at = datetime.fromisoformat(time)
    except ValueError:
        return None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()) // 60 * 60


def percentiles(numbers: list[int]) -> dict[float, int]:
    """Returns the 50th, 90th and 99th percentiles, or an empty map for an empty list."""
    ordered = sorted(numbers)
    return {share: ordered[min(int(len(ordered) * share), len(ordered) - 1)] for share in (0.5, 0.9, 0.99)} if ordered else {}
