"""Tests a plan in force: the whole gate, on real folders, with a real store, by the profile of the plan's own design."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from toolgate.model.request import Request
from unit.sessions.simulated_client import NOW, SimulatedClient, client_in

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
def client(tmp_path: Path) -> SimulatedClient:
    """A client of an experiment's session whose plan is enforced strictly."""
    client = client_in(tmp_path, NOUS)
    folder = iteration(client)
    folder.mkdir()
    (folder / "experiment_plan.yaml").write_text(PLAN)
    client.environ = {"NOUS_ITER_DIR": str(folder), "NOUS_PLAN_ENFORCEMENT": "strict"}
    return client


def iteration(client: SimulatedClient) -> Path:
    return client.root / "iter-3"


def rows(client: SimulatedClient) -> list[dict[str, Any]]:
    log = iteration(client) / "plan_violations.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


# ---- the design's own cases, log and exit codes included


@pytest.mark.parametrize("row", PLANNED, ids=lambda row: row["id"])
def test_as_the_design_says(row: dict[str, Any], tmp_path: Path) -> None:
    context, expect, scratch = row["context"], row["expect"], tmp_path / "tmp"
    scratch.mkdir()
    client = client_in(tmp_path, f'profile = "{context["profile"]}"\n')
    for name, content in context.get("files", {}).items():
        if content is not None:
            text = content if isinstance(content, str) else json.dumps(content)
            Path(name.replace("$TMP", str(scratch))).write_text(text)
    environ = {name: value.replace("$TMP", str(scratch)) for name, value in context.get("env", {}).items()}
    if row["tool"] == "@stop":
        tool_input = row["input"]
        status = 1 if tool_input.get("validate") == "fail" else 0
        script = f"print('arm h-main has no result'); raise SystemExit({status})"
        argv = json.dumps([sys.executable, "-c", script])
        client.policy(f'{NOUS}[rules."plan.unfinished".options]\nexpected = true\nvalidator = {argv}\n')
        if "principle_updates.json" in tool_input:
            (scratch / "principle_updates.json").write_text(tool_input["principle_updates.json"])
        there = "/nowhere" if tool_input.get("iter_dir_missing") else str(scratch)
        environ = {} if tool_input.get("env_unset") else {"NOUS_ITER_DIR": there}
    event = "Stop" if row["tool"] == "@stop" else "PreToolUse"
    payload: dict[str, Any] = {"session_id": "s", "cwd": str(scratch), "hook_event_name": event}
    if event == "PreToolUse":
        payload |= {"tool_name": row["tool"], "tool_input": row["input"]}
    stdin = row["input"]["stdin"].encode() if row["tool"] == "@raw" else json.dumps(payload).encode()
    home = {"HOME": str(client.home), "PATH": "/usr/bin:/bin", "USER": "u", **environ}
    answer = client.app.handle(Request("claude-code", event, stdin, home, str(scratch), 1000, NOW))

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


def test_a_row_is_what_the_design_says(client: SimulatedClient) -> None:
    assert client.bash("./blis run --workload short") == "runs"
    assert client.bash("ls -la").startswith("deny: `ls` is not in the plan")
    assert client.bash("ls # nous: ad-hoc") == "runs"
    client.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert client.bash("id --no-cache long") == "runs: "
    found = rows(client)
    assert [(row["kind"], row["command"], row["arm"]) for row in found] == [
        ("blocked", "ls -la", ""),
        ("ad-hoc", "ls # nous: ad-hoc", ""),
        ("unplanned", "id --no-cache long", "h-ablation"),
    ]
    for row in found:
        assert list(row) == ["timestamp", "kind", "command", "arm"]
        at = datetime.fromisoformat(row["timestamp"])
        assert (at.timestamp(), at.tzinfo) == (NOW, UTC)


def test_no_secret_stands_in_it(client: SimulatedClient) -> None:
    token = "ghp_" + "x4Gv9mQ2LrT7bYc1Kd8WnZs5HjPf3AaUe6Ro"
    client.bash(f"curl -H 'Authorization: token {token}' https://api.github.com # nous: ad-hoc")
    assert len(rows(client)) == 1
    assert token not in (iteration(client) / "plan_violations.jsonl").read_text()


def test_a_log_that_cannot_be_written_is_told_once_and_changes_nothing(client: SimulatedClient) -> None:
    (iteration(client) / "plan_violations.jsonl").mkdir()
    assert client.bash("ls # nous: ad-hoc") == "runs: "
    assert "plan_violations.jsonl cannot be written" in client.said
    assert client.bash("ls # nous: ad-hoc") == "runs"
    assert client.bash("ls").startswith("deny")


