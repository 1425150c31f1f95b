"""Variables that a repository's settings pass to the gate are refused if they move it, and left out if they claim something."""

import json
from pathlib import Path
from typing import Any

import pytest

from toolgate.app import App
from toolgate.model.request import Answer, Request


def ask(home: Path, project: Path, environ: dict[str, str], event: str = "PreToolUse", **more: Any) -> Answer:
    payload = {
        "session_id": "s",
        "cwd": str(project),
        "hook_event_name": event,
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        **more,
    }
    variables = {"HOME": str(home), "PATH": "/usr/bin:/bin", "CLAUDE_PROJECT_DIR": str(project), **environ}
    return App().handle(Request("claude-code", event, json.dumps(payload).encode(), variables, str(project), 1000, 1.0))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".claude").mkdir(parents=True)
    return tmp_path / "project"


def settings(project: Path, variables: dict[str, str], name: str = "settings.json") -> None:
    (project / ".claude" / name).write_text(json.dumps({"env": variables}))


MOVING = (
    "TOOLGATE_HOME",
    "TOOLGATE_STORE_URL",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "LD_PRELOAD",
)


@pytest.mark.parametrize("name", MOVING)
@pytest.mark.parametrize("file", ["settings.json", "settings.local.json"])
def test_what_moves_the_gate_is_refused(name: str, file: str, home: Path, project: Path, tmp_path: Path) -> None:
    value = str(tmp_path / "elsewhere")
    settings(project, {name: value}, file)
    answer = ask(home, project, {name: value})
    assert answer.exit_code == 2
    assert name in answer.stdout
    assert f".claude/{file}" in answer.stdout
    assert ask(home, project, {}) == Answer()  # what the host does not hand on does nothing


def test_it_is_told_when_the_session_starts(home: Path, project: Path, tmp_path: Path) -> None:
    settings(project, {"TOOLGATE_HOME": str(tmp_path)})
    answer = ask(home, project, {"TOOLGATE_HOME": str(tmp_path)}, "SessionStart", source="startup")
    assert "TOOLGATE_HOME" in json.loads(answer.stdout)["systemMessage"]


def test_what_the_person_set_stays(home: Path, project: Path, tmp_path: Path) -> None:
    settings(project, {"DATABASE_URL": "postgres://localhost/x", "NODE_ENV": "test"})
    assert ask(home, project, {"TOOLGATE_HOME": str(tmp_path), "NODE_ENV": "test"}) == Answer()
    (project / ".claude" / "settings.json").write_text("{ no json")
    assert ask(home, project, {"TOOLGATE_HOME": str(tmp_path)}) == Answer()


def test_a_role_that_a_project_claims_does_not_count(home: Path, project: Path) -> None:
    """A coordinator may change the team's own policy file, and nobody else; a repository cannot make anybody a coordinator."""
    write: dict[str, Any] = {
        "tool_name": "Write",
        "tool_input": {"file_path": f"{project}/.squad/config/policies.json", "content": "{}"},
    }
    role = {"TOOLGATE_ROLE": "coordinator"}
    assert "gate.tamper" not in ask(home, project, role, **write).stdout
    settings(project, role)
    assert "gate.tamper" in ask(home, project, role, **write).stdout
