"""Tests `toolgate policy` and `toolgate rules`, as a person and a script use them."""

import json
from pathlib import Path

import pytest

from toolgate.cli import main
from toolgate.policy import profiles
from toolgate.rules import TABLE

HELM = '[[rule]]\nid = "a.b"\non = {program = "helm"}\nverdict = "ask"\nreason = "r"\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TOOLGATE_HOME", str(tmp_path / "gate"))
    monkeypatch.delenv("TOOLGATE_PROFILE", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate").mkdir()
    return tmp_path


def user(home: Path, text: str) -> Path:
    file = home / "gate" / "policy.toml"
    file.write_text(text)
    return file


def test_without_files(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "show"]) == 0
    assert capsys.readouterr().out.splitlines() == ["profile default, digest built-in", "nothing beside the defaults"]
    assert main(["policy", "check"]) == 0
    assert capsys.readouterr().out == "the policy's files are sound\n"


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ('[rules."gate.tamper"]\nverdict = "warn"', 'rules."gate.tamper"', 1),
        ('human = true\n[rules]\n"filesystem.delete-protected".unsure = "pass"', 'rules."filesystem.delete-protected"', 2),
        ('[project."~".rules]\n"gate.control".verdict = "pass"', 'project."~".rules."gate.control"', 1),
    ],
)
def test_a_setting_below_a_floor_is_an_error(
    home: Path, capsys: pytest.CaptureFixture[str], text: str, key: str, line: int
) -> None:
    file = user(home, text)
    assert main(["policy", "check"]) == 70
    printed = capsys.readouterr()
    assert f"{file}:{line}: {key}: this is below the rule's floor and has no effect" in printed.err
    assert "sound" not in printed.out
    assert main(["policy", "check", "--json"]) == 70
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["key"], problem["line"]) == (key, line)
    assert main(["policy", "show"]) == 70


def test_a_projects_setting_below_a_floor_is_an_error(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = home / "project"
    (project / ".toolgate").mkdir(parents=True)
    (project / ".toolgate" / "policy.toml").write_text('[rules."gate.tamper"]\nverdict = "pass"')
    assert main(["policy", "check", "--cwd", str(project)]) == 70
    assert 'rules."gate.tamper": this is below the rule' in capsys.readouterr().err


def test_a_setting_at_the_floor_is_none(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    floor = '[floors."gate.tamper"]\nverdict = "ask"\nreason = "I develop toolgate here"'
    user(home, f'[rules."gate.unguarded-agent"]\nunsure = "pass"\n{floor}')
    assert main(["policy", "check"]) == 0
    assert capsys.readouterr().out == "the policy's files are sound\n"


def test_show_says_whose_word_it_is(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = user(home, 'profile = "ci-headless"\n[rules."git.clean"]\nverdict = "deny"')
    assert main(["policy", "show"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0].startswith("profile ci-headless, digest ")
    assert lines[1:] == [
        "key value from",
        "human false profile ci-headless: human",
        f'git.clean deny, unsure warn {file}: rules."git.clean"',
    ]


def test_show_for_machines(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = user(home, 'cap = "ask"\n' + HELM)
    assert main(["policy", "show", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["switches"]["cap"] == {"value": "ask", "from": {"layer": "user", "file": str(file), "key": "cap"}}
    assert table["switches"]["human"] == {"value": True, "from": None}
    assert table["written"] == [
        {"id": "a.b", "verdict": "ask", "reason": "r", "author": "user", "program": "helm", "unsure": "ask"}
    ]


@pytest.mark.parametrize("verb", ["show", "check"])
def test_a_broken_file_is_exit_70_and_a_line(home: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = user(home, "humn = true")
    assert main(["policy", verb]) == 70
    assert capsys.readouterr().err == f"{file}:1: humn: unknown key; did you mean human?\n"


def test_check_for_machines(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = user(home, "humn = true")
    assert main(["policy", "check", "--json"]) == 70
    assert json.loads(capsys.readouterr().out)["problems"] == [
        {"file": str(file), "line": 1, "key": "humn", "problem": "unknown key", "remedy": "did you mean human?"}
    ]


def test_a_failing_example_is_found_by_check(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    user(home, HELM + 'stops = ["helmet"]')
    assert main(["policy", "check"]) == 70
    assert "rule[1].stops[1]: the rule a.b does not stop this example" in capsys.readouterr().err
    user(home, HELM + 'stops = ["sudo helm x"]\nleaves = ["echo helm"]')
    assert main(["policy", "check"]) == 0


@pytest.mark.parametrize("layer", ["organisation", "user", "project"])
def test_the_schema_is_one(layer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "schema", layer]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$schema"].endswith("2020-12/schema")
    form = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    assert form["additionalProperties"] is False
    assert ("human" in form["properties"]) is (layer != "project")


def test_rules_lists_the_whole_table(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == sorted(TABLE)
    assert main(["rules"]) == 0
    output = capsys.readouterr().out
    assert all(rule in output for rule in TABLE)
    assert "\x1b" not in output, "plain text in a pipe"


def test_rules_shows_what_holds_here(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    user(home, '[rules."git.clean"]\nverdict = "deny"')
    assert main(["rules", "git.c*"]) == 0
    heading, line = capsys.readouterr().out.splitlines()
    assert heading.split() == ["rule", "here", "default", "floor"]
    assert line.split(maxsplit=3)[:3] == ["git.clean", "deny/warn", "ask/warn"]
    assert line.endswith("they cannot be restored.")


def test_a_rule_is_shown_in_full(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    user(home, '[rules."git.clean"]\nverdict = "deny"')
    assert main(["rules", "show", "git.clean"]) == 0
    text = capsys.readouterr().out
    for part in ("here      deny/warn", "default   ask/warn", "Stops:", "Leaves alone:", '[rules."git.clean"]'):
        assert part in text
    assert main(["rules", "show", "git.clean", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "deny"


@pytest.mark.parametrize("words", [("show", "git.force-pus"), ("git.force-pus",), ("list", "force-push"), ("show", "forcepush")])
def test_a_misspelled_rule_is_suggested(home: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", *words]) == 1
    assert "did you mean git.force-push?" in capsys.readouterr().err


def test_a_name_like_no_rule_leads_to_the_list(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "show", "zzz"]) == 1
    assert "`toolgate rules` lists them" in capsys.readouterr().err


@pytest.mark.parametrize("profile", profiles.list_names())
def test_rules_under_every_profile(home: Path, profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--profile", profile, "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    words = ["pass", "warn", "ask", "deny"]
    for entry in table.values():
        if entry["floor"]:
            assert words.index(entry["verdict"]) >= words.index(entry["floor"]["verdict"])


def test_a_profile_that_does_not_exist(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--profile", "paranoyd"]) == 64
    assert "paranoid" in capsys.readouterr().err
