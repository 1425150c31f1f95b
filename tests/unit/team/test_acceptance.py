"""Tests the acceptance cases of the team design that are more than the verdict on one call."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from toolgate import cases
from toolgate.app import App
from toolgate.cli.test import build_case_policy
from toolgate.designs.squad import log as security_audit
from toolgate.model.action import RunShell
from toolgate.model.decision import Verdict
from toolgate.model.embedding import Embedding
from toolgate.model.event import Caller, Scene
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy, Ruling

ACCEPTANCE = Path(__file__).parents[2] / "acceptance"
ROWS: dict[str, dict[str, Any]] = {
    row["id"]: row for row in map(json.loads, (ACCEPTANCE / "cases.jsonl").read_text().splitlines())
}
CASES = {case.id: case for case in cases.load_acceptance_cases(ACCEPTANCE / "cases.jsonl")}
OF_A_TEAM: list[str] = json.loads((ACCEPTANCE / "answered.json").read_text())["of a team"]
PIPELINE = [id_ for id_, row in ROWS.items() if row["tool"] == "@pipeline"]
ANSWERS = [id_ for id_, row in ROWS.items() if row["context"].get("hook") == "ask_user_answer"]
NOTICED = [id_ for id_, row in ROWS.items() if "user_notified" in row["expect"]]
LOGGED = [
    id_ for id_, row in ROWS.items() if any("security-audit" in log.get("file", "") for log in row["expect"].get("log", ()))
]
THREE = ("git.force-push", "git.hard-reset", "packages.publish")


def test_all_of_them_are_played_here() -> None:
    assert set(OF_A_TEAM) == {*PIPELINE, *ANSWERS}
    assert NOTICED
    assert LOGGED


@pytest.mark.parametrize("id_", PIPELINE)
def test_every_rule_runs_and_the_strictest_wins(id_: str) -> None:
    hooks = ROWS[id_]["input"]["hooks"]
    rulings = {
        rule: Ruling(verdict, verdict)
        for rule, hook in zip(THREE, hooks, strict=True)
        for verdict in [Verdict.DENY if hook == "block" else Verdict.WARN]
    }
    scene = Scene(Caller("test"), "/p", "/p", "/h", {})
    decision = App().judge(RunShell("git push --force; git reset --hard; npm publish"), scene, Policy(rulings=rulings)).decision
    assert {finding.rule for finding in decision.findings} == set(THREE)
    assert (decision.verdict is Verdict.DENY) is (ROWS[id_]["expect"]["decision"] == "block")


class SimulatedClient:
    """The gate in a program that starts the agent of a case."""

    def __init__(self, id_: str, folder: Path) -> None:
        self.folder, self.project = folder, folder / "project"
        self.project.mkdir()
        spawn = CASES[id_].spawn if id_ in CASES else None
        self.app = App(embedding=Embedding("squad", spawn) if spawn else Embedding("squad"))

    def hook(self, event: str, tool: str, fields: dict[str, Any], **more: Any) -> Answer:
        payload: dict[str, object] = {
            "session_id": "session-1",
            "cwd": str(self.project),
            "hook_event_name": event,
            "prompt_id": "t",
        }
        payload |= {"tool_name": tool, "tool_input": fields, **more}
        environ = {"HOME": str(self.folder), "TOOLGATE_HOME": str(self.folder / "gate")}
        return self.app.handle(
            Request("claude-code", event, json.dumps(payload).encode(), environ, str(self.project), os.getuid(), 1.8e9)
        )


@pytest.mark.parametrize("id_", ANSWERS)
def test_an_answer_that_says_little_goes_on_with_a_word(id_: str, tmp_path: Path) -> None:
    questions = [{"question": "q"}]
    response = {"questions": questions, "answers": {"q": ROWS[id_]["input"]["answer"]}}
    out = (
        SimulatedClient(id_, tmp_path)
        .hook("PostToolUse", "AskUserQuestion", {"questions": questions}, tool_response=response)
        .stdout
    )
    answer = json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""
    assert answer == ROWS[id_]["expect"].get("answer_suffix", "")


@pytest.mark.parametrize("id_", NOTICED)
def test_the_user_hears_of_it_when_it_goes_on(id_: str, tmp_path: Path) -> None:
    client, row = SimulatedClient(id_, tmp_path), ROWS[id_]
    fields = {"file_path": str(client.project / row["input"]["path"]), "content": "x"}
    for _ in range(row["context"]["denials_this_turn"]):
        client.hook("PreToolUse", "Write", fields)
    answer = client.hook("PreToolUse", "Write", fields)
    assert answer.exit_code == 2
    assert ("systemMessage" in json.loads(answer.stdout)) is row["expect"]["user_notified"]


@pytest.mark.parametrize("id_", LOGGED)
def test_a_first_policys_denial_is_in_the_teams_log(id_: str, tmp_path: Path) -> None:
    client = SimulatedClient(id_, tmp_path)
    assert client.hook("PreToolUse", "Bash", ROWS[id_]["input"]).exit_code == 2
    assert len((client.project / ".squad" / security_audit.LOG_FILE).read_text().splitlines()) == 1


REASONED = [
    id_
    for id_, row in ROWS.items()
    if row["req"].startswith("S3") and row["req"] != "S3-70" and "reason_contains" in row["expect"] and id_ in CASES
]


@pytest.mark.parametrize("id_", REASONED)
def test_a_reason_says_what_the_design_wants_said(id_: str) -> None:
    reason = cases.run_case(CASES[id_], build_case_policy(CASES[id_])).reason
    assert [part for part in ROWS[id_]["expect"]["reason_contains"] if part not in reason] == []
