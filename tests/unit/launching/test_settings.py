"""Tests `toolgate settings`: what is rendered, and what is written where somebody may have written before."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.designs.plan_enforcer.campaign import encode_settings, locate_settings, merge_settings
from toolgate.hosts.claude_code.validity import find_dropped_hooks, find_faults
from toolgate.launching.rendering import EXPERIMENT_PROGRAMS, find_unbounded_programs, list_programs, render_settings
from unit.launching.conftest import Run, ask_hook, bash

ACCEPTANCE = Path(__file__).parents[2] / "acceptance"
ROWS = {row["id"]: row for row in map(json.loads, (ACCEPTANCE / "cases.jsonl").read_text().splitlines())}
LAUNCHED: list[str] = json.loads((ACCEPTANCE / "answered.json").read_text())["launched"]


# ---- the property that makes them worth passing


PATHS = st.from_regex(r"\A(/[a-z0-9. _-]{1,8}){1,4}\Z")
NAMES = st.from_regex(r"\A[a-z][a-z0-9._-]{0,8}\Z")
LINES = st.one_of(
    st.text(max_size=40), st.builds(lambda name, rest: f"./{name} {rest}", NAMES, st.text("ab-=\"'$ ;&|", max_size=20))
)


@given(PATHS, st.none() | PATHS, st.lists(LINES, max_size=4), st.lists(NAMES, max_size=3), st.none() | PATHS, st.none() | PATHS)
def test_every_rendered_settings_binds(
    work: str, repo: str | None, plan: list[str], more: list[str], stop: str | None, enforcer: str | None
) -> None:
    whole = render_settings(work, repo, plan, more, stop, enforcer)
    permissions = whole["permissions"]
    assert permissions["allowOnly"] == [os.path.normpath(each) for each in (work, repo) if each]
    assert permissions["additionalDirectories"] == permissions["allowOnly"]
    assert permissions["deny"]
    assert all(permissions[key] is True for key in ("blockWritesOutsideWorkingDirectories", "denyInsteadOfPrompting"))
    assert permissions["allow"] == sorted(set(permissions["allow"]))
    assert {f"Bash({name}:*)" for name in (*EXPERIMENT_PROGRAMS, *more)} <= set(permissions["allow"])
    assert all(rule.startswith("Bash(") and rule.count("(") == rule.count(")") == 1 for rule in permissions["allow"])
    assert "Bash(:*)" not in permissions["allow"]
    assert ("hooks" in whole) == (stop is not None or enforcer is not None)
    assert not find_faults(whole)
    assert not find_dropped_hooks(whole)
    assert json.loads(json.dumps(whole)) == whole == render_settings(work, repo, plan, more, stop, enforcer)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("./blis run --workload x", ("blis", "./blis")),
        ("/usr/local/bin/sim --batch=4", ("sim", "/usr/local/bin/sim")),
        ("# a comment\n\nFOO=bar timeout 60 ./blis | tee out", ("timeout", "blis", "./blis", "tee")),
        ("$PROGRAM run", ()),
        ("a'b)c' run", ()),
        ("", ()),
        ("broken ' quote", ()),
    ],
)
def test_the_programs_of_a_plan(command: str, found: tuple[str, ...]) -> None:
    assert list_programs(command) == found


@pytest.mark.parametrize("name", ["", "a b", "x:*)", "*", "..", "a,b"])
def test_a_program_that_would_be_another_rule(name: str) -> None:
    with pytest.raises(ValueError, match="no program's name"):
        render_settings("/w", extra_bin_allowlist=[name])


def test_a_relative_path_is_nobodys() -> None:
    with pytest.raises(ValueError, match="no absolute path"):
        render_settings("runs/7")


def test_the_plan_is_read_from_its_file(project: Path, run: Run) -> None:
    plan = project / "experiment_plan.yaml"
    plan.write_text("arms: [{arm_id: a, conditions: [{command: ./blis run}, {cmd: /opt/sim --x}]}]\nprograms: [trace]\n")
    result = run("settings", "render", "--work-dir", project, "--plan", plan)
    allowed = json.loads(result.stdout)["permissions"]["allow"]
    assert {f"Bash({name}:*)" for name in ("blis", "./blis", "sim", "/opt/sim", "trace")} <= set(allowed)
    plan.write_text("arms: 7\n")
    result = run("settings", "render", "--work-dir", project, "--plan", plan)
    assert (result.exit_code, result.stdout) == (1, "")


def test_what_runs_any_code_is_said(project: Path, run: Run) -> None:
    assert set(find_unbounded_programs(render_settings("/w", plan=["/usr/bin/env sh x"]))) >= {"python", "make", "/usr/bin/env"}
    result = run("settings", "render", "--work-dir", project)
    assert "allowing any program" in result.stderr
    assert "python" not in [name for name in find_unbounded_programs(render_settings("/w")) if name in ("ls", "cat", "grep")]


# ---- what is written


def init(project: Path, run: Run, *more: str) -> Path:
    result = run("settings", "init", "--repo", project, "--run", "7", *more)
    assert result.exit_code == 0, result.stderr
    return project / ".nous" / "7"


def test_init_writes_settings_and_hooks(home: Path, project: Path, run: Run) -> None:
    work = init(project, run)
    text = (work / ".claude" / "settings.json").read_text()
    whole = json.loads(text)
    assert text.endswith("}\n")
    assert whole["permissions"]["allowOnly"] == [str(work), str(project)]
    hook = work / "bin" / "nous-plan-enforcer"
    assert whole["hooks"]["PreToolUse"][0]["hooks"][0]["command"] == str(hook)
    assert whole["hooks"]["Stop"][0]["hooks"][0]["command"] == str(work / "bin" / "nous-execute-stop")
    assert whole["disableAllHooks"] is False
    assert [each.stat().st_mode & 0o777 for each in sorted((work / "bin").iterdir())] == [0o555, 0o555]
    record = json.loads((home / ".config" / "toolgate" / "deployed.json").read_text())
    assert (record[str(work)]["profile"], len(record[str(work)]["scripts"])) == ("nous-plan", 2)


def test_init_stays_off_what_a_person_changed(project: Path, run: Run) -> None:
    work = init(project, run)
    file = work / ".claude" / "settings.json"
    file.write_text('{"permissions":{"allowOnly":["/custom"],"deny":[]}}')
    result = run("settings", "init", "--repo", project, "--run", "7")
    assert (result.exit_code, "stays as it is" in result.stderr) == (0, True)
    assert file.read_text() == '{"permissions":{"allowOnly":["/custom"],"deny":[]}}'
    (work / "bin" / "nous-plan-enforcer").unlink()
    init(project, run)
    assert (work / "bin" / "nous-plan-enforcer").exists()


def test_a_dry_run_writes_nothing(home: Path, project: Path, run: Run) -> None:
    result = run("settings", "init", "--repo", project, "--run", "7", "--dry-run")
    assert (result.exit_code, "nous-execute-stop" in result.stdout) == (0, True)
    assert list(project.iterdir()) == []
    assert not (home / ".config").exists()


def test_the_difference_and_the_merge(project: Path, run: Run) -> None:
    work = init(project, run)
    words = ("--repo", project, "--run", "7")
    assert run("settings", "diff", *words).exit_code == 0
    file = work / ".claude" / "settings.json"
    own: dict[str, Any] = {
        "model": "x",
        "permissions": {"allow": ["Bash(mine:*)"], "defaultMode": "plan", "allowOnly": ["/custom"]},
    }
    file.write_text(json.dumps(own))
    output = run("settings", "diff", *words)
    assert (output.exit_code, '+    "deny": [' in output.stdout) == (1, True)
    assert run("settings", "merge", *words, "--dry-run").exit_code == 0
    assert json.loads(file.read_text()) == own
    result = run("settings", "merge", *words)
    now = json.loads(file.read_text())
    assert (now["model"], now["permissions"]["defaultMode"]) == ("x", "plan")
    assert now["permissions"]["allow"][0] == "Bash(mine:*)"
    assert now["permissions"]["allowOnly"] == ["/custom", str(work), str(project)]
    assert "`permissions.defaultMode` stays" in result.stderr
    assert "it lacks nothing" in run("settings", "merge", *words).stderr


def test_what_cannot_be_merged_is_left(project: Path, run: Run) -> None:
    file = init(project, run) / ".claude" / "settings.json"
    file.write_text("{broken")
    assert run("settings", "merge", "--repo", project, "--run", "7").exit_code == 65
    assert file.read_text() == "{broken"


VALUES = st.recursive(st.none() | st.booleans() | st.integers(), lambda each: st.lists(each, max_size=3), max_leaves=4)
FLAT = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)
TABLES = st.recursive(FLAT, lambda each: st.dictionaries(st.sampled_from("abc"), each, max_size=3))


@given(TABLES, TABLES)
def test_merging_takes_nothing_away(there: dict[str, Any], wanted: dict[str, Any]) -> None:
    once = merge_settings(there, wanted)
    assert merge_settings(once, wanted) == once
    assert set(once) == set(there) | set(wanted)
    for key, value in there.items():
        assert once[key] == value or isinstance(value, dict | list)


@pytest.mark.parametrize("run_id", ["..", "a/b", ".", "a\nb"])
def test_a_run_is_a_folder_of_its_own(run_id: str, project: Path, run: Run) -> None:
    assert run("settings", "init", "--repo", project, "--run", run_id).exit_code == 65
    assert list(project.iterdir()) == []


@pytest.mark.parametrize(
    "words", [[], ["--work-dir", "w", "--repo", "r", "--run", "x"], ["--work-dir", "w", "--allow-bin", "a b"]]
)
def test_wrong_usage(words: list[str], home: Path, run: Run) -> None:
    assert run("settings", "init", *words).exit_code == 64


@pytest.mark.parametrize("command", ["echo x > {0}", "rm {0}", "sed -i s/a/b/ {0}", "mv {0} x"])
def test_the_hooks_of_a_campaign_are_the_gates_own(command: str, project: Path, run: Run) -> None:
    run("deploy", project)
    hook = init(project, run) / "bin" / "nous-plan-enforcer"
    deployed = project / ".claude" / "hooks" / "claude-safety-hook.sh"
    assert ask_hook(deployed, bash(command.format(hook))).returncode == 2


def test_its_hooks_hold_a_session_to_the_plan(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    work = init(project, run)
    iteration = project.parent / "iteration"
    iteration.mkdir()
    (iteration / "experiment_plan.yaml").write_text("arms: [{arm_id: a, conditions: [{command: ./blis run}]}]\n")
    monkeypatch.chdir(project)
    monkeypatch.setenv("NOUS_ITER_DIR", str(iteration))
    enforcer, stop = work / "bin" / "nous-plan-enforcer", work / "bin" / "nous-execute-stop"
    commands = ("./blis run --threads 8", "curl https://example.com", "id # nous: ad-hoc", "echo '# nous: ad-hoc'")
    codes = {
        mode: [ask_hook(enforcer, bash(command), NOUS_PLAN_ENFORCEMENT=mode).returncode for command in commands]
        for mode in ("strict", "warn")
    }
    assert codes == {"strict": [0, 2, 0, 2], "warn": [0, 0, 0, 0]}
    rows = [json.loads(line) for line in (iteration / "plan_violations.jsonl").read_text().splitlines()]
    assert [row["kind"] for row in rows] == ["blocked", "ad-hoc", "blocked", "unplanned", "ad-hoc", "unplanned"]
    assert ask_hook(stop, {}).returncode == 2
    (iteration / "principle_updates.json").write_text("[]")
    assert ask_hook(stop, {}).returncode == 0
    assert ask_hook(stop, {}, NOUS_ITER_DIR="").returncode == 2


def test_in_warn_mode_nothing_but_a_floor_stops_a_campaign(
    home: Path, project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its repository, whatever profile the user's own policy names: the policy of other sessions there stays in force."""
    enforcer = init(project, run) / "bin" / "nous-plan-enforcer"
    iteration = project.parent / "iteration"
    iteration.mkdir()
    (iteration / "experiment_plan.yaml").write_text("arms: [{arm_id: a, conditions: [{command: ./blis run}]}]\n")
    monkeypatch.chdir(project)
    monkeypatch.setenv("NOUS_ITER_DIR", str(iteration))
    commands = ("git push --force", "sudo ls", "npm publish", "rm -rf /")
    assert [ask_hook(enforcer, bash(each)).returncode for each in commands] == [0, 0, 0, 2]
    rows = [json.loads(line) for line in (iteration / "plan_violations.jsonl").read_text().splitlines()]
    assert [row["kind"] for row in rows] == ["unplanned", "unplanned", "unplanned", "blocked"]
    assert [ask_hook(enforcer, bash(each), NOUS_PLAN_ENFORCEMENT="strict").returncode for each in commands] == [2, 2, 2, 2]
    monkeypatch.setenv("TOOLGATE_PROFILE", "observe")
    assert '"ask"' in ask_hook(enforcer, bash("git push --force")).stdout  # another profile of the environment only tightens


