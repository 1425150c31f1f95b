"""Tests `toolgate approve` on a real terminal: on this machine's store, and on a server's from another account."""

import time
from pathlib import Path

import pytest

from contracts.cluster import Cluster
from contracts.test_store import Make, make, migrate, server
from unit.sessions.keyboard import sit_down
from unit.sessions.simulated_client import SimulatedClient, client_in

__all__ = ["make", "server"]
FAR = "touch ~/elsewhere/x"


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    client = client_in(tmp_path, 'ask_through = "code"\n')
    client.now = time.time()
    return client


def environ(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "xterm", "COLUMNS": "200", **more}


def test_a_pattern_is_shown_whole_before_it_is_approved(client: SimulatedClient) -> None:
    client.bash(FAR)
    person = sit_down(environ(client.home), "approve", "--for", "session", "--like", f"{client.home}/elsewhere/**")
    person.wait_for("Approve, deny or leave it")
    assert FAR in person.shown
    assert (
        f"filesystem.write-outside-project alone stops, where it does the same (Write) to {client.home}/elsewhere/**"
        in person.shown
    )
    person.type("approve")
    person.type(person.wait_for(r"Type (\d{4})"))
    assert person.wait_for_exit() == 0, person.shown
    client.now = time.time()
    assert client.bash("touch ~/elsewhere/y") == "runs"
    assert client.bash("touch ~/other/y").startswith("deny")


def test_a_pattern_that_does_not_hold_for_the_call_is_none(client: SimulatedClient) -> None:
    client.bash(FAR)
    person = sit_down(environ(client.home), "approve", "--for", "session", "--like", "/nowhere/**")
    assert person.wait_for_exit() != 0
    assert "does not hold for what this call is about" in person.shown
    assert client.bash(FAR).startswith("deny")


def test_a_pattern_is_for_more_than_once(client: SimulatedClient) -> None:
    person = sit_down(environ(client.home), "approve", "--like", "/x/**")
    assert person.wait_for_exit() == 64
    assert "--like goes with --for" in person.shown


def test_somebody_else_approves_from_another_machine(
    server: Cluster, make: Make, client: SimulatedClient, tmp_path: Path
) -> None:
    """The approver has another home and another environment, and shares only the server; the gate's own role cannot approve."""
    import psycopg

    owned = make("postgres")
    database = owned.url.rpartition("/")[2]
    gate, approver = (f"{role}_{database}" for role in ("gate2", "approver2"))
    with psycopg.connect(server.url, autocommit=True) as connection:
        for role in (gate, approver):
            connection.execute(f"CREATE ROLE {role} LOGIN")
    migrate(owned.url, gate, approver)
    client.environ["TOOLGATE_STORE_URL"] = server.url_of(gate, database)
    elsewhere = tmp_path / "another machine"
    elsewhere.mkdir()
    client.bash(FAR)

    def answer_prompt(role: str) -> tuple[int, str]:
        person = sit_down(environ(elsewhere, TOOLGATE_STORE_URL=server.url_of(role, database)), "approve")
        person.wait_for("Approve, deny or leave it")
        person.type("approve")
        person.type(person.wait_for(r"Type (\d{4})"))
        return person.wait_for_exit(), person.shown

    code, output = answer_prompt(gate)
    assert code != 0
    assert "this role may not do that" in output
    assert client.bash(FAR).startswith("deny")
    code, output = answer_prompt(approver)
    assert (code, "approved" in output) == (0, True), output
    client.now = time.time()
    assert client.bash(FAR) == "runs"
    assert client.bash(FAR).startswith("deny")
    for each in client.app._stores._met.values():
        each.close()
