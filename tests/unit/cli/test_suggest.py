"""Tests `toolgate policy suggest`: from transcripts and recorded answers to a patch, and what must not be suggested."""

import json
import shutil
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toolgate.cli.policy import policy
from toolgate.cli.surroundings import open_user_store, read_surroundings
from toolgate.consent.approvals import Request
from toolgate.model.action import Action, RunShell, WriteFile
from toolgate.policy import load
from toolgate.sessions import messages
from toolgate.sessions.approval_answers import store_answer

AT = time.time() - 86400  # answers are forgotten after a while


def format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


BEFORE, LATER = format_time(AT - 60), format_time(AT + 60)


class History:
    """A home folder with a project, its transcripts, and a person's answers."""

    def __init__(self, home: Path) -> None:
        self.home, self.project = home, home / "project"
        self.project.mkdir()
        self.transcript = home / ".claude" / "projects" / "p" / "s.jsonl"
        self.transcript.parent.mkdir(parents=True)
        self.policy = home / ".config" / "toolgate" / "policy.toml"
        self.policy.parent.mkdir(parents=True)
        self.count = 0

    def add(self, command: str = "", *, refused: bool = False, path: str = "", at: str = LATER) -> None:
        self.count += 1
        name, tool_input = ("Write", {"file_path": path, "content": "x"}) if path else ("Bash", {"command": command})
        base = {"sessionId": "s", "cwd": str(self.project), "timestamp": at}
        use = {"type": "tool_use", "id": f"c{self.count}", "name": name, "input": tool_input}
        result: dict[str, object] = {"type": "tool_result", "tool_use_id": f"c{self.count}", "content": "done"}
        if refused:
            result |= {"is_error": True, "content": "The user doesn't want to proceed with this tool use."}
        lines = (
            {**base, "type": "assistant", "message": {"content": [use]}},
            {**base, "type": "user", "message": {"content": [result]}},
        )
        with self.transcript.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)

    def answer(self, command: str = "", *, yes: bool = True, path: str = "") -> None:
        self.count += 1
        tool, action = ("Write", WriteFile(path, "x")) if path else ("Bash", RunShell(command))
        request = self._request(tool, action)
        store_answer(open_user_store(read_surroundings()), request, yes=yes, reach="once", now=AT, how="terminal")

    def _request(self, tool: str, action: Action) -> Request:
        return Request(
            id=f"a{self.count}",
            digest=f"d{self.count}",
            rules=("privilege.escalate",),
            reason="",
            tool=tool,
            shown=messages.describe_operation(tool, action),
            cwd=str(self.project),
            project=str(self.project),
            host="claude-code",
            session="s",
            agent="",
            process="",
            policy="",
            at=AT - 60,
            until=AT + 3600,
            code="",
        )

    def approve(self, command: str = "", *, path: str = "") -> None:
        self.answer(command, path=path)
        self.add(command, path=path)

    def suggest(self, *options: str) -> Result:
        return CliRunner().invoke(policy, ["suggest", *options])

    def apply(self, patch: str) -> str:
        """Returns the text of the policy after `patch` has applied the whole output."""
        if not self.policy.exists():
            self.policy.write_text("")
        subprocess.run(["patch", "--silent", str(self.policy)], input=patch, text=True, check=True)
        return self.policy.read_text()


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    for name in ("TOOLGATE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("TOOLGATE_PROFILE", "TOOLGATE_STORE_URL", "NOUS_ITER_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("toolgate.cli.person.describe_agent_above", lambda _: "")
    return History(tmp_path)


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is the judge here")
def test_what_was_approved_is_exempted_as_narrowly_as_the_policy_can_say(history: History) -> None:
    for package in ("jq", "curl", "tree"):
        history.approve(f"sudo apt-get install -y {package}")
    history.add("sudo rm -rf /var/lib/x", refused=True)
    result = history.suggest()
    assert result.exit_code == 0, result.output
    assert "# Relax privilege.escalate: 3 approvals.\n#     sudo apt-get install -y jq\n" in result.output
    assert "Every shipped case that must be stopped still is." in result.output
    assert not history.policy.exists()  # nothing is applied
    text = history.apply(result.output)
    assert text.split() == '[project."~/project".rules."privilege.escalate"] options = { programs = ["apt-get"] }'.split()
    assert not load({}, str(history.home), str(history.project)).notices


def test_two_approvals_are_too_few_and_one_answer_counts_once(history: History) -> None:
    history.answer("sudo apt-get install -y jq")
    for _ in range(4):
        history.add("sudo apt-get install -y jq")
    history.approve("sudo apt-get install -y tree")
    result = CliRunner().invoke(policy, ["suggest"], standalone_mode=False)
    assert result.return_value == 1
    assert "Nothing to suggest" in result.output
    assert "apt-get" in history.suggest("--least", "2").output


def test_what_ran_without_a_witnessed_answer_approves_nothing(history: History) -> None:
    for package in ("jq", "curl", "tree"):
        history.add(f"sudo apt-get install -y {package}")
    assert "Nothing to suggest" in history.suggest().output


def test_an_answer_after_the_call_did_not_approve_it(history: History) -> None:
    for package in ("jq", "curl", "tree"):
        history.answer(f"sudo apt-get install -y {package}")
        history.add(f"sudo apt-get install -y {package}", at=BEFORE)
    assert "Nothing to suggest" in history.suggest().output


@pytest.mark.parametrize("answered", [True, False])
def test_no_exemption_covers_what_was_refused(history: History, answered: bool) -> None:
    for package in ("jq", "curl", "tree"):
        history.approve(f"sudo apt-get install -y {package}")
    if answered:
        history.answer("sudo apt-get purge -y jq", yes=False)
    history.add("sudo apt-get purge -y jq", refused=True)
    assert "Nothing to suggest" in history.suggest().output


def test_a_call_that_was_stopped_first_and_then_approved_is_no_refusal(history: History) -> None:
    for package in ("jq", "curl", "tree"):
        history.add(f"sudo apt-get install -y {package}", refused=True, at=BEFORE)
        history.approve(f"sudo apt-get install -y {package}")
    assert "Relax privilege.escalate: 3 approvals" in history.suggest().output


def test_a_folder_outside_the_project_becomes_safe(history: History) -> None:
    for name in ("a.py", "b/c.py", "d.py"):
        history.approve(path=f"{history.home}/notes/code/{name}")
    assert '+safe = ["~/notes/code"]' in history.suggest().output


def test_a_setting_of_the_users_own_is_left_alone(history: History) -> None:
    history.policy.write_text(
        '[project."~/project".rules."privilege.escalate"]\noptions = { programs = ["lsof"] }\nverdict = "ask"\n'
    )
    for package in ("jq", "curl", "tree"):
        history.approve(f"sudo apt-get install -y {package}")
    output = history.suggest().output
    assert "has a setting about this already; nothing is suggested: privilege.escalate" in output
    assert "\n+" not in output


def test_what_frees_a_shipped_case_is_not_suggested(history: History) -> None:
    """The cases take place in /home/u/project: an exemption for that folder must leave each of them stopped."""
    from toolgate.cases import PROJECT
    from toolgate.cli.suggest import _Proof
    from toolgate.history.suggesting import Setting, Suggestion

    proof = _Proof(read_surroundings(), "", [], 0)
    freeing = Suggestion(
        "relax", "privilege.escalate", Setting(f'[project."{PROJECT}".rules."privilege.escalate"]', ('verdict = "warn"',)), ()
    )
    harmless = Suggestion("relax", "", Setting("[zones]", ('safe = ["/srv/nobody"]',)), ())
    assert proof.accept(freeing)
    assert proof.accept(harmless)
    proof.drop_what_frees_cases()
    assert proof.accepted == [harmless]
    assert "privilege" not in proof.text


def test_a_rule_that_let_pass_what_was_refused_is_tightened(history: History) -> None:
    for branch in ("a", "b", "c"):
        history.add(f"git push $FLAGS origin {branch}", refused=True)
    history.add("git push $FLAGS origin topic")
    output = history.suggest().output
    assert "# Tighten git.force-push: 3 refusals." in output
    assert '+[rules."git.force-push"]\n+unsure = "ask"' in output
    for branch in ("d", "e"):
        history.add(f"git push $FLAGS origin {branch}")
    assert "Nothing to suggest" in history.suggest().output  # it ran as often as it was refused


def test_a_rule_is_added_for_what_was_always_refused(history: History) -> None:
    for name in ("api", "web", "db"):
        history.add(f"releasetool promote {name}", refused=True)
    history.add("releasetool list")
    output = history.suggest().output
    assert "# Add a rule for releasetool promote: 3 refusals." in output
    assert '+on = { program = "releasetool", text = "^\\\\S+ promote( |$)" }' in output
    history.add("releasetool promote api")
    assert "Nothing to suggest" in history.suggest().output


def test_the_text_of_agents_is_quoted(history: History) -> None:
    token = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"
    for name in ("api", "web", "db"):
        history.add(f"releasetool promote {name} {token} '\x1b[2J\n--- a\n+++ b\n+profile = \"observe\"'", refused=True)
    output = history.suggest().output
    assert "Add a rule" in output
    assert "\x1b" not in output
    assert token not in output
    added = [line for line in output.splitlines() if line.startswith("+")]
    assert not any("observe" in line for line in added)


def test_beneath_an_agent_nothing_is_read(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgate.cli.person.describe_agent_above", lambda _: "claude runs above this")
    result = history.suggest()
    assert result.exit_code == 77
    assert "an agent may not read the transcripts of other sessions" in result.output
