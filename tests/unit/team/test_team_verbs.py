"""Tests `toolgate team`: it shows what is in force, and what it writes has the same effect as before."""

import json
import tomllib
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.cli import main
from toolgate.designs.squad import policy_file as squad
from toolgate.model.action import WriteFile
from toolgate.model.decision import Verdict
from toolgate.model.event import Caller, Scene, Spawn
from toolgate.policy import load

ROSTER = "| Name | Role |\n|---|---|\n| **Fenster** | Core Dev |\n| Baer | Code Reviewer |\n| [Scribe](x) | Session Logger |\n"
CHARTER = "# Fenster\n\n## What I Own\n\n- `src/**`\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TOOLGATE_HOME", str(tmp_path / "gate"))
    project = tmp_path / "app"
    (project / ".squad" / "agents" / "fenster").mkdir(parents=True)
    (project / ".squad" / "team.md").write_text(ROSTER)
    (project / ".squad" / "agents" / "fenster" / "charter.md").write_text(CHARTER)
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "policy.toml").write_text('profile = "squad"\n')
    monkeypatch.chdir(project)
    return project


def show_agents(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    assert main(["team", "show", "--json"]) == 0
    return {each["name"]: each for each in json.loads(capsys.readouterr().out)["agents"]}


def may_write(project: Path, agent: str, path: str, role: str = "") -> bool:
    environ = {"TOOLGATE_HOME": str(project.parent / "gate")}
    scene = Scene(Caller("test"), str(project), str(project), str(project.parent), environ, spawn=Spawn(agent, role))
    policy = load(environ, str(project.parent), str(project))
    return App().judge(WriteFile(str(project / path), "x"), scene, policy).decision.verdict < Verdict.ASK


def test_what_is_shown_holds(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = show_agents(capsys)
    assert list(agents) == ["Squad", "Fenster", "Baer", "Scribe", ""]
    assert [each["role"] for each in agents.values()] == ["coordinator", "agent", "reviewer", "scribe", "agent"]
    assert agents["Fenster"]["writes"] == [
        {"patterns": ["src/**"], "source": "its charter"},
        {
            "patterns": [".squad/decisions/inbox/**", ".squad/skills/**", ".squad/agents/Fenster/history.md"],
            "source": "the Source-of-Truth table",
        },
    ]
    for path, expected in {
        "src/deep/a.ts": True,
        "docs/a.md": False,
        ".squad/decisions/inbox/a.md": True,
        ".squad/agents/fenster/history.md": True,
        ".squad/agents/baer/history.md": False,
    }.items():
        assert may_write(project, "fenster", path) is expected, path
    assert (may_write(project, "baer", "docs/a.md"), may_write(project, "baer", ".squad/log/1.md")) == (True, False)
    assert may_write(project, "Scribe", ".squad/log/1.md")


def test_paths_that_policies_add_are_shown_where_the_user_trusts_them(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".squad" / "config").mkdir()
    settings = {"fileWriteGuards": {"additionalAllowedPaths": {"FENSTER": ["docs/**"]}}}
    (project / ".squad" / "config" / "policies.json").write_text(json.dumps(settings))
    assert "policies.json" not in json.dumps(show_agents(capsys))
    assert not may_write(project, "fenster", "docs/a.md")
    (project.parent / "gate" / "policy.toml").write_text('profile = "squad"\n[project."~/app"]\n')
    assert {"patterns": ["docs/**"], "source": "policies.json"} in show_agents(capsys)["Fenster"]["writes"]  # type: ignore[operator]
    assert may_write(project, "fenster", "docs/a.md")


def test_show_for_people(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lockout", "add", "src/a.ts", "--agent", "fenster"])
    assert main(["team", "show", "--agent", "fenster"]) == 0
    text = capsys.readouterr().out
    assert "src/**   (its charter)" in text
    assert "locked out of src/a.ts" in text
    assert main(["team", "show", "--agent", "nobody"]) == 1


def test_init_writes_what_held_before_and_never_over_a_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    environ, home = {"TOOLGATE_HOME": str(project.parent / "gate")}, str(project.parent)
    before = load(environ, home, str(project))
    policies, own = project / ".squad" / "config" / "policies.json", project / ".toolgate" / "policy.toml"
    assert main(["team", "init", "--dry-run"]) == 0
    assert not policies.exists()
    assert not own.exists()
    assert main(["team", "init"]) == 0
    after = load(environ, home, str(project))
    assert (after.rulings, after.max_questions, after.notices) == (before.rulings, before.max_questions, ())
    assert policies.read_text() == squad.render_defaults()
    policies.write_text("{}")
    capsys.readouterr()
    assert main(["team", "init"]) == 0
    assert policies.read_text() == "{}"
    assert "with what somebody changed" in capsys.readouterr().out
    assert tomllib.loads(own.read_text()) == {}


def test_what_the_starter_shows_works_once_it_is_no_comment(project: Path) -> None:
    assert main(["team", "init"]) == 0
    file = project / ".toolgate" / "policy.toml"
    head, examples = file.read_text().split("\n\n", 1)
    file.write_text(f"{head}\n\n" + examples.replace("# ", ""))
    policy = load({"TOOLGATE_HOME": str(project.parent / "gate")}, str(project.parent), str(project))
    assert policy.notices == ()
    assert [rule.id.rpartition(".")[2] for rule in policy.written] == ["by-hand"]
