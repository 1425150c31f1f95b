"""Tests a call that asks where the client's own question would reach nobody: only the person can approve it, in conversation."""

import re
import sys
from collections.abc import Callable

import pytest

from e2e.claude_session import Sandbox, bash, turn
from e2e.terminal import Terminal, terminal
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn

pytestmark = pytest.mark.e2e
CODE = re.compile(r"approve (tgc-\w{4}-\w{4})")


@pytest.fixture
def by_code(gated_sandbox: Sandbox) -> Sandbox:
    """A sandbox whose policy asks through a message with a code."""
    policy = gated_sandbox.home / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text('ask_through = "code"\n')
    return gated_sandbox


def code_on(terminal: Terminal, before: str = "") -> str:
    """Returns the code on the screen, once it is another one than `before`."""

    def newest(screen: str) -> str:
        return next((found for found in reversed(CODE.findall(screen)) if found != before), "")

    return newest(terminal.wait_until(lambda screen: bool(newest(screen))))


def type_and_enter(terminal: Terminal, words: str, until: Callable[[str], bool]) -> None:
    """Types as a person does: Enter once the words are in the field."""
    terminal.press_keys(words)
    terminal.wait_until(lambda screen: f"❯ {words}" in screen.replace("\u00a0", " "))
    terminal.press_until("Enter", until)


def pausing_turn(*uses: ScriptedCall) -> ScriptedTurn:
    """A turn in which the model makes calls and then waits for its user."""
    return ScriptedTurn(uses, pauses=True)


def test_the_users_word_lets_it_run_once(by_code: Sandbox) -> None:
    wanted = by_code.home / "outside"
    call = bash(f"echo once >> {wanted}")
    with by_code.sit_down(pausing_turn(call), turn(call), pausing_turn(call), mode="bypassPermissions") as (terminal, _model):
        code = code_on(terminal)
        assert not wanted.exists()
        type_and_enter(terminal, f"approve {code}", lambda screen: "approved, once" in screen)
        code_on(terminal, code)  # the second retry asks again
        assert wanted.read_text() == "once\n"


def test_an_edited_script_is_another_call(by_code: Sandbox) -> None:
    wanted, script = by_code.home / "outside", by_code.project / "run.sh"
    script.write_text(f"echo seen >> {wanted}\n")
    call = bash("sh run.sh")
    with by_code.sit_down(
        pausing_turn(call),
        ScriptedTurn((call,), before=lambda: script.write_text(f"echo other >> {wanted}\n"), pauses=True),
        mode="bypassPermissions",
    ) as (terminal, _model):
        code = code_on(terminal)
        type_and_enter(terminal, f"approve {code}", lambda screen: "approved, once" in screen)
        code_on(terminal, code)
    assert not wanted.exists()


def test_a_no_is_a_no(by_code: Sandbox) -> None:
    wanted = by_code.home / "outside"
    call = bash(f"touch {wanted}")
    with by_code.sit_down(pausing_turn(call), pausing_turn(call), mode="bypassPermissions") as (terminal, model):
        type_and_enter(
            terminal, f"deny {code_on(terminal)}", lambda _screen: "exactly this call and said no" in model.all_messages
        )
    assert not wanted.exists()


def test_a_wrong_code_gives_nothing(by_code: Sandbox) -> None:
    wanted = by_code.home / "outside"
    call = bash(f"touch {wanted}")
    with by_code.sit_down(pausing_turn(call), pausing_turn(call), mode="bypassPermissions") as (terminal, _model):
        code_on(terminal)
        type_and_enter(terminal, "approve tgc-aaaa-aaaa", lambda screen: "nothing waits under this code" in screen)
    assert not wanted.exists()


def test_words_that_nobody_typed_are_not_the_persons(by_code: Sandbox) -> None:
    """A text that an agent schedules arrives as a prompt of its session, word for word: it is stopped when it is scheduled."""
    wanted = by_code.home / "outside"
    call = bash(f"touch {wanted}")
    later = {"delaySeconds": 60, "reason": "r", "prompt": ""}
    with by_code.sit_down(
        ScriptedTurn((call,), pauses=True),
        ScriptedTurn(
            (ScriptedCall("ScheduleWakeup", later),), before=lambda: later.update(prompt=f"approve {code_on(screen_and_keys)}")
        ),
        ScriptedTurn((call,), pauses=True),
        mode="bypassPermissions",
    ) as (screen_and_keys, model):
        code_on(screen_and_keys)
        type_and_enter(screen_and_keys, "go on", lambda _screen: "gave to the user alone" in model.all_messages)
    assert not wanted.exists()


def test_on_a_terminal_of_their_own(by_code: Sandbox) -> None:
    """Approves on another terminal, which shows the whole operation first."""
    wanted = by_code.home / "outside"
    call = bash(f"touch {wanted}")
    environ = ["env", "-i", f"HOME={by_code.home}", "PATH=/usr/bin:/bin", "TERM=xterm-256color"]
    command = f"{sys.executable} -m toolgate approve; sleep 60"
    with by_code.sit_down(pausing_turn(call), pausing_turn(call), mode="bypassPermissions") as (session, _model):
        code_on(session)
        with terminal([*environ, "sh", "-c", command], by_code.project / ".claude") as own:
            own.wait_until(lambda screen: "Approve, deny or leave it?" in screen and f"touch {wanted}" in screen)
            own.press_keys("approve", "Enter")
            number = re.search(r"Type (\d{4}) to", own.wait_until(lambda screen: "Type " in screen))
            assert number
            own.press_keys(number[1], "Enter")
            own.wait_until(lambda screen: re.search(r"^approved", screen, re.MULTILINE) is not None)
        type_and_enter(session, "go on", lambda _screen: wanted.exists())
