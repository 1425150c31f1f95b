"""Where a plan is in force: the whole gate, on real folders, with a real store, by the profile of the plan's own design."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from toolgate.model.request import Request
from unit.sessions.desk import NOW, Desk, desk_in

ACCEPTANCE = Path(__file__).parents[2] / "acceptance"
ROWS = [json.loads(line) for line in (ACCEPTANCE / "cases.jsonl").read_text().splitlines()]
PLANNED = [row for row in ROWS if row["seed"] == 1 and row["tool"] in ("Bash", "Read", "@raw", "@stop")]
DRIVEN: list[str] = json.loads((ACCEPTANCE / "answered.json").read_text())["driven"]
NOUS = 'profile = "nous-plan"\n'
PLAN = """
arms:
  - arm_id: h-main
    conditions:
      - {name: c0, command: ./blis run --workload short}
      - {name: c1, cmd: "python run.py --seed 1"}
  - arm_id: h-ablation
    conditions:
      - {name: c2, command: ./blis run --workload long --no-cache}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An experiment's session, held to its plan strictly."""
    made = desk_in(tmp_path, NOUS)
    folder = iteration(made)
    folder.mkdir()
    (folder / "experiment_plan.yaml").write_text(PLAN)
    made.environ = {"NOUS_ITER_DIR": str(folder), "NOUS_PLAN_ENFORCEMENT": "strict"}
    return made


def iteration(desk: Desk) -> Path:
    return desk.root / "iter-3"


def rows(desk: Desk) -> list[dict[str, Any]]:
    log = iteration(desk) / "plan_violations.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


# ---- the design's own cases, log and exit codes included


@pytest.mark.parametrize("row", PLANNED, ids=lambda row: row["id"])
def test_as_the_design_says(row: dict[str, Any], tmp_path: Path) -> None:
    context, expect, scratch = row["context"], row["expect"], tmp_path / "tmp"
    scratch.mkdir()
    desk = desk_in(tmp_path, f'profile = "{context["profile"]}"\n')
    for name, content in context.get("files", {}).items():
        if content is not None:
            text = content if isinstance(content, str) else json.dumps(content)
            Path(name.replace("$TMP", str(scratch))).write_text(text)
    environ = {name: value.replace("$TMP", str(scratch)) for name, value in context.get("env", {}).items()}
    if row["tool"] == "@stop":
        given = row["input"]
        status = 1 if given.get("validate") == "fail" else 0
        script = f"print('arm h-main has no result'); raise SystemExit({status})"
        argv = json.dumps([sys.executable, "-c", script])
        desk.policy(f'{NOUS}[rules."plan.unfinished".options]\nexpected = true\nvalidator = {argv}\n')
        if "principle_updates.json" in given:
            (scratch / "principle_updates.json").write_text(given["principle_updates.json"])
        there = "/nowhere" if given.get("iter_dir_missing") else str(scratch)
        environ = {} if given.get("env_unset") else {"NOUS_ITER_DIR": there}
    event = "Stop" if row["tool"] == "@stop" else "PreToolUse"
    payload: dict[str, Any] = {"session_id": "s", "cwd": str(scratch), "hook_event_name": event}
    if event == "PreToolUse":
        payload |= {"tool_name": row["tool"], "tool_input": row["input"]}
    stdin = row["input"]["stdin"].encode() if row["tool"] == "@raw" else json.dumps(payload).encode()
    home = {"HOME": str(desk.home), "PATH": "/usr/bin:/bin", "USER": "u", **environ}
    answer = desk.app.handle(Request("claude-code", event, stdin, home, str(scratch), 1000, NOW))

    exit_code = expect.get("exit", {"allow": 0, "block": 2}.get(expect.get("decision", "")))
    assert answer.exit_code == exit_code, answer
    for part in expect.get("stderr_contains", ()):
        assert part in answer.stderr
    if "stderr" in expect:
        assert answer.stderr == expect["stderr"]
    log = scratch / "plan_violations.jsonl"
    found = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    if "log" in expect:
        assert len(found) == len(expect["log"])
        for wanted, entry in zip(expect["log"], found, strict=True):
            assert entry["kind"] == wanted["kind"]
            assert wanted.get("command_contains", "") in entry["command"]
            assert set(wanted.get("has", ())) <= set(entry)


