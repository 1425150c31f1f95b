"""Tests each verdict in the real client: what ran, and what the model received."""

import json

import pytest

from e2e.claude_session import Sandbox, bash, turn
from e2e.conftest import Observe
from toolgate.canary.scripted_server import ScriptedCall

pytestmark = pytest.mark.e2e


def test_each_verdict_where_nothing_else_asks(sandbox: Sandbox, observe: Observe) -> None:
    """In bypass mode only the gate can stop a call."""
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"))
    outcome = sandbox.talk(
        turn(bash("touch passed")),
        turn(bash("touch warned # WARN-ME")),
        turn(bash("touch asked # ASK-ME")),
        turn(bash("touch denied # DENY-ME")),
        turn(ScriptedCall("Write", {"file_path": str(sandbox.project / "denied-file"), "content": "DENY-ME"})),
        turn(bash("touch passed-after")),
    )
    assert sandbox.list_created() == {"passed", "warned", "passed-after"}
    passed, warned, results, denied, denied_write, after = outcome.results
    assert not any(result.refused for result in (passed, warned, after))
    assert results.refused
    assert "agent: ASK, because of the test" in results.text
    for result in (denied, denied_write):
        assert result.refused
        assert "agent: DENY, because of the test" in result.text
        assert "stand_in.py" not in result.text  # the command line is not for the model
    assert "agent: WARN, because of the test" in outcome.model.all_messages
    transcript = json.dumps([event for event in outcome.events if event.get("subtype") == "informational"])
    assert "user: WARN" in transcript
    reason = "the reason, as the tool's result"
    observe("verdict", "PASS", ran="yes", model="nothing", user="nothing")
    observe("verdict", "WARN", ran="yes", model="the words for it, beside the result", user="a notice")
    observe("verdict", "ASK", ran="no: nobody is there to be asked", model=reason, user="nothing")
    observe("verdict", "DENY", ran="no", model=reason, user="a notice" if "user: DENY" in transcript else "nothing")


def test_a_question_is_not_lost_where_the_client_has_one_of_its_own(sandbox: Sandbox) -> None:
    """In bypass mode the client approves its own questions, and the gate's with them."""
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"))
    guarded = (".npmrc", ".git/config", ".claude/settings.json", "bunfig.toml")
    writes = [ScriptedCall("Write", {"file_path": str(sandbox.project / name), "content": "ASK-ME"}) for name in guarded]
    outcome = sandbox.talk(turn(bash("touch asked ~/.bashrc # ASK-ME")), *(turn(write) for write in writes))
    assert all(result.refused for result in outcome.results)
    assert sandbox.list_created() == set()
    assert not (sandbox.home / ".bashrc").exists()


def test_pass_and_warn_leave_the_hosts_own_permissions_in_force(sandbox: Sandbox) -> None:
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"), {"permissions": {"allow": ["Bash(touch allowed*)"]}})
    outcome = sandbox.talk(
        turn(bash("touch passed")), turn(bash("touch warned # WARN-ME")), turn(bash("touch allowed")), mode="default"
    )
    assert sandbox.list_created() == {"allowed"}
    assert [result.refused for result in outcome.results] == [True, True, False]


def test_the_users_deny_rules_hold(sandbox: Sandbox) -> None:
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"), {"permissions": {"deny": ["Bash(touch *)"]}})
    outcome = sandbox.talk(turn(bash("touch passed")), turn(bash("touch warned # WARN-ME")))
    assert all(result.refused for result in outcome.results)
    assert not (sandbox.project / "passed").exists()


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "dontAsk"])
def test_a_denial_denies_in_every_mode(sandbox: Sandbox, mode: str) -> None:
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"), {"permissions": {"allow": ["Bash"]}})
    outcome = sandbox.talk(turn(bash("touch denied # DENY-ME"), bash("touch asked # ASK-ME")), mode=mode)
    assert not (sandbox.project / "denied").exists()
    assert not (sandbox.project / "asked").exists()
    assert [result.refused for result in outcome.results] == [True, True]


def test_half_a_character_reaches_the_gate_as_the_client_runs_it(sandbox: Sandbox) -> None:
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"))
    sandbox.talk(turn(bash("touch half-\ud83d-character")))
    assert sandbox.list_created() == {"half-\ufffd-character"}