# ---- the design's own cases


@pytest.mark.parametrize("id_", [each for each in LAUNCHED if ROWS[each]["tool"] == "@render-settings"])
def test_acceptance(id_: str, home: Path, tmp_path: Path, run: Run) -> None:
    row = json.loads(json.dumps(ROWS[id_]).replace("$TMP", str(tmp_path)))
    tool_input, expect = row["input"], row["expect"]
    file = Path(
        locate_settings(f"{tool_input['repo_path']}/.nous/{tool_input['init']}")
        if "init" in tool_input
        else locate_settings(tool_input["work_dir"])
    )
    if "existing" in tool_input:
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(tool_input["existing"]))
    before = file.read_text() if file.exists() else None
    whole: dict[str, Any] = {}
    if "init" in tool_input:
        assert run("settings", "init", "--repo", tool_input["repo_path"], "--run", tool_input["init"]).exit_code == 0
    elif "write" in tool_input:
        assert run("settings", "init", "--work-dir", tool_input["work_dir"]).exit_code == 0
    else:
        whole = render_settings(**{key: value for key, value in tool_input.items() if key != "path_only"})
    for path, items in expect.get("json_contains", {}).items():
        assert set(items) <= set(look_up(whole, path))
    for path, text in expect.get("json_any_contains", {}).items():
        assert any(text in each for each in look_up(whole, path))
    for path, value in expect.get("json_equals", {}).items():
        assert look_up(whole, path) == value
    assert not set(expect.get("json_absent", ())) & set(whole)
    assert all(look_up(whole, path) for path in expect.get("json_nonempty", ()))
    assert str(file).endswith(expect.get("path_suffix", ""))
    assert file == Path(expect.get("file_exists", file))
    assert "file_exists" not in expect or file.exists()
    assert "roundtrip" not in expect or encode_settings(json.loads(file.read_text())).decode() == file.read_text()
    assert "file_unchanged" not in expect or file.read_text() == before


def look_up(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value
