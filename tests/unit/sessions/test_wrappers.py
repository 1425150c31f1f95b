"""Tests programs that, according to a policy, run the command they are given."""

from pathlib import Path

import pytest

from unit.sessions.simulated_client import client_in

POLICY = '[wrappers]\nin-sandbox = ["-q", "-n,--name="]\n'


@pytest.mark.parametrize(
    ("command", "without", "known"),
    [
        ("in-sandbox -q -n a rm -rf /", "ask", "deny"),
        ("in-sandbox --name=rm -q git status", "runs", "runs"),
        ("in-sandbox -n rm ls /", "ask", "runs"),
        ("in-sandbox git push --force", "runs", "ask"),
        ("in-sandbox npm test", "runs", "runs"),
    ],
)
def test_its_command_is_judged_as_the_command_is(tmp_path: Path, command: str, without: str, known: str) -> None:
    message = [client_in(tmp_path / str(n), policy).bash(command) for n, policy in enumerate(("", POLICY))]
    assert [each.partition(":")[0] for each in message] == [without, known]


def test_a_program_that_has_a_row_keeps_it(tmp_path: Path) -> None:
    client = client_in(tmp_path, '[wrappers]\nrm = ["-r", "-f"]\n')
    assert client.bash("rm -rf /").startswith("deny")