def test_a_link_in_its_place_is_not_followed(client: SimulatedClient) -> None:
    victim = client.root / "victim"
    victim.write_text("mine")
    (iteration(client) / "plan_violations.jsonl").symlink_to(victim)
    client.bash("ls")
    assert victim.read_text() == "mine"


def test_the_agent_changes_neither_plan_nor_log_nor_validator(client: SimulatedClient) -> None:
    validator = client.root / "validate"
    client.policy(f'{NOUS}[rules."plan.unfinished".options]\nvalidator = ["{validator}"]\n')
    for command in (
        f"rm {iteration(client)}/plan_violations.jsonl",
        f"rm -rf {iteration(client)}",
        f"mv {iteration(client)} /tmp/elsewhere",
        "echo 'arms: []' > $NOUS_ITER_DIR/experiment_plan.yaml",
        f"cd {iteration(client)} && ./blis run > experiment_plan.yaml",
        f"ln -sf /tmp/other {iteration(client)}/experiment_plan.yaml",
        f"echo 'exit 0' > {validator}",
    ):
        for mode in ("strict", "warn"):
            client.environ["NOUS_PLAN_ENFORCEMENT"] = mode
            assert "gate.tamper" in client.bash(f"{command} # nous: ad-hoc"), command


def test_what_a_plan_names_is_worked_out_again_when_the_machine_has_changed(client: SimulatedClient) -> None:
    """The commands stay the same; their values do not."""
    plan = iteration(client) / "experiment_plan.yaml"
    plan.write_text("arms: [{conditions: [{command: . ./setup.sh && ./blis run}, {command: tools/gen}]}]")
    setup, tools = client.project / "setup.sh", client.project / "tools"
    setup.write_text("gcc -o blis blis.c\n")
    assert [client.bash("gcc -c x.c")[:4], client.bash("clang -c x.c")[:4]] == ["runs", "deny"]
    setup.write_text("clang -o blis blis.c\n")
    assert [client.bash("gcc -c x.c")[:4], client.bash("clang -c x.c")[:4]] == ["deny", "runs"]
    (client.root / "v1").mkdir()
    assert client.bash(f"{client.root}/v1/gen").startswith("deny")
    tools.symlink_to(client.root / "v1")
    assert client.bash(f"{client.root}/v1/gen") == "runs"
    client.environ["NOUS_ITER_DIR"] = str(iteration(client).rename(client.root / "iter-4"))
    assert client.bash("clang -c x.c") == "runs"


# ---- no part of the plan


def test_so_many_calls_of_an_iteration_may_be_no_part_of_it(client: SimulatedClient) -> None:
    client.policy(f'{NOUS}[rules."plan.unplanned".options]\nad_hoc = 2\n')
    assert [client.bash("ls # nous: ad-hoc")[:4] for _ in range(4)] == ["runs", "runs", "deny", "deny"]
    client.bash("ls # nous: ad-hoc")
    assert "All 2 calls that may be no part of the plan are used." in client.bash("id # nous: ad-hoc")
    assert [row["kind"] for row in rows(client)][:3] == ["ad-hoc", "ad-hoc", "blocked"]


def test_what_is_planned_uses_none_of_them(client: SimulatedClient) -> None:
    client.policy(f'{NOUS}[rules."plan.unplanned".options]\nad_hoc = 1\n')
    assert [client.bash("./blis run # nous: ad-hoc") for _ in range(3)] == ["runs"] * 3
    assert client.bash("ls # nous: ad-hoc") == "runs"
    assert client.bash("ls # nous: ad-hoc").startswith("deny")


def test_it_can_be_switched_off(client: SimulatedClient) -> None:
    client.policy(f'{NOUS}[rules."plan.unplanned".options]\nad_hoc = 0\n')
    answer = client.bash("ls # nous: ad-hoc")
    assert answer.startswith("deny")
    assert "nous: ad-hoc" not in answer.partition("Instead")[2]


BY_THE_USER = '[rules."plan.unplanned".options]\nad_hoc_by = "user"\n'


def test_a_person_may_have_to_say_so(client: SimulatedClient) -> None:
    """The comment makes the call ask: without an approval it is stopped, with one it runs once."""
    client.policy(f'{NOUS}human = true\nask_through = "code"\n{BY_THE_USER}')
    assert client.bash("ls").startswith("deny")
    assert not client.list_pending(), "without the comment nobody is asked"
    assert client.bash("ls # nous: ad-hoc").startswith("deny")
    assert client.list_pending() == ["ls # nous: ad-hoc"]
    client.answer()
    assert client.bash("ls # nous: ad-hoc") == "runs"
    assert client.bash("ls # nous: ad-hoc").startswith("deny")
    assert [row["kind"] for row in rows(client)] == ["blocked", "blocked", "ad-hoc", "blocked"]


