"""`toolgate explain` shows the deciding rules first, including the policy's own; those that passed are folded."""

import json
from pathlib import Path

import pytest

from toolgate.cli import main

OWN = """
[[rule]]
id = "team.helm-by-hand"
on = { program = "helm", text = "upgrade" }
verdict = "deny"
reason = "Releases go through the pipeline."
instead = "make release"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TOOLGATE_HOME", str(tmp_path / "gate"))
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "policy.toml").write_text(OWN)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


def explain(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["explain", *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_rule_of_the_policy_that_decides_is_shown_first(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = explain(capsys, "--", "helm upgrade api ./chart")
    assert lines[:4] == [
        "deny",
        "  deny  team.helm-by-hand: Releases go through the pipeline.",
        "        instead: make release",
        "",
    ]
    assert main(["explain", "--json", "--", "helm upgrade api ./chart"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert [each["rule"] for each in table["findings"]] == ["team.helm-by-hand"]
    assert "team.helm-by-hand" in table["asked"]


def test_rules_that_passed_are_folded(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folded = explain(capsys, "--", "rm -rf ~")
    assert folded[0] == "deny"
    assert folded[1].startswith("  deny  filesystem.delete-protected: ")
    assert sum(line.startswith("  pass ") for line in folded) == 0
    count = int(folded[-1].partition(" ")[0])
    assert folded[-1].endswith("other rules were asked and passed (--all lists them)")
    every = explain(capsys, "--all", "--", "rm -rf ~")
    assert sum(line.startswith("  pass  ") for line in every) == count > 5


def test_a_command_that_passes_shows_its_reading(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = explain(capsys, "--", "ls")
    assert lines[0] == "pass"
    assert "1. ls" in lines
