"""Tests whose answer counts in a conversation: real processes, a real terminal, keys that are pressed or not."""

import json
import os
import pty
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CLIENT = Path(__file__).parent / "stand_in_client.py"
CODE = re.compile(r"approve (tgc-\w{4}-\w{4})")
FAR = "touch ~/elsewhere/x"
LONG_AGO = 600

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="told by /proc")


@dataclass
class Client:
    """A client at a terminal of its own."""

    root: Path
    number: int
    keyboard: int
    orders: Any
    answers: Any

    def hook(
        self, event: str, *, session: str = "s-1", between: bool = False, environ: dict[str, str] | None = None, **payload: object
    ) -> dict[str, Any]:
        whole = {
            "session_id": session,
            "cwd": str(self.root / "home" / "project"),
            "hook_event_name": event,
            "permission_mode": "default",
            **payload,
        }
        order = {"event": event, "payload": whole, "environ": {**ATTENDED, **(environ or {})}, "between": between}
        self.orders.write(json.dumps(order) + "\n")
        self.orders.flush()
        answer = json.loads(self.answers.readline())
        reply: dict[str, Any] = json.loads(answer["out"]) if answer["out"] else {}
        return reply

    def bash(self, command: str = FAR, **more: Any) -> tuple[bool, str]:
        """Returns whether the call runs, and what the user is told."""
        answer = self.hook("PreToolUse", tool_name="Bash", tool_input={"command": command}, **more)
        return "hookSpecificOutput" not in answer, answer.get("systemMessage", "")

    def submit_prompt(self, words: str, **more: Any) -> dict[str, Any]:
        """Types the words, and passes them to the hook as a prompt."""
        os.write(self.keyboard, f"{words}\r".encode())
        time.sleep(0.3)
        return self.hook("UserPromptSubmit", prompt=words, **more)

    def make_idle(self) -> None:
        """Makes the terminal look as if nobody had pressed a key for minutes."""
        device = os.readlink(f"/proc/{self.number}/fd/0")
        os.utime(device, (time.time() - LONG_AGO, time.time()))


ATTENDED = {"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ATTENDED": "1"}
StartClient = Callable[..., Client]


@pytest.fixture
def start_client(tmp_path: Path) -> Iterator[StartClient]:
    """Starts a client. `started_with`: variables that it is started with."""
    project = tmp_path / "home" / "project"
    (project / ".git").mkdir(parents=True)
    policy = tmp_path / "home" / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text('ask_through = "code"\n')
    clients: list[Client] = []

    def start(**started_with: str) -> Client:
        n = len(clients)
        orders, answers = tmp_path / f"orders-{n}", tmp_path / f"answers-{n}"
        os.mkfifo(orders)
        os.mkfifo(answers)
        environ = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "CLAUDE_PROJECT_DIR": str(project), **started_with}
        number, keyboard = pty.fork()
        if number == 0:
            os.execve(sys.executable, [sys.executable, str(CLIENT), str(orders), str(answers)], environ)
        clients.append(Client(tmp_path, number, keyboard, orders.open("w"), answers.open()))
        return clients[-1]

    yield start
    for client in clients:
        client.orders.close()
        os.kill(client.number, signal.SIGKILL)
        os.waitpid(client.number, 0)
        client.answers.close()
        os.close(client.keyboard)


def code(message: str) -> str:
    found = CODE.search(message)
    assert found, message
    return found[1]


def test_the_persons_word_counts_once(start_client: StartClient) -> None:
    client = start_client()
    runs, reply = client.bash()
    assert not runs
    answer = client.submit_prompt(f"approve {code(reply)}")
    assert "approved, once" in answer["systemMessage"]
    assert "make exactly the same call again" in answer["hookSpecificOutput"]["additionalContext"]
    assert client.bash()[0]
    assert not client.bash()[0]


def test_until_the_session_ends(start_client: StartClient) -> None:
    client = start_client()
    client.submit_prompt(f"Approve {code(client.bash()[1]).upper()} session.")
    assert client.bash()[0]
    assert client.bash()[0]
    client.hook("SessionEnd", reason="other")
    assert not client.bash()[0]


