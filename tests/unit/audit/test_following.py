"""Following the log shows every line once, whatever happens to its files meanwhile."""

import json
import os
from pathlib import Path

import pytest

from toolgate.audit.deletion import delete_session
from toolgate.audit.segments import MAX_LINE_LENGTH, follow_lines
from toolgate.audit.sinks import jsonl
from toolgate.audit.summary import read_records
from unit.report.logs import call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    append(tmp_path / "audit", 0)
    return tmp_path / "audit"


def append(folder: Path, number: int, day: str = "2026-11-22", **changes: object) -> None:
    assert jsonl.append_record(str(folder), day, json.dumps(call(number, **changes))) == ""


def operations(lines: list[bytes]) -> list[object]:
    return [line.get("operation") for line in read_records(lines)]


def test_each_line_comes_once(folder: Path) -> None:
    new = follow_lines(str(folder))
    assert next(new) == []
    append(folder, 1)
    append(folder, 2, "2026-11-23")
    assert operations(next(new)) == ["ls -la folder-1", "ls -la folder-2"]
    assert next(new) == []


def test_a_removed_file_ends_nothing(folder: Path) -> None:
    new = follow_lines(str(folder))
    assert next(new) == []
    (folder / "2026-11-22.jsonl").unlink()
    assert next(new) == []
    append(folder, 1, "2026-11-23")
    append(folder, 2)
    assert operations(next(new)) == ["ls -la folder-2", "ls -la folder-1"]


def test_a_file_that_is_written_anew_repeats_nothing(folder: Path) -> None:
    append(folder, 1, session="another")
    new = follow_lines(str(folder))
    assert next(new) == []
    append(folder, 2)
    assert operations(next(new)) == ["ls -la folder-2"]
    assert delete_session(str(folder), "another", "2026-11-22T10:00:00Z") == 1
    append(folder, 3)
    assert operations(next(new)) == ["ls -la folder-3"]
    append(folder, 4)
    assert operations(next(new)) == ["ls -la folder-4"]


def test_a_line_is_shown_when_it_is_whole(folder: Path) -> None:
    file = folder / "2026-11-22.jsonl"
    half, rest = b'{"verdict":"deny","operation":"la', b'te"}\n'
    with file.open("ab") as opened:
        opened.write(half)
    new = follow_lines(str(folder))
    assert next(new) == []
    with file.open("ab") as opened:
        opened.write(rest[:2])
    assert next(new) == []
    with file.open("ab") as opened:
        opened.write(rest[2:])
    assert operations(next(new)) == ["late"]


def test_a_line_of_100_megabytes_is_read_in_part(folder: Path) -> None:
    file = folder / "2026-11-22.jsonl"
    new = follow_lines(str(folder))
    assert next(new) == []
    with file.open("ab") as opened:
        opened.write(b'{"format":1,"operation":"')
        for _ in range(100):
            opened.write(b"x" * 1_000_000)
        opened.write(b'"}\n')
    append(folder, 1)
    long, record = next(new)
    assert len(long) == MAX_LINE_LENGTH
    assert operations([record]) == ["ls -la folder-1"]
    assert next(new) == []
    os.truncate(file, 0)
    assert next(new) == []
