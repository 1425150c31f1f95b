"""Tests an experiment's session in the real client: only the plan runs, and the session ends with its evidence."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.claude_session import Sandbox, bash, run_toolgate, turn
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn

pytestmark = pytest.mark.e2e

PLAN = """
arms:
  - arm_id: h-main
    conditions:
      - {name: c0, command: ./blis run --workload short}
      - {name: c1, cmd: "./blis report | tee report.txt"}
"""
BLIS = '#!/bin/sh\ntouch "ran-$1"\n'
VALIDATOR = "import json; found = json.load(open('principle_updates.json')); assert found, 'no principle was updated'"


@pytest.fixture
def experiment(sandbox: Sandbox) -> Sandbox:
    result = run_toolgate(sandbox, "install", "claude-code")
    assert result.returncode == 0, result.stderr
    folder = iteration(sandbox)
    folder.mkdir()
    (folder / "experiment_plan.yaml").write_text(PLAN)
    program = sandbox.project / "blis"
    program.write_text(BLIS)
    program.chmod(0o755)
    policy = sandbox.home / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    validator = json.dumps([sys.executable, "-I", "-c", VALIDATOR])
    policy.write_text(f'profile = "nous-plan"\n[rules."plan.unfinished".options]\nvalidator = {validator}\n')
    return sandbox


def iteration(sandbox: Sandbox) -> Path:
    return sandbox.root / "iter-1"


def rows(sandbox: Sandbox) -> list[dict[str, Any]]:
    log = iteration(sandbox) / "plan_violations.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def environ(sandbox: Sandbox, mode: str) -> dict[str, str]:
    return {"NOUS_ITER_DIR": str(iteration(sandbox)), "NOUS_PLAN_ENFORCEMENT": mode}


def evidence(sandbox: Sandbox, text: str, *, pauses: bool = False) -> ScriptedTurn:
    use = ScriptedCall("Write", {"file_path": str(iteration(sandbox) / "principle_updates.json"), "content": text})
    return ScriptedTurn((use,), pauses=pauses)


def test_the_plan_and_nothing_else(experiment: Sandbox) -> None:
    tampering = (
        bash("echo 'arms: []' > $NOUS_ITER_DIR/experiment_plan.yaml # nous: ad-hoc"),
        ScriptedCall("Write", {"file_path": str(iteration(experiment) / "experiment_plan.yaml"), "content": "arms: []"}),
        bash("rm -f $NOUS_ITER_DIR/plan_violations.jsonl # nous: ad-hoc"),
    )
    refused = (
        bash("touch unplanned"),
        bash("./blis run && touch unplanned"),
        bash("PATH=/tmp/evil:$PATH ./blis run"),
        bash("cp blis other; ./other run"),
        bash("echo '# nous: ad-hoc'; touch unplanned"),
        *tampering,
    )
    runs = (
        bash("./blis run --workload other"),
        bash("timeout 20 ./blis report | tee report.txt"),
        bash("touch by-the-way # nous: ad-hoc"),
    )
    outcome = experiment.talk(
        *(turn(use) for use in (*refused, *runs)), evidence(experiment, '["p-1"]'), environ=environ(experiment, "strict")
    )
    assert [result.input for result in outcome.results[: len(refused)] if not result.refused] == []
    assert [result.text for result in outcome.results[len(refused) :] if result.refused] == []
    assert experiment.list_created() == {"blis", "ran-run", "ran-report", "report.txt", "by-the-way"}
    assert (iteration(experiment) / "experiment_plan.yaml").read_text() == PLAN
    assert [row["kind"] for row in rows(experiment)] == ["blocked"] * 5 + ["blocked"] * 2 + ["ad-hoc"]
    assert "is not in the plan" in outcome.results[0].text


def test_in_warn_mode_everything_but_floors_runs(experiment: Sandbox) -> None:
    work_folder = experiment.home / "work"
    work_folder.mkdir()
    outcome = experiment.talk(
        turn(bash("touch unplanned")),
        turn(bash("rm -rf ~")),
        evidence(experiment, '["p-1"]'),
        environ=environ(experiment, "warn"),
    )
    assert [result.refused for result in outcome.results] == [False, True, False]
    assert work_folder.exists()
    assert "unplanned" in experiment.list_created()
    assert [row["kind"] for row in rows(experiment)] == ["unplanned", "blocked"]


def test_a_session_ends_with_its_evidence(experiment: Sandbox) -> None:
    """The reason for each refused end reaches the model, which continues until the validator is content."""
    outcome = experiment.talk(
        ScriptedTurn((bash("./blis run"),), pauses=True),
        evidence(experiment, "[]", pauses=True),
        evidence(experiment, '["p-1"]'),
        environ=environ(experiment, "strict"),
    )
    assert outcome.exit_code == 0
    assert "principle_updates.json does not exist" in outcome.model.all_messages
    assert "no principle was updated" in outcome.model.all_messages
    assert (iteration(experiment) / "principle_updates.json").read_text() == '["p-1"]'


def test_nobody_is_kept_for_ever(experiment: Sandbox) -> None:
    """The client lets a turn end after a number of refusals; so does the gate."""
    outcome = experiment.talk(turn(bash("./blis run")), environ=environ(experiment, "strict"))
    assert json.dumps(outcome.model.messages_of_thread()[-1]).count("principle_updates.json does not exist") == 8
    assert outcome.exit_code == 0
    assert not (iteration(experiment) / "principle_updates.json").exists()


def test_two_sessions_do_not_work_on_one_iteration(experiment: Sandbox) -> None:
    (iteration(experiment) / "principle_updates.json").write_text('["p-1"]')

    def try_in_other_session() -> None:
        other = experiment.talk(turn(bash("./blis run-too")), environ=environ(experiment, "strict"))
        assert other.results[0].refused
        assert "Another session works in" in other.results[0].text

    outcome = experiment.talk(
        turn(bash("./blis run")), turn(bash("./blis report"), before=try_in_other_session), environ=environ(experiment, "strict")
    )
    assert [result.refused for result in outcome.results] == [False, False]
    assert experiment.list_created() == {"blis", "ran-run", "ran-report"}
    after = experiment.talk(turn(bash("./blis after")), environ=environ(experiment, "strict"))
    assert not after.results[0].refused
