"""Selects records of the audit log: by session, rule, verdict, tool and time, or one by its id."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from .fields import RecordLine

LAST_ID = "last"
RUN_VERDICTS = ("pass", "warn")


@dataclass(frozen=True, slots=True)
class Query:
    """The conditions on a record; an empty field matches every record.

    `session` and `agent` are the beginning of an id, `rule` a glob over rule ids, `near` selects calls that ran although a rule
    matched, `text` is a part of the operation; `since` and `until` are times as records write them (2026-11-20T08:00).
    """

    session: str = ""
    agent: str = ""
    rule: str = ""
    verdicts: frozenset[str] = frozenset()
    near: bool = False
    tool: str = ""
    text: str = ""
    since: str = ""
    until: str = ""

    def is_match(self, line: RecordLine) -> bool:
        time = str(line.get("time", ""))
        return (
            str(line.get("session", "")).startswith(self.session)
            and str(line.get("agent", "")).startswith(self.agent)
            and (not self.rule or any(fnmatchcase(rule, self.rule) for rule, _ in iter_rules(line)))
            and (not self.verdicts or line.get("verdict") in self.verdicts)
            and (not self.near or is_near_miss(line))
            and (not self.tool or line.get("tool") == self.tool)
            and self.text in str(line.get("operation", ""))
            and self.since <= time
            and (not self.until or time <= self.until)
        )


def iter_rules(line: RecordLine) -> Iterator[tuple[str, str]]:
    """Yields every rule that matched the call, with its verdict."""
    rules = line.get("rules")
    for each in rules if isinstance(rules, list) else ():
        if isinstance(each, dict):
            yield str(each.get("rule", "")), str(each.get("verdict", ""))


def select_lines(lines: Iterable[RecordLine], query: Query) -> Iterator[RecordLine]:
    """Yields the readable records that match, in the order in which they were written."""
    return (line for line in lines if line and query.is_match(line))


def is_near_miss(line: RecordLine) -> bool:
    """Returns whether the call ran although a rule matched."""
    return line.get("verdict") in RUN_VERDICTS and any(iter_rules(line))


def is_spoken(line: RecordLine) -> bool:
    """Returns whether the call did not pass in silence."""
    return line.get("verdict") != "pass" or line.get("judged") != "pass"


def find_by_id(lines: Iterable[RecordLine], part_of_id: str) -> list[RecordLine]:
    """Returns the records whose id begins or ends with `part_of_id`; for `last`, the last one that did not pass in silence."""
    if part_of_id == LAST_ID:
        spoken = [line for line in lines if line and is_spoken(line)]
        return spoken[-1:]
    return [line for line in lines if line and has_id(line, part_of_id)]


def has_id(line: RecordLine, part_of_id: str) -> bool:
    """Returns whether the id of a record begins or ends with `part_of_id`."""
    id_ = str(line.get("id", ""))
    return id_.startswith(part_of_id) or id_.endswith(part_of_id)