def test_the_driven_cases_are_driven_here() -> None:
    assert {row["id"] for row in PLANNED if row["tool"].startswith("@")} == set(DRIVEN)


# ---- the log


def test_a_row_is_what_the_design_says(desk: Desk) -> None:
    assert desk.bash("./blis run --workload short") == "runs"
    assert desk.bash("ls -la").startswith("deny: `ls` is not in the plan")
    assert desk.bash("ls # nous: ad-hoc") == "runs"
    desk.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert desk.bash("id --no-cache long") == "runs: "
    found = rows(desk)
    assert [(row["kind"], row["command"], row["arm"]) for row in found] == [
        ("blocked", "ls -la", ""),
        ("ad-hoc", "ls # nous: ad-hoc", ""),
        ("unplanned", "id --no-cache long", "h-ablation"),
    ]
    for row in found:
        assert list(row) == ["timestamp", "kind", "command", "arm"]
        at = datetime.fromisoformat(row["timestamp"])
        assert (at.timestamp(), at.tzinfo) == (NOW, UTC)


def test_no_secret_stands_in_it(desk: Desk) -> None:
    token = "ghp_" + "x4Gv9mQ2LrT7bYc1Kd8WnZs5HjPf3AaUe6Ro"
    desk.bash(f"curl -H 'Authorization: token {token}' https://api.github.com # nous: ad-hoc")
    assert len(rows(desk)) == 1
    assert token not in (iteration(desk) / "plan_violations.jsonl").read_text()


def test_a_log_that_cannot_be_written_is_told_once_and_changes_nothing(desk: Desk) -> None:
    (iteration(desk) / "plan_violations.jsonl").mkdir()
    assert desk.bash("ls # nous: ad-hoc") == "runs: "
    assert "plan_violations.jsonl cannot be written" in desk.said
    assert desk.bash("ls # nous: ad-hoc") == "runs"
    assert desk.bash("ls").startswith("deny")


def test_a_link_in_its_place_is_not_followed(desk: Desk) -> None:
    victim = desk.root / "victim"
    victim.write_text("mine")
    (iteration(desk) / "plan_violations.jsonl").symlink_to(victim)
    desk.bash("ls")
    assert victim.read_text() == "mine"


def test_the_agent_changes_neither_plan_nor_log_nor_validator(desk: Desk) -> None:
    validator = desk.root / "validate"
    desk.policy(f'{NOUS}[rules."plan.unfinished".options]\nvalidator = ["{validator}"]\n')
    for command in (
        f"rm {iteration(desk)}/plan_violations.jsonl",
        f"rm -rf {iteration(desk)}",
        f"mv {iteration(desk)} /tmp/elsewhere",
        "echo 'arms: []' > $NOUS_ITER_DIR/experiment_plan.yaml",
        f"cd {iteration(desk)} && ./blis run > experiment_plan.yaml",
        f"ln -sf /tmp/other {iteration(desk)}/experiment_plan.yaml",
        f"echo 'exit 0' > {validator}",
    ):
        for mode in ("strict", "warn"):
            desk.environ["NOUS_PLAN_ENFORCEMENT"] = mode
            assert "gate.tamper" in desk.bash(f"{command} # nous: ad-hoc"), command


def test_what_a_plan_names_is_worked_out_again_when_the_machine_has_changed(desk: Desk) -> None:
    """The commands stay the same; what they come to does not."""
    plan = iteration(desk) / "experiment_plan.yaml"
    plan.write_text("arms: [{conditions: [{command: . ./setup.sh && ./blis run}, {command: tools/gen}]}]")
    setup, tools = desk.project / "setup.sh", desk.project / "tools"
    setup.write_text("gcc -o blis blis.c\n")
    assert [desk.bash("gcc -c x.c")[:4], desk.bash("clang -c x.c")[:4]] == ["runs", "deny"]
    setup.write_text("clang -o blis blis.c\n")
    assert [desk.bash("gcc -c x.c")[:4], desk.bash("clang -c x.c")[:4]] == ["deny", "runs"]
    (desk.root / "v1").mkdir()
    assert desk.bash(f"{desk.root}/v1/gen").startswith("deny")
    tools.symlink_to(desk.root / "v1")
    assert desk.bash(f"{desk.root}/v1/gen") == "runs"
    desk.environ["NOUS_ITER_DIR"] = str(iteration(desk).rename(desk.root / "iter-4"))
    assert desk.bash("clang -c x.c") == "runs"


