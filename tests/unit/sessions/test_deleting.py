"""Files that git does not hold: a few may go without a word, and many small calls add up."""

import subprocess
from pathlib import Path

import pytest

from unit.sessions.desk import Desk, desk_in


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = desk_in(tmp_path, "[limits]\ndelete_files = 3\n")
    subprocess.run(["git", "init", "-q", str(made.project)], check=True)
    for n in range(9):
        (made.project / f"{n}.csv").write_text("x")
    return made


def test_small_calls_add_up(desk: Desk) -> None:
    assert [desk.bash(f"rm {n}.csv") for n in range(3)] == ["runs"] * 3
    stopped = desk.bash("rm 3.csv")
    assert "1 file (1 bytes) that git does not hold, after 3 earlier in this session" in stopped
    assert desk.bash("ls") == "runs"


def test_another_session_begins_anew(desk: Desk) -> None:
    assert [desk.bash(f"rm {n}.csv") for n in range(3)] == ["runs"] * 3
    desk.session = "s-2"
    assert desk.bash("rm 3.csv") == "runs"


def test_one_call_above_the_limit_is_stopped_with_its_numbers(desk: Desk) -> None:
    stopped = desk.bash("rm *.csv")
    assert (
        "Deletes 9 files in *.csv (9 bytes) that git does not hold. At stake: 9 files (9 not in git), 9 bytes, newest " in stopped
    )
    assert desk.bash("rm 3.csv") == "runs"  # what was stopped is not counted


def test_what_git_holds_is_not_counted(desk: Desk) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("add", "."), ("commit", "-qm", "one")):
        subprocess.run(["git", "-C", str(desk.project), *who, *words], check=True)
    assert desk.bash("rm *.csv") == "runs"


def test_bytes_are_counted_too(desk: Desk) -> None:
    desk.policy('[limits]\ndelete_bytes = "1 kB"\n')
    (desk.project / "big.bin").write_bytes(b"x" * 2000)
    assert "2.0 kB" in desk.bash("rm big.bin")
    assert desk.bash("rm 1.csv") == "runs"