def test_the_host_asks_the_person_where_it_can(client: SimulatedClient) -> None:
    client.policy(f"{NOUS}human = true\n{BY_THE_USER}")
    assert client.bash("ls # nous: ad-hoc").startswith("ask")
    assert client.bash("ls").startswith("deny")
    client.policy(f"{NOUS}human = true\n{BY_THE_USER}ad_hoc = 0\n")
    assert client.bash("ls # nous: ad-hoc").startswith("deny")


def test_where_nobody_is_there_nobody_says_so(client: SimulatedClient) -> None:
    client.policy(NOUS + BY_THE_USER)
    answer = client.bash("ls # nous: ad-hoc")
    assert answer.startswith("deny")
    assert "nous: ad-hoc" not in answer.partition("Instead")[2]


def test_in_warn_mode_what_nobody_agreed_to_is_unplanned(client: SimulatedClient) -> None:
    client.policy(f"{NOUS}human = true\n{BY_THE_USER}")
    client.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert client.bash("ls # nous: ad-hoc").startswith("runs")
    assert [row["kind"] for row in rows(client)] == ["unplanned"]


def test_what_cannot_be_counted_is_not_lifted(client: SimulatedClient) -> None:
    client.policy(f'{NOUS}[rules."plan.unplanned".options]\nad_hoc = 2\n')
    client.state.parent.mkdir(parents=True)
    client.state.write_text("no folder")
    assert client.bash("ls # nous: ad-hoc").startswith("deny")


def test_some_programs_need_no_plan(client: SimulatedClient) -> None:
    client.policy(f'{NOUS}[rules."plan.unplanned".options]\nalways = ["ls", "git add"]\n')
    runs = ("ls -la; git add .", "/bin/ls", "ls | ./blis run")
    stops = ("./ls", "ls; id", "git commit -m x", "git", "PATH=/x ls", "ls > blis")
    for command in (*runs, *stops):
        assert (client.bash(command) == "runs") is (command in runs), command


def test_looking_needs_none_where_the_policy_says_so(client: SimulatedClient) -> None:
    runs = ("ls -la results", "cat a | grep b | wc -l", "git status --short", "git log | head", "echo done", "diff a b")
    stops = ("git push", "find . -delete", "ls; touch x", "sed -i s/a/b/ x", "git -c alias.x=!id x", "cat x > blis", "env")
    assert all(client.bash(command) != "runs" for command in (*runs, *stops))
    client.policy(f'{NOUS}[rules."plan.unplanned".options]\ninspection = true\n')
    for command in (*runs, *stops):
        assert (client.bash(command) == "runs") is (command in runs), command


def test_a_folder_behind_a_link_is_the_folder(client: SimulatedClient) -> None:
    link = client.root / "link"
    link.symlink_to(iteration(client))
    client.environ["NOUS_ITER_DIR"] = str(link)
    assert client.bash("./blis run > $NOUS_ITER_DIR/out.json") == "runs"
    assert client.bash(f"./blis run > {iteration(client)}/out.json") == "runs"
    for folder in (link, iteration(client)):
        assert "gate.tamper" in client.bash(f"./blis run > {folder}/experiment_plan.yaml")
        assert "gate.tamper" in client.bash(f"./blis run >> {folder}/plan_violations.jsonl")


# ---- which mode


def test_a_word_that_is_no_mode_is_told_and_strict(client: SimulatedClient) -> None:
    client.environ["NOUS_PLAN_ENFORCEMENT"] = "lenient"
    assert "'lenient', which is neither strict nor warn" in client.bash("ls")
    notice = client.hook("SessionStart", source="startup").stdout
    assert "neither strict nor warn" in notice


def test_a_plan_that_is_none_is_told_when_the_session_starts(client: SimulatedClient) -> None:
    assert "planned" not in client.hook("SessionStart", source="startup").stdout
    (iteration(client) / "experiment_plan.yaml").write_text("arms: 7")
    assert "arms is not a list: nothing is planned" in client.hook("SessionStart", source="startup").stdout
    assert "have the plan repaired" in client.bash("./blis run")


