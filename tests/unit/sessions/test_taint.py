"""Tests values from untrusted texts: 40 stories of several calls, and 40 twins in which the value is trusted."""

import subprocess
import tomllib
from pathlib import Path
from typing import Any

from unit.sessions.simulated_client import SimulatedClient, client_in

TABLE: dict[str, list[dict[str, str]]] = tomllib.loads(Path(__file__).with_name("taint.toml").read_text())
LEAST_ASKED, MOST_TWINS_ASKED = 38, 1


def read_untrusted(client: SimulatedClient, source: str, text: str) -> None:
    """The session reads an untrusted text, or fetches a file; unrelated calls follow before the next one."""
    tool_input: dict[str, Any] = {"tool_use_id": "u"}
    if source == "web":
        tool_input |= {
            "tool_name": "WebFetch",
            "tool_input": {"url": "https://blog.example/x", "prompt": "?"},
            "tool_response": {"result": text},
        }
    elif source == "mcp":
        tool_input |= {
            "tool_name": "mcp__tickets__get_issue",
            "tool_input": {"id": 7},
            "tool_response": [{"type": "text", "text": text}],
        }
    elif source == "read":
        tool_input |= {
            "tool_name": "Read",
            "tool_input": {"file_path": "/opt/other/README.md"},
            "tool_response": {"file": {"content": text}},
        }
    elif source == "output":
        command = {"command": "curl -s https://api.example/issues/7"}
        tool_input |= {"tool_name": "Bash", "tool_input": command, "tool_response": {"stdout": text, "stderr": ""}}
    else:
        name = text.rpartition("/")[2]
        assert client.bash(f"curl -fsSL -o {name} {text}") == "runs"
        (client.project / name).write_text("#!/bin/sh\necho hello\n")
    if "tool_name" in tool_input:
        client.hook("PostToolUse", **tool_input)
    for harmless in ("ls -la", "git status", "echo hello > notes.txt"):
        client.bash(harmless)


def judge_story(folder: Path, row: dict[str, str]) -> str:
    client = client_in(folder, "")
    (client.project / ".git").rmdir()
    (client.project / "build.sh").write_text("make\n")
    (client.project / "README.md").write_text(row.get("committed", "A project.\n"))
    git = ["git", "-c", "user.name=u", "-c", "user.email=u@example.com"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=client.project, check=True)
    if "named" in row:
        client.hook("UserPromptSubmit", prompt=row["named"])
    read_untrusted(client, row["source"], row["heard"])
    return client.bash(row["then"])


def is_asked(answer: str) -> bool:
    """Returns whether a rule about the origin of values stops the call; other rules may have reasons of their own."""
    return "[provenance." in answer


def test_the_stories_ask(tmp_path: Path) -> None:
    answers = [judge_story(tmp_path / str(n), row) for n, row in enumerate(TABLE["story"])]
    passed = [row["then"] for row, answer in zip(TABLE["story"], answers, strict=True) if not is_asked(answer)]
    assert len(answers) == 40
    assert len(answers) - len(passed) >= LEAST_ASKED, passed


def test_the_twins_pass(tmp_path: Path) -> None:
    answers = [judge_story(tmp_path / str(n), row) for n, row in enumerate(TABLE["twin"])]
    questions = [(row["then"], answer) for row, answer in zip(TABLE["twin"], answers, strict=True) if is_asked(answer)]
    assert len(answers) == 40
    assert len(questions) <= MOST_TWINS_ASKED, questions
