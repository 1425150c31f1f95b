"""Answers that a replay has found so far, kept in the cache: one that was interrupted goes on from there.

An answer is the rule, the verdict and the shape of a call, under a digest of the call and of the policies; the call itself is not
kept, and neither is an answer whose shape shows a secret. The files are removed when a replay ends, and ignored after a day.
"""

import json
import os
import time
from collections.abc import Callable
from typing import NamedTuple

from toolgate.machine import descriptors
from toolgate.model.decision import Verdict

KEEP_SECONDS = 86400.0
_ROWS_AT_ONCE = 100


class Answer(NamedTuple):
    """How the answer to a call changes ("" where it does not), and what a person would be told."""

    change: str
    verdict: Verdict
    rule: str
    shape: str


class SavedAnswers:
    """`folder` is this account's alone; `is_storable` returns whether a shape shows no secret."""

    def __init__(self, folder: str, is_storable: Callable[[str], bool], now: float | None = None) -> None:
        self._folder, self._is_storable = folder, is_storable
        self._storable: dict[str, bool] = {}
        self._rows: list[str] = []
        self._known = _read_rows(folder, time.time() if now is None else now)

    def find_answer(self, key: str) -> Answer | None:
        return self._known.get(key)

    def add(self, key: str, answer: Answer) -> None:
        if answer.shape not in self._storable:
            self._storable[answer.shape] = self._is_storable(answer.shape)
        if self._storable[answer.shape]:
            self._rows.append(json.dumps([key, *answer]))
            if len(self._rows) >= _ROWS_AT_ONCE:
                self.write()

    def write(self) -> None:
        """Appends what is not written yet. A cache that cannot be written costs time, and nothing else."""
        rows, self._rows = self._rows, []
        if not rows:
            return
        try:
            os.makedirs(self._folder, 0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | descriptors.CLOEXEC | descriptors.NOFOLLOW
            descriptor = os.open(f"{self._folder}/{os.getpid()}.jsonl", flags, 0o600)
            try:
                os.write(descriptor, "".join(f"{row}\n" for row in rows).encode())
            finally:
                os.close(descriptor)
        except OSError:
            return

    def remove(self) -> None:
        """Removes every file: the replay has ended."""
        self._rows = []
        for path in _list_files(self._folder):
            try:
                os.unlink(path)
            except OSError:
                continue


def _list_files(folder: str) -> list[str]:
    try:
        return sorted(f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".jsonl"))
    except OSError:
        return []


def _read_rows(folder: str, now: float) -> dict[str, Answer]:
    """Returns the answers by key; a line that is none, as one cut short, is left out."""
    found: dict[str, Answer] = {}
    for path in _list_files(folder):
        try:
            if now - os.stat(path).st_mtime > KEEP_SECONDS:
                continue
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            try:
                key, change, verdict, rule, shape = json.loads(line)
                found[key] = Answer(str(change), Verdict(verdict), str(rule), str(shape))
            except (ValueError, TypeError, RecursionError):
                continue
    return found
