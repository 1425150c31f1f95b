"""Tests deletions of files that git does not hold: a few are allowed, and many small calls add up."""

import subprocess
from pathlib import Path

import pytest

from unit.sessions.simulated_client import SimulatedClient, client_in


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    client = client_in(tmp_path, "[limits]\ndelete_files = 3\n")
    subprocess.run(["git", "init", "-q", str(client.project)], check=True)
    for n in range(9):
        (client.project / f"{n}.csv").write_text("x")
    return client


def test_small_calls_add_up(client: SimulatedClient) -> None:
    assert [client.bash(f"rm {n}.csv") for n in range(3)] == ["runs"] * 3
    stopped = client.bash("rm 3.csv")
    assert "1 file (1 bytes) that git does not hold, after 3 earlier in this session" in stopped
    assert client.bash("ls") == "runs"


def test_another_session_begins_anew(client: SimulatedClient) -> None:
    assert [client.bash(f"rm {n}.csv") for n in range(3)] == ["runs"] * 3
    client.session = "s-2"
    assert client.bash("rm 3.csv") == "runs"


def test_one_call_above_the_limit_is_stopped_with_its_numbers(client: SimulatedClient) -> None:
    stopped = client.bash("rm *.csv")
    assert (
        "Deletes 9 files in *.csv (9 bytes) that git does not hold. At stake: 9 files (9 not in git), 9 bytes, newest " in stopped
    )
    assert client.bash("rm 3.csv") == "runs"  # what was stopped is not counted


def test_what_git_holds_is_not_counted(client: SimulatedClient) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("add", "."), ("commit", "-qm", "one")):
        subprocess.run(["git", "-C", str(client.project), *who, *words], check=True)
    assert client.bash("rm *.csv") == "runs"


def test_bytes_are_counted_too(client: SimulatedClient) -> None:
    client.policy('[limits]\ndelete_bytes = "1 kB"\n')
    (client.project / "big.bin").write_bytes(b"x" * 2000)
    assert "2.0 kB" in client.bash("rm big.bin")
    assert client.bash("rm 1.csv") == "runs"
