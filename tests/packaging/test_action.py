"""Runs the shell steps of `action.yml` in order, as a runner does: in a repository, with its files and variables."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = [step for step in ACTION["runs"]["steps"] if "run" in step]
TOKEN = f"gh{'p_'}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")


@dataclass
class Runner:
    """A job. `inputs` override the action's defaults; `path` grows as steps write to GITHUB_PATH."""

    folder: Path
    inputs: dict[str, str]
    base: str = ""

    @property
    def project(self) -> Path:
        return self.folder / "project"

    def evaluate(self, text: str) -> str:
        defaults = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
        known = {f"inputs.{name}": value for name, value in (defaults | self.inputs).items()}
        known["github.action_path"] = str(ROOT)
        known["github.event.pull_request.base.sha || github.event.before"] = self.base
        return EXPRESSION.sub(lambda found: known[found[1]], text)

    def run(self, name: str, programs: str) -> subprocess.CompletedProcess[str]:
        (step,) = (step for step in STEPS if step["name"] == name)
        environ = {
            **{key: os.environ[key] for key in ("HOME", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "LANG") if key in os.environ},
            **{key: self.evaluate(value) for key, value in step.get("env", {}).items()},
            "PATH": f"{programs}:/usr/bin:/bin",
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_PATH": str(self.folder / "path"),
        }
        words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", self.evaluate(step["run"])]
        return subprocess.run(words, cwd=self.project, env=environ, capture_output=True, text=True, check=False)

    def git(self, *words: str) -> str:
        who = ("-c", "user.name=u", "-c", "user.email=u@example.com")
        result = subprocess.run(["git", *who, *words], cwd=self.project, check=True, capture_output=True, text=True)
        return result.stdout.strip()


OWN_PROGRAMS = str(Path(sys.executable).parent)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    runner = Runner(tmp_path, {})
    runner.project.mkdir()
    runner.git("init", "--quiet")
    (runner.project / "a.txt").write_text("nothing\n")
    runner.git("add", ".")
    runner.git("commit", "--quiet", "-m", "start")
    runner.base = runner.git("rev-parse", "HEAD")
    return runner


def test_a_secret_in_a_changed_file_fails_the_step_and_is_reported_as_sarif(runner: Runner) -> None:
    (runner.project / "b.txt").write_text(f"token = {TOKEN}\n")
    runner.git("add", ".")
    runner.git("commit", "--quiet", "-m", "change")
    result = runner.run("Look for secrets", OWN_PROGRAMS)
    assert (result.returncode, result.stdout) == (1, "1 findings in 1 files\n"), result.stderr
    assert (runner.folder / "output").read_text() == "findings=1\n"
    sarif = (runner.project / "toolgate.sarif").read_text()
    assert len(json.loads(sarif)["runs"][0]["results"]) == 1
    assert TOKEN not in sarif + result.stdout + result.stderr


def test_a_change_without_a_secret_passes(runner: Runner) -> None:
    (runner.project / "b.txt").write_text("token = ${TOKEN}\n")
    runner.git("add", ".")
    runner.git("commit", "--quiet", "-m", "change")
    assert runner.run("Look for secrets", OWN_PROGRAMS).returncode == 0
    assert (runner.folder / "output").read_text() == "findings=0\n"


def test_a_policy_that_cannot_be_used_fails_the_step(runner: Runner) -> None:
    assert runner.run("Check the policy", OWN_PROGRAMS).returncode == 0
    (runner.project / ".toolgate").mkdir()
    (runner.project / ".toolgate" / "policy.toml").write_text('[rules."git.force-push"]\nverdict = "often"\n')
    result = runner.run("Check the policy", OWN_PROGRAMS)
    assert result.returncode == 70, result.stdout
    assert "policy.toml" in result.stdout + result.stderr


def test_recorded_calls_fail_the_step_where_more_are_stopped_than_allowed(runner: Runner) -> None:
    call = {"id": 1, "tool": "Bash", "input": {"command": "cat a.txt && git push --force-with-lease"}}
    (runner.project / "calls.jsonl").write_text(json.dumps(call) + "\n")
    runner.inputs = {"calls": "calls.jsonl\n\n"}
    assert runner.run("Judge recorded calls", OWN_PROGRAMS).returncode == 0
    runner.inputs = {"calls": "calls.jsonl\n", "profile": "paranoid"}
    stopped = runner.run("Judge recorded calls", OWN_PROGRAMS)
    assert stopped.returncode == 1, stopped.stdout
    runner.inputs |= {"max-new-stops": "1"}
    assert runner.run("Judge recorded calls", OWN_PROGRAMS).returncode == 0


def test_the_first_step_installs_a_program_that_the_next_ones_find(runner: Runner) -> None:
    result = runner.run("Install toolgate", OWN_PROGRAMS)
    if result.returncode and os.environ.get("REQUIRE_CLIENTS") != "1":
        pytest.skip("the dependencies cannot be fetched here")
    assert result.returncode == 0, result.stdout + result.stderr
    programs = (runner.folder / "path").read_text().strip()
    assert Path(programs, "toolgate").exists()
    assert runner.run("Check the policy", programs).returncode == 0