@pytest.mark.parametrize("mode", ["", "warn", "WARN", " Warn "])
def test_by_default_all_but_floors_are_warnings(client: SimulatedClient, mode: str) -> None:
    client.environ["NOUS_PLAN_ENFORCEMENT"] = mode
    assert client.bash("git push --force && ls") == "runs: "
    assert client.bash("rm -rf ~").startswith("deny")


def test_the_policy_may_have_the_last_word(client: SimulatedClient) -> None:
    client.policy(f'{NOUS}[rules."plan.unplanned".options]\nenforcement = "strict"\n')
    client.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert client.bash("ls").startswith("deny")


def test_a_profile_of_the_environment_brings_the_plan_along(client: SimulatedClient) -> None:
    client.policy("")
    assert client.bash("ls") == "runs"
    client.environ["TOOLGATE_PROFILE"] = "nous-plan"
    assert client.bash("ls").startswith("deny")
    assert client.bash("./blis run") == "runs"
    assert client.hook("Stop").exit_code == 2
    client.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert client.bash("ls") == "runs: "
    del client.environ["NOUS_ITER_DIR"]
    assert client.bash("ls") == "runs"


def test_without_a_folder_the_policy_decides(client: SimulatedClient) -> None:
    del client.environ["NOUS_ITER_DIR"]
    assert client.bash("ls") == "runs"
    client.policy(f'{NOUS}on_missing_context = "closed"\n')
    assert "NOUS_ITER_DIR is not set" in client.bash("ls")


def test_a_project_may_not_say_what_is_planned(client: SimulatedClient) -> None:
    own = client.project / ".toolgate" / "policy.toml"
    own.parent.mkdir()
    own.write_text('[rules."plan.unplanned"]\nverdict = "pass"\n')
    assert client.bash("ls").startswith("deny")
    own.write_text('[rules."plan.unfinished".options]\nvalidator = ["/bin/true"]\n')
    assert client.bash("ls").startswith("deny")
    assert client.hook("Stop").exit_code == 2


# ---- a plan of any project's

GENERAL = """
commands: [make test, "python -m pytest | tee log.txt"]
programs: [git, ./tools/gen]
paths: [src/**, docs]
hosts: ["*.example.org"]
"""


def test_a_plan_for_any_project(client: SimulatedClient) -> None:
    client.environ = {}
    client.policy('[rules."plan.unplanned"]\nverdict = "deny"\nunsure = "deny"\noptions = { file = ".toolgate/plan.yaml" }\n')
    (client.project / ".toolgate").mkdir()
    (client.project / ".toolgate" / "plan.yaml").write_text(GENERAL)
    for command in (
        "make test", "git status", "tools/gen --all", "python x.py", "git status > src/a/b.txt", "git diff > docs/x",
        "git clone https://code.example.org/a/b src/b",
    ):  # fmt: skip
        assert client.bash(command) == "runs", command
    for command in ("ls", "./gen", "git status > notes.txt", "git clone https://evil.example.com/a/b src/b"):
        assert "plan.unplanned" in client.bash(command), command
    for path, runs in (("src/a.py", True), ("setup.py", False)):
        tool_input = {"file_path": str(client.project / path), "content": ""}
        answer = client.hook("PreToolUse", tool_name="Write", tool_input=tool_input, tool_use_id="t")
        assert (answer.exit_code == 0) is runs, path
    assert "gate.tamper" in client.bash("git show > .toolgate/plan.yaml")


# ---- one at a time


def test_one_session_at_a_time_works_on_an_iteration(client: SimulatedClient) -> None:
    assert client.bash("./blis run") == "runs"
    client.session = "s-2"
    answer = client.bash("./blis run")
    assert answer.startswith("deny: Another session works in")
    assert "claude-code/s-1" in answer
    assert client.bash("./blis run # nous: ad-hoc").startswith("deny: Another session")
    tool_input = {"file_path": str(client.project / "x")}
    assert client.hook("PreToolUse", tool_name="Read", tool_input=tool_input, tool_use_id="t").exit_code == 0
    assert {row["kind"] for row in rows(client)} == {"blocked"}
    client.environ["NOUS_ITER_DIR"] += "/../iter-3"
    assert client.bash("./blis run").startswith("deny")
    client.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert client.bash("./blis run") == "runs: "
    assert "Another session works in" in client.said


def test_under_another_profile_it_is_as_bad_as_the_policy_says(client: SimulatedClient) -> None:
    client.policy('[rules."plan.unplanned"]\nverdict = "ask"\n')
    assert client.bash("./blis run") == "runs"
    client.session = "s-2"
    assert client.bash("./blis run").startswith("ask: Another session")
    client.environ["NOUS_PLAN_ENFORCEMENT"] = "warn"
    assert client.bash("./blis run") == "runs: "