# ---- no part of the plan


def test_so_many_calls_of_an_iteration_may_be_no_part_of_it(desk: Desk) -> None:
    desk.policy(f'{NOUS}[rules."plan.unplanned".options]\nad_hoc = 2\n')
    assert [desk.bash("ls # nous: ad-hoc")[:4] for _ in range(4)] == ["runs", "runs", "deny", "deny"]
    desk.bash("ls # nous: ad-hoc")
    assert "All 2 calls that may be no part of the plan are used." in desk.bash("id # nous: ad-hoc")
    assert [row["kind"] for row in rows(desk)][:3] == ["ad-hoc", "ad-hoc", "blocked"]


def test_what_is_planned_uses_none_of_them(desk: Desk) -> None:
    desk.policy(f'{NOUS}[rules."plan.unplanned".options]\nad_hoc = 1\n')
    assert [desk.bash("./blis run # nous: ad-hoc") for _ in range(3)] == ["runs"] * 3
    assert desk.bash("ls # nous: ad-hoc") == "runs"
    assert desk.bash("ls # nous: ad-hoc").startswith("deny")


def test_it_can_be_switched_off(desk: Desk) -> None:
    desk.policy(f'{NOUS}[rules."plan.unplanned".options]\nad_hoc = 0\n')
    told = desk.bash("ls # nous: ad-hoc")
    assert told.startswith("deny")
    assert "nous: ad-hoc" not in told.partition("Instead")[2]


BY_THE_USER = '[rules."plan.unplanned".options]\nad_hoc_by = "user"\n'


def test_a_person_may_have_to_say_so(desk: Desk) -> None:
    """The comment asks then: what nobody agreed to is stopped, and what somebody did runs once."""
    desk.policy(f'{NOUS}human = true\nask_through = "code"\n{BY_THE_USER}')
    assert desk.bash("ls").startswith("deny")
    assert not desk.list_pending(), "without the comment nobody is asked"
    assert desk.bash("ls # nous: ad-hoc").startswith("deny")
    assert desk.list_pending() == ["ls # nous: ad-hoc"]
    desk.answer()
    assert desk.bash("ls # nous: ad-hoc") == "runs"
    assert desk.bash("ls # nous: ad-hoc").startswith("deny")
    assert [row["kind"] for row in rows(desk)] == ["blocked", "blocked", "ad-hoc", "blocked"]


def test_the_host_asks_the_person_where_it_can(desk: Desk) -> None:
    desk.policy(f"{NOUS}human = true\n{BY_THE_USER}")
    assert desk.bash("ls # nous: ad-hoc").startswith("ask")
    assert desk.bash("ls").startswith("deny")
    desk.policy(f"{NOUS}human = true\n{BY_THE_USER}ad_hoc = 0\n")
    assert desk.bash("ls # nous: ad-hoc").startswith("deny")


def test_where_nobody_is_there_nobody_says_so(desk: Desk) -> None:
    desk.policy(NOUS + BY_THE_USER)
    told = desk.bash("ls # nous: ad-hoc")
    assert told.startswith("deny")
    assert "nous: ad-hoc" not in told.partition("Instead")[2]


def test_in_warn_mode_what_nobody_agreed_to_is_unplanned(desk: Desk) -> None:
    desk.policy(f"{NOUS}human = true\n{BY_THE_USER}")
    desk.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert desk.bash("ls # nous: ad-hoc").startswith("runs")
    assert [row["kind"] for row in rows(desk)] == ["unplanned"]