def test_no(start_client: StartClient) -> None:
    client = start_client()
    answer = client.submit_prompt(f"deny {code(client.bash()[1])}")
    assert "denied" in answer["systemMessage"]
    assert client.bash() == (False, client.bash()[1])


def is_blocked(response: dict[str, Any], why: str) -> bool:
    """Returns whether the prompt goes no further, so that a code that is still valid is not shown to the model."""
    return response.get("decision") == "block" and why in response["reason"]


def test_words_without_a_key_pressed_are_not_the_persons(start_client: StartClient) -> None:
    client = start_client()
    good = code(client.bash()[1])
    client.make_idle()
    assert is_blocked(client.hook("UserPromptSubmit", prompt=f"approve {good}"), "nobody pressed a key")
    assert not client.bash()[0]


def test_a_hook_that_somebody_else_started_is_not_the_clients(start_client: StartClient) -> None:
    client = start_client()
    good = code(client.bash()[1])
    assert is_blocked(client.submit_prompt(f"approve {good}", between=True), "does not come from the client by itself")
    assert not client.bash()[0]


@pytest.mark.parametrize(
    "variables",
    [{"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, {"CLAUDE_CODE_SESSION_ATTENDED": "0"}, {"CLAUDE_CODE_ENTRYPOINT": "sdk-py"}],
)
def test_where_nobody_sits_nobody_approves(start_client: StartClient, variables: dict[str, str]) -> None:
    client = start_client()
    good = code(client.bash()[1])
    assert is_blocked(client.submit_prompt(f"approve {good}", environ=variables), "nobody sits")
    assert not client.bash()[0]


def test_a_client_beneath_an_agent_has_no_person(start_client: StartClient) -> None:
    client = start_client(CLAUDECODE="1")
    answer = client.bash()[1]
    assert "type:  approve" not in answer
    assert is_blocked(client.submit_prompt("approve tgc-aaaa-aaaa"), "runs beneath an agent")


def test_another_client_of_the_same_session_is_not_the_one_that_asked(start_client: StartClient) -> None:
    """Resumed, or started beside it: another process showed the code."""
    first, second = start_client(), start_client()
    good = code(first.bash()[1])
    assert is_blocked(second.submit_prompt(f"approve {good}"), "another client showed this code")
    assert not first.bash()[0]


def test_another_sessions_code_is_no_code(start_client: StartClient) -> None:
    client = start_client()
    good = code(client.bash()[1])
    assert is_blocked(client.submit_prompt(f"approve {good}", session="s-2"), "nothing waits")
    assert not client.bash()[0]


def test_guessing_ends_what_there_is_to_guess(start_client: StartClient) -> None:
    client = start_client()
    good = code(client.bash()[1])
    for guess in ("tgc-aaaa-aaaa", "tgc-bbbb-bbbb", "tgc-cccc-cccc"):
        client.submit_prompt(f"approve {guess}")
    assert is_blocked(client.submit_prompt(f"approve {good}"), "withdrawn")
    assert not client.bash()[0]


@pytest.mark.parametrize(
    "words", ["go on", "<task-notification>\n{}\n</task-notification>", "the tool printed: {}", "please {}", "{}\n{}"]
)
def test_other_prompts_are_none_of_its_business(start_client: StartClient, words: str) -> None:
    client = start_client()
    sentence = f"approve {code(client.bash()[1])}"
    assert client.submit_prompt(words.replace("{}", sentence)) == {}
    assert not client.bash()[0]


def test_under_a_policy_without_a_person_nothing_is_approved(start_client: StartClient) -> None:
    client = start_client()
    good = code(client.bash()[1])
    (client.root / "home" / ".config" / "toolgate" / "policy.toml").write_text('ask_through = "code"\nhuman = false\n')
    assert is_blocked(client.submit_prompt(f"approve {good}"), "human = false")
    assert not client.bash()[0]


def test_a_store_that_fails_approves_nothing(start_client: StartClient) -> None:
    client = start_client()
    good = code(client.bash()[1])
    state = client.root / "home" / ".local" / "state" / "toolgate"
    state.rename(state.with_name("away"))
    state.write_text("")
    assert is_blocked(client.submit_prompt(f"approve {good}"), "nothing was approved")