def test_it_ends_with_the_session(client: SimulatedClient) -> None:
    client.bash("./blis run")
    client.session = "s-2"
    client.hook("SessionEnd", reason="other")
    assert client.bash("./blis run").startswith("deny")
    client.session = "s-1"
    client.hook("SessionEnd", reason="other")
    client.session = "s-2"
    assert client.bash("./blis run") == "runs"


def test_one_who_is_not_seen_any_more_holds_nothing(client: SimulatedClient) -> None:
    client.bash("./blis run")
    client.session, client.now = "s-2", NOW + 3000
    assert client.bash("./blis run").startswith("deny")
    client.now = NOW + 3700
    assert client.bash("./blis run") == "runs"
    client.session = "s-1"
    assert client.bash("./blis run").startswith("deny")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells of processes")
def test_a_client_that_lives_holds_on_and_one_that_died_does_not(client: SimulatedClient) -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        client.environ["CLAUDE_PID"] = str(process.pid)
        assert client.bash("./blis run") == "runs"
        client.session, client.now = "s-2", NOW + 100_000
        assert client.bash("./blis run") == "runs"  # the same client, with a conversation begun anew
        client.session, client.now = "s-3", NOW + 200_000
        client.environ["CLAUDE_PID"] = str(os.getpid())
        assert client.bash("./blis run").startswith("deny")
        process.kill()
    client.now = NOW + 200_001
    assert client.bash("./blis run") == "runs"


def test_who_works_there_cannot_be_told(client: SimulatedClient) -> None:
    client.state.parent.mkdir(parents=True)
    client.state.write_text("no folder")
    assert "nobody can tell who else works" in client.bash("./blis run")


# ---- the turn ends


def stop(client: SimulatedClient, *, again: bool = False) -> tuple[int, str]:
    answer = client.hook("Stop", stop_hook_active=again)
    return answer.exit_code, answer.stderr


def validated_by(client: SimulatedClient, script: str, more: str = "") -> None:
    argv = json.dumps([sys.executable, "-c", script])
    client.policy(f'{NOUS}[rules."plan.unfinished".options]\nvalidator = {argv}\n{more}')
    (iteration(client) / "principle_updates.json").write_text("[]")


def test_a_validator_runs_where_the_evidence_is(client: SimulatedClient) -> None:
    validated_by(
        client, "import os, json; json.load(open('principle_updates.json')); assert os.environ['NOUS_ITER_DIR'] == os.getcwd()"
    )
    assert stop(client) == (0, "")


def test_what_it_finds_is_told(client: SimulatedClient) -> None:
    validated_by(client, "print('p-1: no evidence'); print('p-2: no arm'); raise SystemExit(3)")
    code, answer = stop(client)
    assert code == 2
    assert "validation failed" in answer
    assert "p-1: no evidence\np-2: no arm" in answer


@pytest.mark.parametrize(
    ("script", "more"),
    [
        ("import time; time.sleep(60)", "seconds = 0.3\n"),
        ("import os; os.kill(os.getpid(), 9)", ""),
        ("import os; os.fork() or __import__('time').sleep(60); raise SystemExit(1)", ""),
        ("raise ValueError", ""),
    ],
)
def test_every_error_is_a_no(client: SimulatedClient, script: str, more: str) -> None:
    validated_by(client, script, more)
    assert stop(client)[0] == 2


def test_a_validator_that_is_not_there_is_a_no(client: SimulatedClient) -> None:
    (iteration(client) / "principle_updates.json").write_text("[]")
    for argv in ('["/nowhere/validate"]', '["validate"]'):
        client.policy(f'{NOUS}[rules."plan.unfinished".options]\nvalidator = {argv}\n')
        assert stop(client)[0] == 2


def test_nobody_is_kept_for_ever(client: SimulatedClient) -> None:
    assert [stop(client, again=n > 0)[0] for n in range(8)] == [2] * 8
    answer = client.hook("Stop", stop_hook_active=True)
    assert answer.exit_code == 0
    assert "though the work is not done" in answer.stdout
    assert stop(client)[0] == 2  # another turn


def test_other_profiles_ask_for_nothing(client: SimulatedClient) -> None:
    client.policy("")
    assert stop(client) == (0, "")
    client.policy('profile = "paranoid"\n')
    del client.environ["NOUS_ITER_DIR"]
    assert stop(client) == (0, "")