def test_what_cannot_be_counted_is_not_lifted(desk: Desk) -> None:
    desk.policy(f'{NOUS}[rules."plan.unplanned".options]\nad_hoc = 2\n')
    desk.state.parent.mkdir(parents=True)
    desk.state.write_text("no folder")
    assert desk.bash("ls # nous: ad-hoc").startswith("deny")


def test_some_programs_need_no_plan(desk: Desk) -> None:
    desk.policy(f'{NOUS}[rules."plan.unplanned".options]\nalways = ["ls", "git add"]\n')
    runs = ("ls -la; git add .", "/bin/ls", "ls | ./blis run")
    stops = ("./ls", "ls; id", "git commit -m x", "git", "PATH=/x ls", "ls > blis")
    for command in (*runs, *stops):
        assert (desk.bash(command) == "runs") is (command in runs), command


def test_looking_needs_none_where_the_policy_says_so(desk: Desk) -> None:
    runs = ("ls -la results", "cat a | grep b | wc -l", "git status --short", "git log | head", "echo done", "diff a b")
    stops = ("git push", "find . -delete", "ls; touch x", "sed -i s/a/b/ x", "git -c alias.x=!id x", "cat x > blis", "env")
    assert all(desk.bash(command) != "runs" for command in (*runs, *stops))
    desk.policy(f'{NOUS}[rules."plan.unplanned".options]\ninspection = true\n')
    for command in (*runs, *stops):
        assert (desk.bash(command) == "runs") is (command in runs), command


def test_a_folder_behind_a_link_is_the_folder(desk: Desk) -> None:
    link = desk.root / "link"
    link.symlink_to(iteration(desk))
    desk.environ["NOUS_ITER_DIR"] = str(link)
    assert desk.bash("./blis run > $NOUS_ITER_DIR/out.json") == "runs"
    assert desk.bash(f"./blis run > {iteration(desk)}/out.json") == "runs"
    for folder in (link, iteration(desk)):
        assert "gate.tamper" in desk.bash(f"./blis run > {folder}/experiment_plan.yaml")
        assert "gate.tamper" in desk.bash(f"./blis run >> {folder}/plan_violations.jsonl")


# ---- which mode


def test_a_word_that_is_no_mode_is_told_and_strict(desk: Desk) -> None:
    desk.environ["NOUS_PLAN_ENFORCEMENT"] = "lenient"
    assert "'lenient', which is neither strict nor warn" in desk.bash("ls")
    said = desk.hook("SessionStart", source="startup").stdout
    assert "neither strict nor warn" in said


def test_a_plan_that_is_none_is_told_when_the_session_starts(desk: Desk) -> None:
    assert "planned" not in desk.hook("SessionStart", source="startup").stdout
    (iteration(desk) / "experiment_plan.yaml").write_text("arms: 7")
    assert "arms is not a list: nothing is planned" in desk.hook("SessionStart", source="startup").stdout
    assert "have the plan repaired" in desk.bash("./blis run")


@pytest.mark.parametrize("mode", ["", "warn", "WARN", " Warn "])
def test_by_default_all_but_floors_are_warnings(desk: Desk, mode: str) -> None:
    desk.environ["NOUS_PLAN_ENFORCEMENT"] = mode
    assert desk.bash("git push --force && ls") == "runs: "
    assert desk.bash("rm -rf ~").startswith("deny")


def test_the_policy_may_have_the_last_word(desk: Desk) -> None:
    desk.policy(f'{NOUS}[rules."plan.unplanned".options]\nenforcement = "strict"\n')
    desk.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert desk.bash("ls").startswith("deny")


def test_a_profile_of_the_environment_brings_the_plan_along(desk: Desk) -> None:
    desk.policy("")
    assert desk.bash("ls") == "runs"
    desk.environ["TOOLGATE_PROFILE"] = "nous-plan"
    assert desk.bash("ls").startswith("deny")
    assert desk.bash("./blis run") == "runs"
    assert desk.hook("Stop").exit_code == 2
    desk.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert desk.bash("ls") == "runs: "
    del desk.environ["NOUS_ITER_DIR"]
    assert desk.bash("ls") == "runs"


