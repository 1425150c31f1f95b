"""Verifies the chain of the audit log: finds lines that were altered, removed, reordered or inserted later."""

import heapq
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import chain
from .chain import HEAD_BYTES, HEAD_FILE, ChainLink, Head, decode_head, digest_line, read_link
from .checkpoints import Signature, check_signature
from .segments import list_segments, read_lines


class Fault(NamedTuple):
    """A sign of tampering, and its place: `2026-11-20.jsonl:17`."""

    place: str
    what: str


class _Entry(NamedTuple):
    """A line as it is sorted: by the highest number of its file so far, then in the file's order."""

    highest: int
    order: tuple[int, int]
    place: str
    link: ChainLink | None
    digest: str


class _Gap(NamedTuple):
    first: int
    last: int
    previous: str
    place: str


@dataclass(slots=True)
class Verification:
    """The results of verifying a log.

    `records` counts chained lines, `older` those written before the log was chained, `deleted` those that their owner deleted.
    `removed_days`: the days of which records were removed for their age or size. `boundaries` are the signatures of the lines
    that tell of removed records, each with its key. `newest` is the number and the digest of the last line, as in a checkpoint.
    """

    records: int = 0
    older: int = 0
    deleted: int = 0
    removed_days: list[str] = field(default_factory=list)
    boundaries: dict[tuple[Signature, str], int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    newest: tuple[int, str] = (0, "")


def verify_log(folder: str, checkpoint: tuple[int, str] | None = None, public_key: str = "") -> Verification:
    """Verifies every file of the log in the order of the chain, then the head, then a checkpoint that was kept elsewhere (number
    and digest). With `public_key`, lines that tell of removed records must be signed by it. Raises OSError where a file cannot be
    read."""
    return _VerificationPass(checkpoint, public_key).verify_folder(folder)


class _VerificationPass:
    """One pass over all lines, one at a time: memory does not grow with the log, except for the numbers of deleted records."""

    def __init__(self, checkpoint: tuple[int, str] | None, public_key: str) -> None:
        self.checkpoint, self.public_key = checkpoint, public_key
        self.report = Verification()
        self.last: _Entry | None = None
        self.digests: set[str] = {""}  # of the newest chained line, and of lines without a number that follow it
        self.gaps: list[_Gap] = []
        self.retained: set[tuple[int, str]] = set()
        self.stand_ins: list[int] = []
        self.announced: list[tuple[int, int]] = []

    def verify_folder(self, folder: str) -> Verification:
        for entry in heapq.merge(*(_iter_entries(folder, n, name) for n, name in enumerate(list_segments(folder)))):
            if entry.link is None:
                self._check_unchained_line(entry)
            else:
                self._check_chained_line(entry, entry.link)
        self._report_gaps()
        self._report_deletions()
        self._compare_with_head(folder)
        if self.checkpoint is not None and self.checkpoint[0] > self.report.newest[0]:
            self._add_fault("the end", f"the checkpoint tells of record {self.checkpoint[0]}: the newest records are missing")
        return self.report

    def _add_fault(self, place: str, fault: str) -> None:
        self.report.faults.append(Fault(place, fault))

    def _check_unchained_line(self, entry: _Entry) -> None:
        if self.last is None:
            self.report.older += 1
            return
        self.digests.add(entry.digest)
        self._add_fault(
            entry.place, "this line has no place in the chain: cut short, put in, or written while the chain was locked"
        )

    def _check_chained_line(self, entry: _Entry, link: ChainLink) -> None:
        newest = self.report.newest[0]
        self.report.records += 1
        self._collect_special_line(entry, link)
        if link.number <= newest:
            self._add_fault(entry.place, f"record {link.number} is here again or out of order: it follows record {newest}")
            return
        if link.number > newest + 1:
            self.gaps.append(_Gap(newest + 1, link.number - 1, link.previous, entry.place))
        elif link.previous not in self.digests:
            before = self.last.place if self.last else "the beginning"
            self._add_fault(
                before, f"record {link.number - 1} is not as record {link.number} ({entry.place}) tells: one was altered"
            )
        if self.checkpoint is not None and self.checkpoint[0] == link.number and self.checkpoint[1] != link.digest:
            self._add_fault(entry.place, f"record {link.number} is not the one that the checkpoint tells of")
        self.report.newest = (link.number, link.digest)
        self.digests = {link.digest, entry.digest}
        self.last = entry

    def _collect_special_line(self, entry: _Entry, link: ChainLink) -> None:
        table = link.table
        if table.get("kind") in (chain.DELETION_KIND, chain.RETENTION_KIND):
            self._check_boundary(entry, table)
        match table.get("kind"):
            case chain.DELETED_KIND:
                self.report.deleted += 1
                self.stand_ins.append(link.number)
            case chain.DELETION_KIND:
                self.announced += [(each[0], each[1]) for each in table.get("records", ()) if _is_range(each)]
            case chain.RETENTION_KIND:
                days = map(str, table.get("days", ()))
                self.report.removed_days += [day for day in days if day not in self.report.removed_days]
                self.retained.add((table.get("through", 0), str(table.get("digest", ""))))
            case _:
                pass

    def _check_boundary(self, entry: _Entry, table: Mapping[str, Any]) -> None:
        """Counts a line that tells of removed records, by its signature."""
        signature = check_signature(table, self.public_key)
        key = signature, str(table.get("key", ""))
        self.report.boundaries[key] = self.report.boundaries.get(key, 0) + 1
        if signature == "invalid":
            self._add_fault(entry.place, "this line tells of removed records, and its signature is not valid, or not of that key")

    def _report_gaps(self) -> None:
        for gap in self.gaps:
            if (gap.last, gap.previous) not in self.retained:
                which = f"record {gap.first} is" if gap.first == gap.last else f"records {gap.first} to {gap.last} are"
                self._add_fault(gap.place, f"{which} missing before this line")

    def _report_deletions(self) -> None:
        for number in self.stand_ins:
            if not any(first <= number <= last for first, last in self.announced):
                self._add_fault(f"record {number}", "it was deleted, and no line tells by whom")

    def _compare_with_head(self, folder: str) -> None:
        number = self.report.newest[0]
        head = _read_head(folder)
        if head is None:
            if number:
                self._add_fault(HEAD_FILE, "it is missing or broken: whether the newest records were removed cannot be told")
        elif head.number > number:
            self._add_fault(
                HEAD_FILE, f"it tells of record {head.number}, and the last one here is {number}: the newest are missing"
            )
        elif head.number == number and head.digest not in self.digests:
            self._add_fault(self.last.place if self.last else HEAD_FILE, f"record {number}, the newest, was altered")


def _is_range(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(each, int) for each in value)


def _iter_entries(folder: str, order: int, name: str) -> Iterator[_Entry]:
    highest = 0
    for number, line in enumerate(read_lines(f"{folder}/{name}"), 1):
        if line.strip():
            link = read_link(line)
            highest = max(highest, link.number if link else 0)
            yield _Entry(highest, (order, number), f"{name}:{number}", link, link.digest if link else digest_line(line))


def _read_head(folder: str) -> Head | None:
    try:
        with open(os.path.join(folder, HEAD_FILE), "rb") as file:
            return decode_head(file.read(HEAD_BYTES))
    except FileNotFoundError:
        return None
