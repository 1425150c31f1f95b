"""Tests a gate that crashes, hangs, is missing or answers nonsense, registered as the installer registers it.

Cases in which the client runs the call are known limits, listed here and on the host's page: the gate therefore owns its output,
has a deadline of its own, and answers with a refusal before any of this happens.
"""

import pytest

from e2e.claude_session import Sandbox, bash, turn
from e2e.conftest import Observe
from e2e.probes import AGENT, PROBES, SUBAGENT

pytestmark = pytest.mark.e2e

FAULTS = ("crash", "hang", "missing")
BY_THE_GATE = {"PreToolUse", "UserPromptSubmit", "ConfigChange", "PreCompact"}
"""The client takes a fault for a no, because of `onFailure`."""
BY_THE_CLIENT = {"PermissionRequest"}
"""Nobody is there to be asked, so it says no whatever the gate does."""
NOT_AT_ALL = {"PostToolUse", "Stop"}
"""The client goes on: the model reads the output, the turn ends."""
ASIDE = {"PostToolUseFailure", "SessionStart", "SessionEnd", "SubagentStart", "SubagentStop"}
"""Here not even a whole gate can hold anything."""


def test_every_event_is_in_one_of_these() -> None:
    assert sorted(PROBES) == sorted([*BY_THE_GATE, *BY_THE_CLIENT, *NOT_AT_ALL, *ASIDE])


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("event", sorted(BY_THE_GATE | BY_THE_CLIENT | NOT_AT_ALL))
def test_a_broken_gate(sandbox: Sandbox, observe: Observe, event: str, fault: str) -> None:
    held = held_against(sandbox, event, fault)
    observe("fault", f"{event}.{fault}", held=held)
    assert held is (event not in NOT_AT_ALL)


@pytest.mark.parametrize("fault", ["killed", "object"])
def test_other_ways_to_break(sandbox: Sandbox, observe: Observe, fault: str) -> None:
    held = held_against(sandbox, "PreToolUse", fault)
    observe("fault", f"PreToolUse.{fault}", held=held)
    assert held


@pytest.mark.parametrize("event", sorted(BY_THE_GATE))
def test_text_on_its_output_opens_the_gate(sandbox: Sandbox, observe: Observe, event: str) -> None:
    """The client takes it for a hook without an opinion, whatever `onFailure` says."""
    held = held_against(sandbox, event, "text")
    observe("fault", f"{event}.text", held=held)
    assert not held


@pytest.mark.parametrize("fault", FAULTS)
def test_where_nothing_can_be_held_a_broken_gate_does_not_stop_the_work(sandbox: Sandbox, observe: Observe, fault: str) -> None:
    sandbox.use(sandbox.stand_in(fault, *ASIDE, timeout=1, command=("/gone/toolgate-hook",) if fault == "missing" else ()))
    turns = (turn(bash("exit 3")), turn(AGENT), turn(bash("touch through")))
    outcome = sandbox.talk(*turns, threads={SUBAGENT: [turn(bash("touch through-too"))]})
    assert outcome.exit_code == 0
    assert sandbox.list_created() == {"through", "through-too"}
    if fault != "missing":
        assert {payload["hook_event_name"] for payload in outcome.seen} == ASIDE
    for event in ASIDE:
        observe("fault", f"{event}.{fault}", held=False)


def held_against(sandbox: Sandbox, event: str, fault: str) -> bool:
    probe = PROBES[event]
    command = ("/gone/toolgate-hook",) if fault == "missing" else ()
    outcome = probe.talk(sandbox, sandbox.stand_in(fault, event, timeout=1, command=command))
    assert fault == "missing" or outcome.payloads_of(event), "the hook was not called"
    return not probe.through(sandbox, outcome)