def test_without_a_folder_the_policy_decides(desk: Desk) -> None:
    del desk.environ["NOUS_ITER_DIR"]
    assert desk.bash("ls") == "runs"
    desk.policy(f'{NOUS}on_missing_context = "closed"\n')
    assert "NOUS_ITER_DIR is not set" in desk.bash("ls")


def test_a_project_may_not_say_what_is_planned(desk: Desk) -> None:
    own = desk.project / ".toolgate" / "policy.toml"
    own.parent.mkdir()
    own.write_text('[rules."plan.unplanned"]\nverdict = "pass"\n')
    assert desk.bash("ls").startswith("deny")
    own.write_text('[rules."plan.unfinished".options]\nvalidator = ["/bin/true"]\n')
    assert desk.bash("ls").startswith("deny")
    assert desk.hook("Stop").exit_code == 2


# ---- a plan of any project's

GENERAL = """
commands: [make test, "python -m pytest | tee log.txt"]
programs: [git, ./tools/gen]
paths: [src/**, docs]
hosts: ["*.example.org"]
"""


def test_a_plan_for_any_project(desk: Desk) -> None:
    desk.environ = {}
    desk.policy('[rules."plan.unplanned"]\nverdict = "deny"\nunsure = "deny"\noptions = { file = ".toolgate/plan.yaml" }\n')
    (desk.project / ".toolgate").mkdir()
    (desk.project / ".toolgate" / "plan.yaml").write_text(GENERAL)
    for command in (
        "make test", "git status", "tools/gen --all", "python x.py", "git status > src/a/b.txt", "git diff > docs/x",
        "git clone https://code.example.org/a/b src/b",
    ):  # fmt: skip
        assert desk.bash(command) == "runs", command
    for command in ("ls", "./gen", "git status > notes.txt", "git clone https://evil.example.com/a/b src/b"):
        assert "plan.unplanned" in desk.bash(command), command
    for path, runs in (("src/a.py", True), ("setup.py", False)):
        given = {"file_path": str(desk.project / path), "content": ""}
        answer = desk.hook("PreToolUse", tool_name="Write", tool_input=given, tool_use_id="t")
        assert (answer.exit_code == 0) is runs, path
    assert "gate.tamper" in desk.bash("git show > .toolgate/plan.yaml")


# ---- one at a time


def test_one_session_at_a_time_works_on_an_iteration(desk: Desk) -> None:
    assert desk.bash("./blis run") == "runs"
    desk.session = "s-2"
    told = desk.bash("./blis run")
    assert told.startswith("deny: Another session works in")
    assert "claude-code/s-1" in told
    assert desk.bash("./blis run # nous: ad-hoc").startswith("deny: Another session")
    given = {"file_path": str(desk.project / "x")}
    assert desk.hook("PreToolUse", tool_name="Read", tool_input=given, tool_use_id="t").exit_code == 0
    assert {row["kind"] for row in rows(desk)} == {"blocked"}
    desk.environ["NOUS_ITER_DIR"] += "/../iter-3"
    assert desk.bash("./blis run").startswith("deny")
    desk.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert desk.bash("./blis run") == "runs: "
    assert "Another session works in" in desk.said


def test_under_another_profile_it_is_as_bad_as_the_policy_says(desk: Desk) -> None:
    desk.policy('[rules."plan.unplanned"]\nverdict = "ask"\n')
    assert desk.bash("./blis run") == "runs"
    desk.session = "s-2"
    assert desk.bash("./blis run").startswith("ask: Another session")
    desk.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert desk.bash("./blis run") == "runs: "


def test_it_ends_with_the_session(desk: Desk) -> None:
    desk.bash("./blis run")
    desk.session = "s-2"
    desk.hook("SessionEnd", reason="other")
    assert desk.bash("./blis run").startswith("deny")
    desk.session = "s-1"
    desk.hook("SessionEnd", reason="other")
    desk.session = "s-2"
    assert desk.bash("./blis run") == "runs"


