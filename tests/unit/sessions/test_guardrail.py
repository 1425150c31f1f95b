"""Tests the guardrail design's whole flow: blocked with instructions, the user confirms, the retry passes, and it is logged."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from toolgate.hosts.claude_code import legacy
from toolgate.install import Plan, add_layout, apply_plan, plan_install, remove_layouts
from toolgate.model.decision import NO_OBJECTION, Decision, Verdict
from toolgate.model.request import SILENCE
from unit.sessions.simulated_client import NOW, SimulatedClient, client_in

OLD = "rm -rf ~/Downloads/old-project"
PROFILE = 'profile = "guardrail-confirm"\n'


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    client = client_in(tmp_path, PROFILE)
    (client.home / "Downloads" / "old-project").mkdir(parents=True)
    return client


def log(client: SimulatedClient) -> list[dict[str, str]]:
    path = client.home / ".claude" / "logs" / "guardrail.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def view(client: SimulatedClient) -> list[dict[str, str]]:
    path = client.home / ".claude" / "state" / "guardrail-session.json"
    found: list[dict[str, str]] = json.loads(path.read_text())["confirmed"] if path.exists() else []
    return found


def test_the_message_has_the_designs_shape(client: SimulatedClient) -> None:
    lines = client.bash(OLD).removeprefix("deny: ").splitlines()
    assert lines[0].startswith("GUARDRAIL BLOCKED: ")
    assert lines[1] == f"Target: {client.home}/Downloads/old-project"
    assert lines[2] == "Rule: rm_outside_safe"
    assert lines[3] == ""
    assert lines[4].startswith("To proceed, ")


def test_the_whole_flow_and_its_log(client: SimulatedClient) -> None:
    client.bash(OLD)
    client.answer(reach="session")
    assert client.bash(OLD) == "runs"
    client.bash("rm -rf /")
    client.bash("ls")
    entries = log(client)
    assert [(each["action"], each["rule"], each["path_context"]) for each in entries] == [
        ("confirm_required", "rm_outside_safe", "outside"),
        ("confirmed_allow", "session_allowlist", "outside"),
        ("block", "rm_rf_root", "n/a"),
    ]
    assert {tuple(each) for each in entries} == {("ts", "tool", "operation", "action", "rule", "path_context")}
    assert (entries[0]["tool"], entries[0]["operation"], entries[0]["ts"]) == ("Bash", OLD, "2027-01-15T08:00:00Z")


def test_a_block_cannot_be_confirmed(client: SimulatedClient) -> None:
    assert "cannot be confirmed" in client.bash("rm -rf /")
    assert client.list_pending() == []
    assert [(each["action"], each["rule"], each["path_context"]) for each in log(client)] == [("block", "rm_rf_root", "n/a")]


def test_a_file_in_a_blocked_place(client: SimulatedClient) -> None:
    answer = client.hook("PreToolUse", tool_name="Write", tool_input={"file_path": "/etc/hosts", "content": "x"}, tool_use_id="t")
    assert "GUARDRAIL BLOCKED" in answer.stderr
    assert [(each["tool"], each["operation"], each["action"], each["path_context"]) for each in log(client)] == [
        ("Write", "/etc/hosts", "block", "blocked")
    ]


def test_the_session_file_is_a_view_and_no_authority(client: SimulatedClient) -> None:
    path = client.home / ".claude" / "state" / "guardrail-session.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"confirmed": [{"tool": "Bash", "operation": OLD, "ts": "2025-01-06T10:24:00"}]}))
    assert client.bash(OLD).startswith("deny")  # what somebody wrote there counts for nothing
    assert view(client) == []
    path.write_text("{broken")
    client.answer(reach="session")
    assert client.bash(OLD) == "runs"
    assert [(each["tool"], each["operation"], each["session"]) for each in view(client)] == [("Bash", OLD, "s-1")]


def test_the_view_loses_the_session_that_ends_and_keeps_the_others(client: SimulatedClient) -> None:
    for session in ("s-1", "s-2"):
        client.session = session
        client.bash(OLD)
        client.answer(reach="session")
        assert client.bash(OLD) == "runs"
    client.now, client.session = NOW + 1, "s-1"
    client.hook("SessionEnd", reason="other")
    assert [each["session"] for each in view(client)] == ["s-2"]


def test_no_secret_is_kept(client: SimulatedClient) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    client.bash(f"rm -rf ~/Downloads/{token}")
    assert token not in json.dumps(log(client))
    assert token not in (client.state / "state.db").read_bytes().decode(errors="replace")


# ---- the agent's own confirmation


def confirm(client: SimulatedClient, operation: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-I", "-m", "toolgate", "confirm", operation]
    environ = {"HOME": str(client.home), "PATH": "/usr/bin:/bin", "CLAUDECODE": "1"}
    return subprocess.run(words, cwd=client.project, env=environ, capture_output=True, text=True, check=False)


def test_the_agent_does_not_confirm(client: SimulatedClient) -> None:
    client.bash(OLD)
    result = confirm(client, OLD)
    assert result.returncode != 0
    assert "the user confirms, not the agent" in result.stderr
    assert client.bash(OLD).startswith("deny")


def test_unless_the_policy_takes_its_word(client: SimulatedClient) -> None:
    client.policy(PROFILE + "agent_may_confirm = true\n")
    client.now = time.time()
    assert "toolgate confirm" in client.bash(OLD)
    assert client.bash(f"toolgate confirm '{OLD}'") == "runs"
    assert confirm(client, OLD + " ").returncode != 0
    assert confirm(client, OLD).returncode == 0
    client.now = time.time()
    assert client.bash(OLD) == "runs"
    assert "agent_may_confirm" in client.hook("SessionStart", source="startup").stdout


# ---- the old form of answers


def test_the_old_form(client: SimulatedClient) -> None:
    client.policy(PROFILE + 'answers = "legacy"\n')
    answer = client.hook("PreToolUse", tool_name="Bash", tool_input={"command": "rm -rf /"}, tool_use_id="t")
    reply = json.loads(answer.stdout)
    assert (set(reply), reply["decision"], answer.exit_code) == ({"decision", "reason"}, "block", 2)
    passed = client.hook("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t")
    assert passed == SILENCE


def test_the_codec_word_for_word() -> None:
    """`allow` is for comparing only: a live client ignores it."""
    assert legacy.encode_decision(NO_OBJECTION) == '{"decision": "allow"}'
    reason = "GUARDRAIL BLOCKED: 'rm' outside safe paths.\nTarget: ~/Downloads/old-project\nRule: rm_outside_safe\n\nTo ..."
    blocked = Decision(Verdict.ASK, Verdict.DENY, tell_agent=reason)
    assert json.loads(legacy.encode_decision(blocked)) == {"decision": "block", "reason": reason}
    assert legacy.answer(NO_OBJECTION) == SILENCE


# ---- what is laid down


def test_the_layout(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".claude" / "state").mkdir(parents=True)
    edited = home / ".claude" / "state" / "guardrails.json"
    edited.write_text("mine")
    plan = add_layout(plan_install("claude-code", "user", str(home), str(home), {}), "guardrail", str(home), {})
    apply_plan(plan, str(tmp_path / "kept"))
    laid = sorted(path.relative_to(home / ".claude").as_posix() for path in (home / ".claude").rglob("*") if path.is_file())
    assert laid == [
        "hooks/scripts/guardrail-confirm.py",
        "hooks/scripts/guardrail.py",
        "logs/guardrail.jsonl",
        "settings.json",
        "state/guardrails.json",
    ]
    assert edited.read_text() == "mine"
    assert any("stays as it is" in note for note in plan.notes)
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}}
    scripts = [home / ".claude/hooks/scripts" / name for name in ("guardrail.py", "guardrail-confirm.py")]
    assert [script.stat().st_mode & 0o7777 for script in scripts] == [0o755, 0o755]
    result = subprocess.run(
        [str(scripts[0])],
        input=json.dumps({"session_id": "s", "cwd": str(home), "hook_event_name": "PreToolUse", **call}),
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, "deny" in result.stdout) == (2, True), result.stderr
    profile = home / ".config" / "toolgate" / "policy.toml"
    assert profile.read_text().startswith('profile = "guardrail-confirm"')
    again = add_layout(plan_install("claude-code", "user", str(home), str(home), {}), "guardrail", str(home), {})
    assert again.changes == ()


def test_the_layouts_profile_leaves_the_users_own_policy_alone(tmp_path: Path) -> None:
    policy = tmp_path / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text("human = false\n")
    planned = Plan("claude-code", ())
    added = add_layout(planned, "guardrail", str(tmp_path), {})
    apply_plan(added, str(tmp_path / "kept"))
    assert policy.read_text().splitlines()[1:] == ["human = false"]
    gone = remove_layouts(planned, str(tmp_path), {})
    assert {Path(change.path).name for change in gone.changes} == {
        *("guardrail.py", "guardrail-confirm.py", "guardrails.json", "guardrail.jsonl", "policy.toml")
    }
    apply_plan(gone, str(tmp_path / "kept"))
    assert policy.read_text() == "human = false\n"
    policy.write_text('profile = "paranoid"\n')
    assert any(
        'names the profile "paranoid", which stays' in note for note in add_layout(planned, "guardrail", str(tmp_path), {}).notes
    )
    policy.write_text("{broken")
    assert any("is no TOML" in note for note in add_layout(planned, "guardrail", str(tmp_path), {}).notes)


@pytest.mark.parametrize(
    ("command", "rule", "path_context"),
    [
        ("rm -rf /", "rm_rf_root", "n/a"),
        ("rm -rf ~", "rm_rf_home", "outside"),
        ("rm /etc/hosts", "rm_blocked_path", "blocked"),
        ("mkfs.ext4 /dev/sdb1", "mkfs", "n/a"),
        ("helm uninstall x", "helm_uninstall", "n/a"),
        ("kubectl delete pod x", "kubectl_delete", "n/a"),
        ("dd if=x of=/dev/sdb", "dd_of_dev", "outside"),
    ],
)
def test_each_rule_has_its_own_id_in_the_log(client: SimulatedClient, command: str, rule: str, path_context: str) -> None:
    client.bash(command)
    assert [(each["rule"], each["path_context"]) for each in log(client)] == [(rule, path_context)]
