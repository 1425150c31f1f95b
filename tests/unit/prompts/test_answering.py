"""Tests a session in Claude Code whose policy lets the gate answer: what the host is told, and when it asks itself."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from unit.sessions.simulated_client import SimulatedClient, client_in

READ_ONLY = 'answer_prompts = "read-only"\n'
COMMAND = "cd src && head -n 3 m.py | wc -l"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[SimulatedClient]:
    """A client with a process that stands for it, of which only the command line matters."""
    client = client_in(tmp_path, READ_ONLY)
    (client.project / "src").mkdir()
    (client.project / "src" / "m.py").write_text("x = 1\n")
    with subprocess.Popen(["claude"], executable="/bin/cat", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        client.environ["CLAUDE_PID"] = str(process.pid)
        yield client
        assert process.stdin is not None
        process.stdin.close()


def answer_prompt(
    client: SimulatedClient, command: str = COMMAND, tool: str = "Bash", event: str = "PreToolUse", **more: object
) -> str:
    """Returns the host's word for the answer; `silence` if there is none."""
    tool_input = {"command": command} if tool == "Bash" else {"file_path": command}
    answer = client.hook(event, tool_name=tool, tool_use_id="t", **{"tool_input": tool_input, **more})
    return str(json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"]) if answer.stdout else "silence"


def test_a_call_that_is_proven_is_answered(client: SimulatedClient) -> None:
    assert answer_prompt(client) == "allow"
    assert answer_prompt(client, str(client.project / "src" / "m.py"), "Read") == "allow"
    assert answer_prompt(client, "touch x") == "silence"


def test_a_reason_is_given_and_names_no_secret(client: SimulatedClient) -> None:
    answer = client.hook("PreToolUse", tool_name="Bash", tool_input={"command": "echo hunter2"}, tool_use_id="t")
    reason = json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecisionReason"]
    assert reason.startswith("toolgate: every effect is certain")
    assert "hunter2" not in reason


@pytest.mark.parametrize("policy", ["", 'answer_prompts = "off"\n', READ_ONLY + "wrap_commands = true\n"])
def test_nothing_is_answered_where_the_policy_does_not_say_so(client: SimulatedClient, policy: str) -> None:
    client.policy(policy)
    assert '"allow"' not in client.hook("PreToolUse", tool_name="Bash", tool_input={"command": COMMAND}, tool_use_id="t").stdout


def test_a_project_cannot_set_it(client: SimulatedClient) -> None:
    client.policy("")
    (client.project / ".toolgate").mkdir()
    (client.project / ".toolgate" / "policy.toml").write_text(READ_ONLY)
    assert answer_prompt(client) != "allow"


@pytest.mark.parametrize("mode", ["plan", "auto", "bypassPermissions", "dontAsk", "a new mode", None])
def test_only_the_modes_that_ask_are_answered(client: SimulatedClient, mode: str | None) -> None:
    assert answer_prompt(client, permission_mode=mode) == "silence"
    assert answer_prompt(client, permission_mode="acceptEdits") == "allow"


def test_a_sub_agent_is_left_to_the_host(client: SimulatedClient) -> None:
    client.agent = "a-1"
    assert answer_prompt(client) == "silence"


@pytest.mark.parametrize("flag", ["run_in_background", "dangerouslyDisableSandbox", "a_new_flag"])
def test_a_call_with_any_other_input_is_left_to_the_host(client: SimulatedClient, flag: str) -> None:
    assert answer_prompt(client, tool_input={"command": COMMAND, flag: True}) == "silence"
    assert answer_prompt(client, tool_input={"command": COMMAND, "description": "look", "timeout": 5}) == "allow"


def test_the_hosts_own_question_after_all_is_left_to_its_user(client: SimulatedClient) -> None:
    assert answer_prompt(client, event="PermissionRequest") == "silence"


def test_the_client_has_to_be_known(client: SimulatedClient) -> None:
    client.environ["CLAUDE_PID"] = "1"
    assert answer_prompt(client) == "silence"


@pytest.mark.parametrize(
    "file", [".claude/settings.json", "project/.claude/settings.json", "project/.claude/settings.local.json"]
)
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"permissions": {"deny": ["Bash(head *)"]}}', "silence"),
        ('{"permissions": {"ask": ["Read(./src/**)"]}}', "silence"),
        ('{"permissions": {"deny": "Bash"}}', "silence"),
        ('{"permissions": {"deny": ["Bash("]}}', "silence"),
        ("{", "silence"),
        ('{"permissions": {"deny": ["Bash(rm *)", "Read(.env)"], "allow": ["Bash(head *)"]}}', "allow"),
    ],
)
def test_the_persons_own_rules_come_first(client: SimulatedClient, file: str, text: str, answer: str) -> None:
    path = client.home / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert answer_prompt(client) == answer


def test_a_shell_whose_start_up_file_was_not_read_is_left_to_the_host(client: SimulatedClient) -> None:
    (client.home / ".bashrc").write_text("alias head=rm\n")
    assert answer_prompt(client) == "silence"


def test_scripts_that_the_client_runs_before_each_command_leave_it_to_the_host(client: SimulatedClient) -> None:
    folder = client.home / ".claude" / "session-env" / client.session
    folder.mkdir(parents=True)
    assert answer_prompt(client) == "allow"
    (folder / "hook-0.sh").write_text("alias head=rm\n")
    assert answer_prompt(client) == "silence"


def test_settings_that_a_variable_names_leave_it_to_the_host(client: SimulatedClient) -> None:
    client.environ["CLAUDE_CODE_MANAGED_SETTINGS_PATH"] = "/x"
    assert answer_prompt(client) == "silence"


SNAPSHOT = """# Snapshot file
unalias -a 2>/dev/null || true
shopt -u autocd
# Functions
eval $'foo () \\n{{ \\n    echo hi\\n}}' > /dev/null 2>&1
# Shell Options
set -o braceexpand
# Aliases
alias -- ll='ls -l'
{more}# Check for rg availability
if ! hash rg 2>/dev/null; then
  function rg {{ command rg; }}
fi
export PATH={path}
"""


@pytest.mark.parametrize(
    ("more", "path", "answer"),
    [
        ("", "/usr/bin:/bin", "allow"),
        ("", "'/usr/bin:/bin'", "allow"),
        ("alias -- head='rm'\n", "/usr/bin:/bin", "silence"),
        ("eval $'wc () \\n{ \\n rm x\\n}' > /dev/null 2>&1\n", "/usr/bin", "silence"),
        ('eval "$(echo cm0K | base64 -d)" > /dev/null 2>&1\n', "/usr/bin:/bin", "silence"),
        ("source ~/more\n", "/usr/bin:/bin", "silence"),
        ("", ".:/usr/bin:/bin", "silence"),
    ],
)
def test_what_the_client_runs_before_a_command_is_read(client: SimulatedClient, more: str, path: str, answer: str) -> None:
    folder = client.home / ".claude" / "shell-snapshots"
    folder.mkdir(parents=True)
    (folder / "snapshot-bash-1-x.sh").write_text(SNAPSHOT.format(more=more, path=path))
    (client.home / ".bashrc").write_text("alias ll='ls -l'\n")  # the client has read it into the snapshot
    assert answer_prompt(client) == answer
