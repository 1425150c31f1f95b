"""Encodes the calls that the page opens on demand: rows of JSON by session, in compressed chunks."""

import gzip
import json
from base64 import b64encode
from typing import NamedTuple

from toolgate.audit.fields import RecordLine, describe_effect, describe_stakes, make_visible, number_of, objects_of

ROWS_IN_A_CHUNK = 2000
SHORT_ID = 8  # the last characters of an id, as `toolgate why` takes it


class Place(NamedTuple):
    """Rows of a session, from `start` up to `end` of a chunk."""

    chunk: int
    start: int
    end: int


def encode_call(line: RecordLine) -> str:
    """Returns a record as the page expects it.

    The fields are id, time, tool, operation, verdict, judged, rules, effects, reason, policy, microseconds, agent, role, outcome,
    stakes, undo, failure.
    """
    row = (
        make_visible(line.get("id", ""))[-SHORT_ID:],
        make_visible(line.get("time", "")),
        make_visible(line.get("tool", "")),
        make_visible(line.get("operation", "")),
        make_visible(line.get("verdict", "")),
        make_visible(line.get("judged", "")),
        [[make_visible(each.get("rule", "")), make_visible(each.get("verdict", ""))] for each in objects_of(line, "rules")],
        [describe_effect(each) for each in objects_of(line, "effects")],
        make_visible(line.get("reason", "")),
        make_visible(line.get("policy", "")),
        number_of(line, "microseconds"),
        make_visible(line.get("agent", "")),
        make_visible(line.get("role", "")),
        make_visible(line.get("outcome", "")),
        describe_stakes(line),
        make_visible(line.get("undo", "")),
        make_visible(line.get("failure", "")),
    )
    return json.dumps(row, separators=(",", ":"))


class Chunks:
    """Collects encoded calls by session and packs each session's calls together."""

    def __init__(self) -> None:
        self._sessions: dict[str, list[str]] = {}

    def add(self, session: str, row: str) -> None:
        self._sessions.setdefault(session, []).append(row)

    def pack(self) -> tuple[list[str], dict[str, list[Place]]]:
        """Returns the chunks (base64 of gzip of a JSON list) and the places of each session's rows."""
        packed: list[str] = []
        places: dict[str, list[Place]] = {}
        rows: list[str] = []
        for session, own in self._sessions.items():
            places[session] = []
            start = 0
            while start < len(own):
                taken = own[start : start + ROWS_IN_A_CHUNK - len(rows)]
                start += len(taken)
                places[session].append(Place(len(packed), len(rows), len(rows) + len(taken)))
                rows += taken
                if len(rows) == ROWS_IN_A_CHUNK:
                    packed.append(_compress(rows))
                    rows = []
        if rows:
            packed.append(_compress(rows))
        return packed, places


def _compress(rows: list[str]) -> str:
    return b64encode(gzip.compress(f"[{','.join(rows)}]".encode(), 6, mtime=0)).decode()