def test_one_who_is_not_seen_any_more_holds_nothing(desk: Desk) -> None:
    desk.bash("./blis run")
    desk.session, desk.now = "s-2", NOW + 3000
    assert desk.bash("./blis run").startswith("deny")
    desk.now = NOW + 3700
    assert desk.bash("./blis run") == "runs"
    desk.session = "s-1"
    assert desk.bash("./blis run").startswith("deny")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells of processes")
def test_a_client_that_lives_holds_on_and_one_that_died_does_not(desk: Desk) -> None:
    with subprocess.Popen(["sleep", "600"]) as client:
        desk.environ["CLAUDE_PID"] = str(client.pid)
        assert desk.bash("./blis run") == "runs"
        desk.session, desk.now = "s-2", NOW + 100_000
        assert desk.bash("./blis run") == "runs"  # the same client, with a conversation begun anew
        desk.session, desk.now = "s-3", NOW + 200_000
        desk.environ["CLAUDE_PID"] = str(os.getpid())
        assert desk.bash("./blis run").startswith("deny")
        client.kill()
    desk.now = NOW + 200_001
    assert desk.bash("./blis run") == "runs"


def test_who_works_there_cannot_be_told(desk: Desk) -> None:
    desk.state.parent.mkdir(parents=True)
    desk.state.write_text("no folder")
    assert "nobody can tell who else works" in desk.bash("./blis run")


# ---- the turn ends


def stop(desk: Desk, *, again: bool = False) -> tuple[int, str]:
    answer = desk.hook("Stop", stop_hook_active=again)
    return answer.exit_code, answer.stderr


def validated_by(desk: Desk, script: str, more: str = "") -> None:
    argv = json.dumps([sys.executable, "-c", script])
    desk.policy(f'{NOUS}[rules."plan.unfinished".options]\nvalidator = {argv}\n{more}')
    (iteration(desk) / "principle_updates.json").write_text("[]")


def test_a_validator_runs_where_the_evidence_is(desk: Desk) -> None:
    validated_by(
        desk, "import os, json; json.load(open('principle_updates.json')); assert os.environ['NOUS_ITER_DIR'] == os.getcwd()"
    )
    assert stop(desk) == (0, "")


def test_what_it_finds_is_told(desk: Desk) -> None:
    validated_by(desk, "print('p-1: no evidence'); print('p-2: no arm'); raise SystemExit(3)")
    code, told = stop(desk)
    assert code == 2
    assert "validation failed" in told
    assert "p-1: no evidence\np-2: no arm" in told


@pytest.mark.parametrize(
    ("script", "more"),
    [
        ("import time; time.sleep(60)", "seconds = 0.3\n"),
        ("import os; os.kill(os.getpid(), 9)", ""),
        ("import os; os.fork() or __import__('time').sleep(60); raise SystemExit(1)", ""),
        ("raise ValueError", ""),
    ],
)
def test_every_error_is_a_no(desk: Desk, script: str, more: str) -> None:
    validated_by(desk, script, more)
    assert stop(desk)[0] == 2


def test_a_validator_that_is_not_there_is_a_no(desk: Desk) -> None:
    (iteration(desk) / "principle_updates.json").write_text("[]")
    for argv in ('["/nowhere/validate"]', '["validate"]'):
        desk.policy(f'{NOUS}[rules."plan.unfinished".options]\nvalidator = {argv}\n')
        assert stop(desk)[0] == 2


def test_nobody_is_kept_for_ever(desk: Desk) -> None:
    assert [stop(desk, again=n > 0)[0] for n in range(8)] == [2] * 8
    answer = desk.hook("Stop", stop_hook_active=True)
    assert answer.exit_code == 0
    assert "though the work is not done" in answer.stdout
    assert stop(desk)[0] == 2  # another turn


def test_other_profiles_ask_for_nothing(desk: Desk) -> None:
    desk.policy("")
    assert stop(desk) == (0, "")
    desk.policy('profile = "paranoid"\n')
    del desk.environ["NOUS_ITER_DIR"]
    assert stop(desk) == (0, "")
