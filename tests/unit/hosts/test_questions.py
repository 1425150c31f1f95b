"""A question that the client may drop is denied, judged by the call's text and by the places that it really changes."""

import json
import os
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.model.request import Request

ASKED = "sudo make"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a link, a folder reached through a link, and a real file with the name of each file that the client might
    guard."""
    project = tmp_path / "project"
    for folder in (".vscode", "plain", "gradle"):
        (project / folder).mkdir(parents=True)
    (project / "to-guarded").symlink_to(".vscode/settings.json")
    (project / "to-plain").symlink_to("plain/settings.json")
    (project / "to-folder").symlink_to(".vscode")
    (project / "to-wrapper").symlink_to("gradle/gradle-wrapper.properties")
    return project


def verdict(project: Path, command: str, mode: str = "bypassPermissions", event: str = "PreToolUse") -> str:
    tool_input = {
        "session_id": "s",
        "cwd": str(project),
        "permission_mode": mode,
        "hook_event_name": event,
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    environ = {"HOME": str(project.parent), "TOOLGATE_HOME": str(project.parent / "gate"), "CLAUDE_PROJECT_DIR": str(project)}
    answer = App().handle(Request("claude-code", event, json.dumps(tool_input).encode(), environ, str(project), os.getuid(), 0.0))
    reply = json.loads(answer.stdout or "{}").get("hookSpecificOutput", {})
    if "In this mode Claude Code might run it" in reply.get("permissionDecisionReason", ""):
        assert "sudo" in reply["permissionDecisionReason"] or "root" in reply["permissionDecisionReason"]
        assert answer.exit_code == 2
        return "dropped"
    return str(reply.get("permissionDecision", "silence"))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("true", "ask"),
        ("touch plain/a", "ask"),
        ("touch to-plain", "ask"),
        ("touch .npmrc", "dropped"),
        ("touch to-guarded", "dropped"),
        ("echo x > to-guarded", "dropped"),
        ("touch to-folder/tasks", "dropped"),
        ("rm to-folder/settings.json", "dropped"),
        ("mv plain/a to-folder/a", "dropped"),
        ("chmod +x to-guarded", "dropped"),
        ("cd to-folder && touch a", "dropped"),
        ("touch to-wrapper", "dropped"),
        ("cat to-guarded", "ask"),  # nothing is changed
        ("ln -s plain a && touch a", "ask"),
    ],
)
def test_a_question_about_a_guarded_place_is_a_denial(project: Path, change: str, expected: str) -> None:
    assert verdict(project, f"{ASKED}; {change}") == expected


def test_only_where_nobody_would_be_asked(project: Path) -> None:
    assert verdict(project, f"{ASKED}; touch to-guarded", mode="default") == "ask"
    assert verdict(project, "touch to-guarded") == "silence"  # there is no question to be lost
    assert verdict(project, f"{ASKED}; touch to-guarded", event="PermissionRequest") == "silence"
