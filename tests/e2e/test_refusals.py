"""Tests what a refusal is for each event, by what did not get through."""

import pytest

from e2e.claude_session import Sandbox
from e2e.conftest import Observe
from e2e.probes import PROBES
from toolgate.hosts import load_host

pytestmark = pytest.mark.e2e

HOLDS = {"PreToolUse", "PostToolUse", "PermissionRequest", "UserPromptSubmit", "ConfigChange", "Stop"}
"""Where the client takes a no. Elsewhere there is nothing to hold: its user is told."""
REACHES_THE_MODEL = {"PreToolUse", "PermissionRequest", "Stop", "PreCompact"}
"""Before a compaction the client takes whatever a hook prints for instructions on how to summarise."""
REACHES_ITS_USER = HOLDS - {"PostToolUse", "ConfigChange"} | {"PostToolUseFailure", "SessionStart", "PreCompact"}
"""In a session without a person: what the client prints. It keeps some of what it is told to itself."""
LOOP_CAP = 8
"""So often the client lets a hook keep a turn from ending; then it ends."""


def test_there_is_a_probe_for_every_event() -> None:
    assert set(PROBES) == set(load_host("claude-code").EVENTS)


@pytest.mark.parametrize("event", PROBES)
def test_a_refusal_holds(sandbox: Sandbox, observe: Observe, event: str) -> None:
    probe = PROBES[event]
    outcome = probe.talk(sandbox, sandbox.stand_in("refuse", event))
    assert outcome.payloads_of(event), "the hook was not called"
    assert probe.through(sandbox, outcome) is (event not in HOLDS)
    assert ("REFUSED-BY-TEST" in outcome.model.all_messages) is (event in REACHES_THE_MODEL)
    reason_shown = "REFUSED-BY-TEST" in outcome.output
    assert reason_shown is (event in REACHES_ITS_USER)
    observe("refusal", event, stake=probe.stake, held=event in HOLDS, model=event in REACHES_THE_MODEL, user=reason_shown)


def test_a_refused_end_of_a_turn_is_no_endless_loop(sandbox: Sandbox) -> None:
    sandbox.use(sandbox.stand_in("refuse", "Stop"))
    outcome = sandbox.talk()
    assert outcome.exit_code == 0
    assert len(outcome.model.requests) == LOOP_CAP + 1
    assert [payload["stop_hook_active"] for payload in outcome.payloads_of("Stop")] == [False] + [True] * LOOP_CAP


@pytest.mark.parametrize("event", PROBES)
def test_without_a_refusal_it_gets_through(sandbox: Sandbox, event: str) -> None:
    """Tests the probes themselves: what they look for happens without a refusal."""
    probe = PROBES[event]
    outcome = probe.talk(sandbox, sandbox.stand_in("silent", event))
    assert probe.through(sandbox, outcome) is (event != "PermissionRequest")  # nobody is there to be asked: the client says no
