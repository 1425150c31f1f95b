"""Tests the chain of the audit log: every change to a line, a file or their order is found and located."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.audit import chain
from toolgate.audit.deletion import delete_session
from toolgate.audit.segments import list_segments
from toolgate.audit.sinks import jsonl
from toolgate.audit.verification import Verification, verify_log
from toolgate.model.rule import LogLimits

DAYS = ("2026-11-20", "2026-11-21", "2026-11-22")


def line(number: int, session: str = "s-1") -> str:
    return json.dumps({"id": str(number), "session": session, "verdict": "pass"}, separators=(",", ":")) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log of three days with five records each."""
    folder = tmp_path / "audit"
    for number in range(15):
        assert jsonl.append_record(str(folder), DAYS[number // 5], line(number, f"s-{number % 2}")) == ""
    return folder


def faults(folder: Path, checkpoint: tuple[int, str] | None = None) -> list[str]:
    return [f"{fault.place}: {fault.what}" for fault in verify_log(str(folder), checkpoint).faults]


def test_a_log_left_alone_verifies(folder: Path) -> None:
    report = verify_log(str(folder))
    assert (report.records, report.older, report.deleted, report.faults) == (15, 0, 0, [])
    assert report.newest[0] == 15
    assert verify_log(str(folder), report.newest).faults == []
    assert verify_log(str(folder.parent / "nowhere")) == Verification()


@given(position=st.integers(0, 10**6), bit=st.integers(0, 7), day=st.sampled_from(DAYS))
def test_any_flipped_bit_is_found(tmp_path_factory: pytest.TempPathFactory, position: int, bit: int, day: str) -> None:
    folder = tmp_path_factory.mktemp("log") / "audit"
    for number in range(15):
        jsonl.append_record(str(folder), DAYS[number // 5], line(number))
    file = folder / f"{day}.jsonl"
    data = bytearray(file.read_bytes())
    data[position % len(data)] ^= 1 << bit
    file.write_bytes(data)
    assert faults(folder)


def test_a_line_cut_out_is_named(folder: Path) -> None:
    file = folder / "2026-11-21.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:2] + lines[3:]))
    assert faults(folder) == ["2026-11-21.jsonl:3: record 8 is missing before this line"]


def test_an_altered_record_is_named(folder: Path) -> None:
    file = folder / "2026-11-21.jsonl"
    file.write_text(file.read_text().replace('"id":"6"', '"id":"x"'))
    assert faults(folder) == ["2026-11-21.jsonl:2: record 7 is not as record 8 (2026-11-21.jsonl:3) tells: one was altered"]


def test_swapped_lines_are_found(folder: Path) -> None:
    file = folder / "2026-11-20.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([lines[0], lines[2], lines[1], *lines[3:]]))
    assert any("out of order" in fault for fault in faults(folder))


def test_a_line_put_in_is_found(folder: Path) -> None:
    with (folder / "2026-11-20.jsonl").open("a") as file:
        file.write(line(99))
    assert any(fault.startswith("2026-11-20.jsonl:6: this line has no place in the chain") for fault in faults(folder))


def test_a_repeated_line_is_found(folder: Path) -> None:
    file = folder / "2026-11-22.jsonl"
    file.write_text(file.read_text() + file.read_text().splitlines()[-1] + "\n")
    assert faults(folder) == ["2026-11-22.jsonl:6: record 15 is here again or out of order: it follows record 15"]


@pytest.mark.parametrize("day", DAYS[:2])
def test_a_removed_day_is_found(folder: Path, day: str) -> None:
    (folder / f"{day}.jsonl").unlink()
    assert any("are missing before this line" in fault for fault in faults(folder))


def test_removing_the_newest_is_found_by_the_head(folder: Path) -> None:
    (folder / "2026-11-22.jsonl").unlink()
    assert faults(folder) == ["chain.head: it tells of record 15, and the last one here is 10: the newest are missing"]


def test_a_removed_head_is_told(folder: Path) -> None:
    (folder / chain.HEAD_FILE).unlink()
    assert faults(folder) == ["chain.head: it is missing or broken: whether the newest records were removed cannot be told"]
    assert jsonl.append_record(str(folder), "2026-11-22", line(15)) == ""
    assert faults(folder) == []  # the chain goes on from what is there


def test_a_chain_written_anew_is_found_by_a_checkpoint_alone(folder: Path, tmp_path: Path) -> None:
    newest = verify_log(str(folder)).newest
    other = tmp_path / "other"
    for number in range(20):
        jsonl.append_record(str(other), DAYS[0], line(number + 100))
    assert faults(other) == []
    assert faults(other, newest) == ["2026-11-20.jsonl:15: record 15 is not the one that the checkpoint tells of"]
    short = tmp_path / "short"
    jsonl.append_record(str(short), DAYS[0], line(1))
    assert faults(short, newest) == ["the end: the checkpoint tells of record 15: the newest records are missing"]


def test_a_writer_killed_before_the_head_leaves_no_fault(folder: Path) -> None:
    head = (folder / chain.HEAD_FILE).read_bytes()
    assert jsonl.append_record(str(folder), "2026-11-22", line(15)) == ""
    (folder / chain.HEAD_FILE).write_bytes(head)
    assert faults(folder) == []
    assert jsonl.append_record(str(folder), "2026-11-23", line(16)) == ""
    assert jsonl.append_record(str(folder), "2026-11-22", line(17)) == ""  # of a call that began before midnight
    assert verify_log(str(folder)).records in (17, 18)


def test_a_line_cut_short_is_told_and_the_chain_goes_on(folder: Path) -> None:
    with (folder / "2026-11-22.jsonl").open("a") as file:
        file.write('{"id":"15","ses')
    assert jsonl.append_record(str(folder), "2026-11-22", line(16)) == ""
    assert [fault.partition(",")[0] for fault in faults(folder)] == [
        "2026-11-22.jsonl:6: this line has no place in the chain: cut short"
    ]


def test_a_lock_held_for_long_loses_no_record(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "_LOCK_WAITS", (0.0, 0.001))
    with jsonl.lock_head(str(folder)):
        assert jsonl.append_record(str(folder), "2026-11-22", line(15)) == ""
    assert jsonl.append_record(str(folder), "2026-11-22", line(16)) == ""
    assert [fault.partition(":")[0] for fault in faults(folder)] == ["2026-11-22.jsonl"]
    assert '"id":"15"' in (folder / "2026-11-22.jsonl").read_text()


def test_records_older_than_the_chain_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    folder.mkdir(mode=0o700)
    (folder / "2026-11-19.jsonl").write_text(line(1) + line(2))
    (folder / "2026-11-20.jsonl").write_text(line(3))
    assert jsonl.append_record(str(folder), "2026-11-20", line(4)) == ""
    report = verify_log(str(folder))
    assert (report.older, report.records, report.faults) == (3, 1, [])


def test_days_removed_for_their_age_leave_a_line(folder: Path) -> None:
    assert jsonl.append_record(str(folder), "2027-02-19", line(15)) == ""  # 90 days after 2026-11-21
    report = verify_log(str(folder))
    assert (report.removed_days, report.faults, report.records) == (["2026-11-20"], [], 12)
    parsed_output = json.loads((folder / "2027-02-19.jsonl").read_text().splitlines()[0])
    assert (parsed_output["kind"], parsed_output["days"], parsed_output["through"]) == ("retention", ["2026-11-20"], 5)


def test_a_file_that_is_full_continues_in_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chain continues; lines are only added to the newest file; the oldest files are removed when all are too large, which a
    line records."""
    monkeypatch.setattr(jsonl, "MAX_SEGMENT_BYTES", 400)
    for number in range(15, 30):
        assert jsonl.append_record(str(folder), DAYS[2], line(number)) == ""
    names = [f"{DAYS[2]}.jsonl", *(f"{DAYS[2]}_{number:03}.jsonl" for number in range(2, 7))]
    assert list_segments(str(folder)) == [f"{DAYS[0]}.jsonl", f"{DAYS[1]}.jsonl", *names]
    report = verify_log(str(folder))
    assert (report.records, report.faults) == (30, [])
    with (folder / chain.HEAD_FILE).open("w"):  # found again by the files' order
        pass
    for number in range(30, 34):
        assert jsonl.append_record(str(folder), DAYS[2], line(number), limits=LogLimits(keep_bytes=1000)) == ""
    report = verify_log(str(folder))
    assert (report.removed_days, report.faults) == ([DAYS[0], DAYS[1], DAYS[2]], [])
    assert sum(path.stat().st_size for path in folder.glob("*.jsonl")) <= 1000 + 400 + 200
    (folder / list_segments(str(folder))[-2]).unlink()
    assert "are missing before this line" in faults(folder)[0]


def test_a_deleted_session_leaves_its_places(folder: Path) -> None:
    assert delete_session(str(folder), "s-1", "2026-11-22T10:00:00Z") == 7
    report = verify_log(str(folder))
    assert (report.records, report.deleted, report.faults) == (16, 7, [])
    assert "s-1" not in "".join(path.read_text() for path in folder.glob("*.jsonl"))
    assert delete_session(str(folder), "s-1", "2026-11-22T10:00:00Z") == 0
    assert jsonl.append_record(str(folder), "2026-11-22", line(16)) == ""
    assert faults(folder) == []


def test_a_place_emptied_by_hand_is_found(folder: Path) -> None:
    file = folder / "2026-11-20.jsonl"
    lines = file.read_bytes().splitlines()
    place = chain.read_link(lines[2])
    assert place is not None
    stand_in = {"kind": "deleted", "digest": place.digest, "number": place.number, "previous": place.previous}
    lines[2] = json.dumps(stand_in).encode()
    file.write_bytes(b"\n".join((*lines, b"")))
    assert faults(folder) == ["record 3: it was deleted, and no line tells by whom"]


@pytest.mark.parametrize(
    "garbage", [b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"x" * 3_000_000 + b"\n", b'{"number":true,"previous":1}\n', b"\x1b[31m\n"]
)
def test_garbage_is_a_fault_and_no_more(folder: Path, garbage: bytes) -> None:
    with (folder / "2026-11-22.jsonl").open("ab") as file:
        file.write(garbage)
    assert len(faults(folder)) == 1


def test_records_out_of_clock_order_keep_one_chain(tmp_path: Path) -> None:
    folder, chance = tmp_path / "audit", random.Random(7)
    for number in range(60):
        assert jsonl.append_record(str(folder), chance.choice((*DAYS, "2026-12-24")), line(number)) == ""
    report = verify_log(str(folder))
    assert (report.records, report.faults) == (60, [])


def test_nothing_but_an_object_is_chained() -> None:
    with pytest.raises(ValueError, match="JSON object"):
        chain.chain_line(b"[1]", chain.EMPTY_HEAD)
