"""Tests what the user and the team's files learn about denials."""

import json
import os
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.designs.squad import log as security_audit
from toolgate.model.request import Answer, Request

SECRET = "ghp_" + "a1B2" * 9


class SimulatedClient:
    """A project under the profile `squad`, its gate, and one session."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "project"
        self.project.mkdir()
        (self.home / "gate").mkdir(parents=True)
        (self.home / "gate" / "policy.toml").write_text('profile = "squad"\n')
        self.app = App()

    def call(self, tool: str, fields: dict[str, str], turn: str = "t", **environ: str) -> Answer:
        payload = {
            "session_id": "s-1",
            "cwd": str(self.project),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": fields,
            "prompt_id": turn,
        }
        variables = {"HOME": str(self.home), "TOOLGATE_HOME": str(self.home / "gate"), **environ}
        request = Request(
            "claude-code", "PreToolUse", json.dumps(payload).encode(), variables, str(self.project), os.getuid(), 1.8e9
        )
        return self.app.handle(request)

    def write(self, path: str, **environ: str) -> Answer:
        return self.call("Write", {"file_path": str(self.project / path), "content": "x"}, **environ)

    @property
    def audit(self) -> list[dict[str, object]]:
        path = self.project / ".squad" / security_audit.LOG_FILE
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    return SimulatedClient(tmp_path)


def system_message(answer: Answer) -> str:
    return str(json.loads(answer.stdout).get("systemMessage", "")) if answer.stdout else ""


def test_silent_then_visible_then_stop(client: SimulatedClient) -> None:
    answers = [client.write("src/a.ts", TOOLGATE_AGENT="Squad", TOOLGATE_ROLE="coordinator") for _ in range(4)]
    assert [answer.exit_code for answer in answers] == [2] * 4
    assert [bool(system_message(answer)) for answer in answers] == [False, False, True, True]
    notice = system_message(answers[2])
    assert notice.startswith("\u26a0\ufe0f Squad attempted Write (")
    assert notice.endswith("Routing to an alternative.")
    assert ") but was blocked: The coordinator cannot write" in notice
    assert ["Stop trying it" in answer.stderr for answer in answers] == [False, False, False, True]


def test_another_turn_begins_anew(client: SimulatedClient) -> None:
    for turn in ("one", "two"):
        fields = {"file_path": str(client.project / "src/a.ts"), "content": "x"}
        answers = [client.call("Write", fields, turn, TOOLGATE_ROLE="coordinator") for _ in range(2)]
        assert not any(system_message(answer) for answer in answers)


def test_a_first_policys_denial_stands_in_the_teams_own_log(client: SimulatedClient) -> None:
    client.write("src/a.ts", TOOLGATE_AGENT="Squad", TOOLGATE_ROLE="coordinator")
    client.call("Bash", {"command": f"rm -rf / # {SECRET}"}, TOOLGATE_AGENT="fenster")
    first, second = client.audit
    assert (first["agent"], first["role"], first["tool"], first["session"]) == ("Squad", "coordinator", "Write", "s-1")
    assert first["rules"] == ["team.coordinator-writes"]
    assert "task tool" in str(first["reason"])
    assert "filesystem.delete-protected" in str(second["rules"])
    assert SECRET not in json.dumps(second)


def test_what_is_allowed_or_of_less_weight_does_not(client: SimulatedClient) -> None:
    assert client.write(".squad/notes.md", TOOLGATE_ROLE="coordinator").exit_code == 0
    assert client.write(".squad/agents/fenster/charter.md", TOOLGATE_AGENT="fenster").exit_code == 2
    (client.home / "gate" / "policy.toml").write_text("")
    client.call("Bash", {"command": "rm -rf /"})
    assert [line["rules"] for line in client.audit] == [["team.write-outside-scope"]]


def test_every_denial_is_in_the_audit_too(client: SimulatedClient) -> None:
    client.write(".squad/decisions.md", TOOLGATE_AGENT="fenster")
    (record,) = [
        json.loads(line)
        for path in (client.home / "gate" / "state" / "audit").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert record["verdict"] == "deny"
    assert {"rule": "team.decisions-directly", "verdict": "deny"} in record["rules"]


def test_an_agent_cannot_mend_the_log(client: SimulatedClient) -> None:
    log = f".squad/{security_audit.LOG_FILE}"
    assert client.call("Bash", {"command": f"echo > {log}"}, TOOLGATE_ROLE="coordinator").exit_code == 2
    assert client.call("Bash", {"command": f"cat {log}"}, TOOLGATE_ROLE="coordinator").exit_code == 0


@pytest.mark.parametrize(
    ("roster", "message"),
    [
        ("# Team\n\n- Ada: Reviewer\n", ""),
        ("# Team\n\nAda reviews.\n", "team.md:1: names no members"),
        ("## Members\n\n- Ada: Reviewer\n- see the wiki\n", "team.md:4: names no member in a form that is read"),
    ],
)
def test_a_roster_that_is_not_read_is_told_when_the_session_starts(tmp_path: Path, roster: str, message: str) -> None:
    client = SimulatedClient(tmp_path)
    (client.project / ".squad").mkdir()
    (client.project / ".squad" / "team.md").write_text(roster)
    payload = {"session_id": "s-1", "cwd": str(client.project), "hook_event_name": "SessionStart", "source": "startup"}
    environ = {"HOME": str(client.home), "TOOLGATE_HOME": str(client.home / "gate")}
    request = Request(
        "claude-code", "SessionStart", json.dumps(payload).encode(), environ, str(client.project), os.getuid(), 1.8e9
    )
    output = client.app.handle(request).stdout
    assert (f"{client.project}/.squad/{message}" in output) if message else "team.md" not in output
