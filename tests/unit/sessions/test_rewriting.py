"""Where the policy says so, a command that is stopped for one word runs without it; the rest is judged as usual."""

import json
from pathlib import Path

import pytest

from unit.sessions.simulated_client import SimulatedClient, client_in


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    return client_in(tmp_path, "rewrite = true\n")


def rewritten_command(client: SimulatedClient, command: str) -> str:
    """Returns the command that runs instead; empty if there is none."""
    answer = client.hook("PreToolUse", tool_name="Bash", tool_input={"command": command, "description": "d"}, tool_use_id="t")
    reply = json.loads(answer.stdout) if answer.stdout else {}
    specific = reply.get("hookSpecificOutput", {})
    assert "permissionDecision" not in specific or "updatedInput" not in specific
    changed = specific.get("updatedInput", {})
    assert not changed or changed["description"] == "d"
    return str(changed.get("command", ""))


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ("git push --force", "git push"),
        ("git push -f origin topic", "git push origin topic"),
        ("make && git push --force origin topic; echo pushed", "make && git push origin topic; echo pushed"),
        ("git push origin topic --force 2>&1 | tail -3", "git push origin topic 2>&1 | tail -3"),
        ("git commit -m 'no --force here' && git push --force", "git commit -m 'no --force here' && git push"),
    ],
)
def test_the_word_is_left_out(client: SimulatedClient, command: str, instead: str) -> None:
    assert rewritten_command(client, command) == instead


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git push -fu origin topic",
        "git push --mirror --force",
        "git push --force; rm -rf ~/other",
        "sh -c 'git push --force'",
        "git push origin +topic",
        "git push --delete origin topic --force",
        "rm -rf /",
    ],
)
def test_what_else_is_stopped_stays_stopped(client: SimulatedClient, command: str) -> None:
    assert rewritten_command(client, command) == ""


def test_it_is_off_unless_the_policy_says_so(tmp_path: Path) -> None:
    assert rewritten_command(client_in(tmp_path, ""), "git push --force") == ""


def test_a_project_may_not_switch_it_on(tmp_path: Path) -> None:
    client = client_in(tmp_path, "")
    (client.project / ".toolgate").mkdir()
    (client.project / ".toolgate" / "policy.toml").write_text("rewrite = true\n")
    assert rewritten_command(client, "git push --force") == ""


def test_it_is_told_and_recorded(client: SimulatedClient) -> None:
    answer = client.hook("PreToolUse", tool_name="Bash", tool_input={"command": "git push --force"}, tool_use_id="t")
    notice = "it runs as `git push`."
    assert notice in json.loads(answer.stdout)["systemMessage"]
    (record,) = [json.loads(line) for file in client.state.glob("audit/*.jsonl") for line in file.read_text().splitlines()]
    assert (record["verdict"], record["judged"]) == ("warn", "ask")
    assert "git push --force" in record["operation"]
