"""Runs `toolgate lockout`, in several processes at once, and tests its effect on the gate."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.model.request import Request


class Project:
    """A folder with a team in it, and the gate under the profile `squad`."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "project"
        (self.project / ".squad").mkdir(parents=True)
        (self.home / "gate").mkdir(parents=True)
        (self.home / "gate" / "policy.toml").write_text('profile = "squad"\n')
        self.environ = {"HOME": str(self.home), "TOOLGATE_HOME": str(self.home / "gate"), "PATH": os.environ["PATH"]}

    def run(self, *words: str, cwd: str = ".", **environ: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "toolgate", "lockout", *words]
        variables = {**self.environ, **environ}
        return subprocess.run(command, cwd=self.project / cwd, env=variables, capture_output=True, text=True, check=False)

    def may_write(self, file: str, agent: str) -> bool:
        """Returns whether the gate lets this agent write the file."""
        fields: Mapping[str, object] = {"file_path": str(self.project / file), "content": "x"}
        payload = {
            "session_id": "s",
            "cwd": str(self.project),
            "hook_event_name": "PreToolUse",
            "tool_name": "Write",
            "tool_input": fields,
        }
        environ = {**self.environ, "TOOLGATE_AGENT": agent}
        request = Request(
            "claude-code", "PreToolUse", json.dumps(payload).encode(), environ, str(self.project), os.getuid(), 1.8e9
        )
        return App().handle(request).exit_code == 0

    @property
    def lines(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in (self.project / ".squad" / "lockout.json").read_text().splitlines()]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_an_author_is_locked_out_until_the_coordinator_clears_it(project: Project) -> None:
    assert project.may_write("src/auth.ts", "fenster")
    assert project.run("add", "src/auth.ts", "--agent", "Fenster", TOOLGATE_AGENT="baer").returncode == 0
    assert (project.may_write("src/auth.ts", "fenster"), project.may_write("src/auth.ts", "verbal")) == (False, True)
    assert json.loads(project.run("list", "--json").stdout) == {"src/auth.ts": ["Fenster"]}
    assert project.run("clear", "src/auth.ts", TOOLGATE_ROLE="coordinator").stdout == "1 cleared\n"
    assert project.may_write("src/auth.ts", "fenster")
    assert [(line["action"], line["by"].partition(" ")[0]) for line in project.lines] == [
        ("lock", "baer"),
        ("clear", "coordinator"),
    ]


def test_either_the_file_or_the_store_locks_out(project: Project) -> None:
    project.run("add", "src/auth.ts", "--agent", "fenster")
    (project.project / ".squad" / "lockout.json").unlink()
    assert not project.may_write("src/auth.ts", "fenster")
    project.run("clear", "--all", TOOLGATE_ROLE="coordinator")
    assert project.may_write("src/auth.ts", "fenster")
    (project.project / ".squad" / "lockout.json").write_text('{"action": "lock", "artifact": "src/*", "agent": "fenster"}\n')
    assert not project.may_write("src/auth.ts", "fenster")


def test_an_artifact_is_named_from_where_one_stands(project: Project) -> None:
    (project.project / "src").mkdir()
    project.run("add", "auth.ts", "--agent", "fenster", cwd="src")
    assert not project.may_write("src/auth.ts", "fenster")


def test_only_a_person_or_the_coordinator_clears(project: Project) -> None:
    project.run("add", "a", "--agent", "fenster")
    for environ in ({}, {"TOOLGATE_ROLE": "reviewer"}, {"CLAUDECODE": "1"}):
        refused = project.run("clear", "--all", **environ)
        assert refused.returncode == 77
        assert "clear lockouts" in refused.stderr
    assert not project.may_write("a", "fenster")


def test_eight_at_once_lose_nothing(project: Project) -> None:
    with ThreadPoolExecutor(8) as pool:
        result = list(pool.map(lambda n: project.run("add", "src/a", "--agent", f"agent-{n}"), range(8)))
    assert [each.returncode for each in result] == [0] * 8
    assert {line["agent"] for line in project.lines} == {f"agent-{n}" for n in range(8)}
    assert all(not project.may_write("src/a", f"agent-{n}") for n in range(8))


def test_a_file_that_cannot_be_read_is_told_and_stops_who_might_be_locked_out(project: Project) -> None:
    (project.project / ".squad" / "lockout.json").write_text("{broken\n")
    assert project.run("list").returncode == 1
    assert "line 1" in project.run("list").stderr
    assert not project.may_write("src/a", "fenster")
