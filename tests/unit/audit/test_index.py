"""The index answers as a search through the whole log does, whatever happened to the log or the index."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolgate.audit.deletion import delete_session
from toolgate.audit.index import LogIndex, Unusable
from toolgate.audit.query import Query, find_by_id, select_lines
from toolgate.audit.segments import MAX_LINE_LENGTH
from toolgate.audit.sinks import jsonl
from toolgate.audit.summary import iter_lines
from unit.report.logs import HOSTILE, call, denied_call, nearly_stopped

QUERIES = (
    Query(),
    Query(session="session-1"),
    Query(session="session-", agent="a"),
    Query(rule="git.*"),
    Query(rule="*"),
    Query(rule="no.such"),
    Query(verdicts=frozenset(("deny", "ask"))),
    Query(near=True),
    Query(tool="Bash", text="folder-1"),
    Query(since="2026-11-10T01:00", until="2026-11-10T03:00:01.120Z"),
    Query(session=HOSTILE[:20]),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "audit"


def append(folder: Path, numbers: range, day: str = "2026-11-22", **changes: object) -> None:
    for number in numbers:
        make = {3: denied_call, 5: nearly_stopped}.get(number % 7, call)
        line = json.dumps(make(number, session=f"session-{number % 4}", agent="ab"[: number % 3], **changes))
        assert jsonl.append_record(str(folder), day, line) == ""
        if number % 3 == 0:
            outcome = {"kind": "outcome", "session": f"session-{number % 4}", "tool_use_id": f"t{number}", "outcome": "failed"}
            assert jsonl.append_record(str(folder), day, json.dumps(outcome, separators=(",", ":"))) == ""


def check(folder: Path, tmp_path: Path) -> None:
    index, place = LogIndex(str(folder), str(tmp_path / "cache" / "audit.db")), str(folder)
    for query in QUERIES:
        assert list(index.select(query))[::-1] == list(select_lines(iter_lines(place), query)), query
    for wanted in (f"{3:012x}", "019ab1c2", "no-such", "%", ""):
        assert list(index.find_by_id(wanted))[::-1] == find_by_id(iter_lines(place), wanted)
    assert next(index.find_by_id("last"), None) == next(iter(find_by_id(iter_lines(place), "last")), None)


def change_log(folder: Path, chance: random.Random) -> Iterator[str]:
    """Makes one change to a log, of those that occur."""
    append(folder, range(20))
    yield "written"
    append(folder, range(20, 30))
    yield "appended"
    append(folder, range(30, 40), "2026-11-23")
    yield "another day"
    append(folder, range(40, 45), "2026-11-21")
    yield "a clock that jumped back"
    delete_session(str(folder), "session-1", "2026-11-23T10:00:00Z")
    yield "deleted"
    file = folder / "2026-11-22.jsonl"
    with file.open("ab") as opened:
        opened.write(b'{"format":1,"verd')
    yield "half a line"
    append(folder, range(45, 50))
    yield "after half a line"
    with file.open("ab") as opened:
        opened.write(b'{"format":1,"operation":"' + b"x" * (2 * MAX_LINE_LENGTH) + b'"}\n' + b"\xff\xfe\n")
        opened.write(
            json.dumps(denied_call(50, **dict.fromkeys(("session", "agent", "tool", "id", "time"), HOSTILE))).encode() + b"\n"
        )
        opened.write(
            json.dumps(denied_call(51, session="half \ud83d", rules=[{"rule": "\ud83d", "verdict": 7}])).encode() + b"\n"
        )
        opened.write(b'{"verdict":"deny","session":["a"],"rules":{"a":1},"time":7,"id":null}\n')
    yield "hostile lines"
    lines = file.read_bytes().splitlines(keepends=True)
    chance.shuffle(lines)
    file.write_bytes(b"".join(lines))
    yield "shuffled in place"
    file.write_bytes(b"".join(lines[: len(lines) // 2]))
    yield "cut short"
    (folder / "2026-11-21.jsonl").unlink()
    yield "a removed day"
    file.rename(folder / "2026-11-20.jsonl")
    yield "renamed"


def test_the_index_answers_as_the_log_does(folder: Path, tmp_path: Path) -> None:
    for _ in change_log(folder, random.Random(7)):
        check(folder, tmp_path)


def test_a_line_that_is_completed_later_is_found(folder: Path, tmp_path: Path) -> None:
    append(folder, range(5))
    file = folder / "2026-11-22.jsonl"
    whole = file.read_bytes()
    for cut in (len(whole) - 1, len(whole) - 40, len(whole) - 700):
        file.write_bytes(whole[:cut])
        check(folder, tmp_path)
        with file.open("ab") as opened:
            opened.write(whole[cut:])
        check(folder, tmp_path)


@pytest.mark.parametrize("content", [b"no database" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_broken_index_is_no_answer(folder: Path, tmp_path: Path, content: bytes) -> None:
    append(folder, range(3))
    (tmp_path / "audit.db").write_bytes(content)
    with pytest.raises(Unusable):
        list(LogIndex(str(folder), str(tmp_path / "audit.db")).select(Query()))


def test_an_index_that_cannot_be_written_is_no_answer(folder: Path, tmp_path: Path) -> None:
    append(folder, range(3))
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere.db")
    for place in (tmp_path / "file" / "audit.db", tmp_path / "link"):
        with pytest.raises(Unusable):
            list(LogIndex(str(folder), str(place)).select(Query()))
    assert not (tmp_path / "elsewhere.db").exists()


def test_the_index_holds_no_text_of_a_call(folder: Path, tmp_path: Path) -> None:
    append(folder, range(30), operation="mysql OPERATION-TEXT", reason="REASON-TEXT")
    check(folder, tmp_path)
    held = (tmp_path / "cache" / "audit.db").read_bytes()
    assert b"session-1" in held
    assert b"-TEXT" not in held
