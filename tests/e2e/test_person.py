"""Tests the gate's question on a real terminal where somebody answers it."""

import pytest

from e2e.claude_session import Sandbox, bash, turn

pytestmark = pytest.mark.e2e

WHY = "agent: ASK, because of the test"


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
@pytest.mark.parametrize("answer", ["Enter", "Escape"])
def test_a_person_is_asked_and_decides(sandbox: Sandbox, mode: str, answer: str) -> None:
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"))
    with sandbox.sit_down(turn(bash("touch asked # ASK-ME")), mode=mode) as (terminal, _model):
        terminal.wait_until(lambda screen: WHY in screen and "Yes" in screen)
        assert sandbox.list_created() == set()
        terminal.press_until(answer, lambda screen: "Yes" not in screen and ("done" in screen or answer == "Escape"))
    assert sandbox.list_created() == ({"asked"} if answer == "Enter" else set())


def test_a_question_that_would_be_dropped_is_a_denial_for_a_person_too(sandbox: Sandbox) -> None:
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"))
    with sandbox.sit_down(turn(bash("touch asked .npmrc # ASK-ME")), mode="bypassPermissions") as (terminal, _model):
        terminal.wait_until(lambda screen: "in its default mode" in screen or "done" in screen)
    assert sandbox.list_created() == set()
