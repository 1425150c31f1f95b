"""The counters of a session (questions, and denials that the user is told of) work for every host, called as its client calls the
hook.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import toolgate.hosts as hosts
from toolgate.app import App
from toolgate.hosts.capabilities import load_capabilities
from toolgate.model.request import Answer, Request

FOLDER = Path(hosts.__file__).parent
BRIEF_NOTE = "(brief response \u2014 proceed with best judgment if ambiguous)"
QUESTION = {"question": "Which?"}
QUESTIONS = {"questions": [QUESTION]}
TOOLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "claude-code": ("PreToolUse.Bash", "AskUserQuestion", QUESTIONS),
    "copilot": ("preToolUse.bash", "ask_user", QUESTION),
    "opencode": ("tool.execute.before.bash", "question", QUESTIONS),
    "codex": ("PreToolUse.Bash", "request_user_input", QUESTIONS),
    "gemini": ("BeforeTool.glob", "ask_user", QUESTIONS),
    "qwen": ("PreToolUse.glob", "ask_user_question", QUESTIONS),
    "kimi": ("PreToolUse.Bash", "AskUserQuestion", QUESTIONS),
    "cline": ("beforeTool.run_commands", "ask_question", QUESTION),
}
"""Host -> a captured payload, the tool that takes its place, and the tool's input."""
KEYS = (("tool_name", "tool_input"), ("toolName", "toolArgs"), ("tool", "args"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "policy.toml").write_text("max_questions = 1\nshortest_answer = 10\n")
    return tmp_path


def call(host: str, event: str, payload: dict[str, Any], home: Path) -> Answer:
    environ = {"HOME": str(home), "TOOLGATE_HOME": str(home / "gate"), "PATH": "/usr/bin:/bin"}
    return App().handle(Request(host, event, json.dumps(payload).encode(), environ, str(home), 1000, 1.8e9))


def load_payload(host: str, captured: str, tool: str, tool_input: dict[str, Any]) -> dict[str, Any]:
    (path,) = (FOLDER / hosts.HOSTS[host] / "payloads").glob(f"{captured}.json")
    payload: dict[str, Any] = json.loads(path.read_text())
    name, arguments = next(keys for keys in KEYS if keys[0] in payload)
    return {**payload, name: tool, arguments: tool_input}


@pytest.mark.parametrize("host", TOOLS)
def test_a_question_beyond_the_budget_is_denied(host: str, home: Path) -> None:
    captured, tool, tool_input = TOOLS[host]
    event = captured.rpartition(".")[0]
    answers = [call(host, event, load_payload(host, captured, tool, tool_input), home) for _ in range(2)]
    outputs = [each.stdout + each.stderr for each in answers]
    assert ["question limit reached. (1/1" in each for each in outputs] == [False, True], outputs


SHELLS: dict[str, tuple[str, str]] = {
    "claude-code": ("PreToolUse.Bash", "Bash"),
    "copilot": ("preToolUse.bash", "bash"),
    "opencode": ("tool.execute.before.bash", "bash"),
    "codex": ("PreToolUse.Bash", "Bash"),
    "gemini": ("BeforeTool.run_shell_command", "run_shell_command"),
    "qwen": ("PreToolUse.run_shell_command", "run_shell_command"),
    "kimi": ("PreToolUse.Bash", "Bash"),
    "cline": ("beforeTool.run_commands", "run_commands"),
}
"""Host -> a captured payload of its shell, and the shell's name."""


@pytest.mark.parametrize("host", SHELLS)
def test_the_user_hears_of_the_third_denial_by_the_host_or_by_the_agent(host: str, home: Path) -> None:
    captured, tool = SHELLS[host]
    payload = load_payload(host, captured, tool, {"command": "rm -rf ~", "commands": ["rm -rf ~"]})
    answers = [call(host, captured.rpartition(".")[0], payload, home) for _ in range(3)]
    outputs = [each.stdout + each.stderr for each in answers]
    assert ["Routing to an alternative." in each for each in outputs] == [False, False, True], outputs
    assert ("Tell the user: " in outputs[2]) is not load_capabilities(host).shows_notice_of_denial


@pytest.mark.parametrize(
    ("text", "brief"),
    [
        ("User responded: left", True),
        ("User responded: to the left", False),
        ("User selected: a", True),
        ("The user is away.", False),
    ],
)
def test_a_short_answer_goes_on_with_a_note_in_copilots_hook_files(text: str, brief: bool, home: Path) -> None:
    """Uses the result as version 1.0.102 gives it to a command hook."""
    payload = {
        "sessionId": "s",
        "timestamp": 1795529370399,
        "cwd": str(home),
        "toolName": "ask_user",
        "toolArgs": QUESTION,
        "toolResult": {"resultType": "success", "textResultForLlm": text},
    }
    answer = call("copilot", "postToolUse", payload, home)
    reply = json.loads(answer.stdout)["additionalContext"] if answer.stdout else ""
    assert reply == (BRIEF_NOTE if brief else "")
