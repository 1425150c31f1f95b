"""Where the policy says so, a command that is stopped for one word runs without it; the rest is judged as ever."""

import json
from pathlib import Path

import pytest

from unit.sessions.desk import Desk, desk_in


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_in(tmp_path, "rewrite = true\n")


def rewritten_command(desk: Desk, command: str) -> str:
    """The command that runs in its place; empty where none does."""
    answer = desk.hook("PreToolUse", tool_name="Bash", tool_input={"command": command, "description": "d"}, tool_use_id="t")
    told = json.loads(answer.stdout) if answer.stdout else {}
    specific = told.get("hookSpecificOutput", {})
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
def test_the_word_is_left_out(desk: Desk, command: str, instead: str) -> None:
    assert rewritten_command(desk, command) == instead


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
def test_what_else_is_stopped_stays_stopped(desk: Desk, command: str) -> None:
    assert rewritten_command(desk, command) == ""


def test_it_is_off_unless_the_policy_says_so(tmp_path: Path) -> None:
    assert rewritten_command(desk_in(tmp_path, ""), "git push --force") == ""


def test_a_project_may_not_switch_it_on(tmp_path: Path) -> None:
    desk = desk_in(tmp_path, "")
    (desk.project / ".toolgate").mkdir()
    (desk.project / ".toolgate" / "policy.toml").write_text("rewrite = true\n")
    assert rewritten_command(desk, "git push --force") == ""


def test_it_is_told_and_recorded(desk: Desk) -> None:
    answer = desk.hook("PreToolUse", tool_name="Bash", tool_input={"command": "git push --force"}, tool_use_id="t")
    told = "it runs as `git push`."
    assert told in json.loads(answer.stdout)["systemMessage"]
    (record,) = [json.loads(line) for file in desk.state.glob("audit/*.jsonl") for line in file.read_text().splitlines()]
    assert (record["verdict"], record["judged"]) == ("warn", "ask")
    assert "git push --force" in record["operation"]
