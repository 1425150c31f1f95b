"""Tests `toolgate replay`, from files to groups, under the policy in force or a draft; its output is safe to print."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from toolgate.cli.replay import replay

RECORDS = Path(__file__).parents[1] / "history" / "records"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "TOOLGATE_HOME",
        "XDG_CONFIG_HOME",
        "CLAUDE_CONFIG_DIR",
        "COPILOT_HOME",
        "CODEX_HOME",
        "XDG_DATA_HOME",
        "TOOLGATE_PROFILE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("toolgate.cli.person.describe_agent_above", lambda _: "")
    return tmp_path


def test_what_the_policy_in_force_would_stop(home: Path) -> None:
    result = CliRunner().invoke(replay, [str(RECORDS)])
    assert result.exit_code == 0
    assert "10 calls of 3 sessions judged, 10 of them in folders that are gone." in result.output
    assert "deny filesystem.delete-protected: rm (2 refused)\n      rm -rf ~\n" in result.output


def test_without_paths_the_hosts_own_records_are_read(home: Path) -> None:
    folder = home / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_bytes((RECORDS / "claude-code.jsonl").read_bytes())
    assert "3 calls of 1 session" in CliRunner().invoke(replay, []).output
    assert "There are no calls to judge." in CliRunner().invoke(replay, ["--host", "copilot"]).output


def test_a_draft_is_compared_with_the_policy_in_force(home: Path) -> None:
    calls, draft = home / "calls.jsonl", home / "draft.toml"
    calls.write_text(json.dumps({"tool": "Bash", "input": {"command": "sudo ls"}, "cwd": str(home)}) + "\n")
    draft.write_text('[rules]\n"privilege.escalate".verdict = "pass"\n')
    result = CliRunner().invoke(replay, ["--policy", str(draft), str(calls), "--json"])
    group, total = map(json.loads, result.output.splitlines())
    assert (group["change"], group["rule"], group["calls"]) == ("newly free", "privilege.escalate", 1)
    assert (total["newly_free"], total["newly_stopped"]) == (1, 0)
    stricter = CliRunner().invoke(replay, ["--profile", "paranoid", str(calls), "--max-new-stops", "0"])
    assert stricter.exit_code == 0  # it is stopped today, too


def test_more_new_stops_than_are_allowed(home: Path) -> None:
    calls = home / "calls.jsonl"
    calls.write_text(json.dumps({"tool": "Bash", "input": {"command": "touch /srv/x"}, "cwd": str(home)}) + "\n")
    policy = home / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text('[rules]\n"filesystem.write-outside-project".verdict = "pass"\n')
    draft = home / "draft.toml"
    draft.write_text('[rules]\n"filesystem.write-outside-project".verdict = "deny"\n')
    arguments = ["--policy", str(draft), str(calls), "--max-new-stops"]
    assert CliRunner().invoke(replay, [*arguments, "0"], standalone_mode=False).return_value == 1
    assert CliRunner().invoke(replay, [*arguments, "1"], standalone_mode=False).return_value == 0


def test_a_broken_draft_is_named(home: Path) -> None:
    draft = home / "draft.toml"
    draft.write_text('[rules]\n"git.klean".verdict = "deny"\n')
    result = CliRunner().invoke(replay, ["--policy", str(draft), str(RECORDS)])
    assert result.exit_code == 70
    assert f'{draft}:1: rules."git.klean": there is no such rule; did you mean git.clean?' in result.output


def test_hostile_text_is_shown_harmless_and_secrets_are_hidden(home: Path) -> None:
    calls = home / "calls.jsonl"
    token = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"
    command = f"rm -rf ~ # \x1b[2J\x1b]0;x\x07\n{token}"
    calls.write_text(json.dumps({"tool": "Bash", "input": {"command": command}, "cwd": str(home)}) + "\n")
    for arguments in ([str(calls)], [str(calls), "--json"]):
        output = CliRunner().invoke(replay, arguments).output
        assert "rm -rf ~" in output
        assert "\x1b" not in output
        assert token not in output


def test_beneath_an_agent_nothing_is_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgate.cli.person.describe_agent_above", lambda _: "claude runs above this")
    result = CliRunner().invoke(replay, [str(RECORDS)])
    assert result.exit_code == 77
    assert "an agent may not read the transcripts of other sessions" in result.output


def test_a_file_of_another_form_is_left_out_and_named(home: Path) -> None:
    other = home / "other.jsonl"
    other.write_text('{"a": 1}\n')
    assert f"{other}: in no form that is known; left out" in CliRunner().invoke(replay, [str(other)]).output


def test_two_processes_find_what_one_does(home: Path) -> None:
    commands = ["rm -rf ~", "ls", "sudo ls", "git push --force origin main", "rm -rf ~/work", "dd if=/dev/zero of=/dev/sda"] * 3
    calls = home / "calls.jsonl"
    rows = [{"tool": "Bash", "input": {"command": each}, "cwd": str(home)} for each in commands]
    rows.append({"tool": "mcp__a__b", "input": {}, "cwd": str(home)})
    calls.write_text("\n".join(map(json.dumps, rows)) + "\nno call\n")
    environ = {**os.environ, "HOME": str(home)}
    script = "import toolgate.cli.replay as r; r.describe_agent_above = lambda _: ''; r.replay()"

    def outcome(jobs: int) -> tuple[list[dict[str, object]], str]:
        words = [sys.executable, "-c", script, str(calls), str(RECORDS), "--json", "--jobs", str(jobs)]
        result = subprocess.run(words, cwd=home, env=environ, capture_output=True, text=True, check=True)
        found = [json.loads(line) for line in result.stdout.splitlines()]
        for each in found:
            each.pop("examples", None)
        return sorted(found, key=str), result.stderr

    assert outcome(2) == outcome(1)
    assert outcome(2)[0][-1]["calls"] == len(rows) + 10


def write_log(folder: Path, records: list[dict[str, object]]) -> None:
    from unit.report.logs import write_log as write_chained

    write_chained(folder, records)


def record_call(home: Path, number: int, operation: str, **changes: object) -> dict[str, object]:
    from unit.report.logs import call

    where = {"cwd": str(home), "project": str(home)}
    return call(number, **{"operation": operation, "exact": True, "session": "s", **where, **changes})


def test_the_gates_own_log_is_judged_as_far_as_it_holds_calls(home: Path) -> None:
    folder = home / ".local" / "state" / "toolgate" / "audit"
    write_log(
        folder,
        [
            record_call(home, 0, "sudo ls"),
            record_call(home, 1, "rm -rf ~", verdict="deny"),
            record_call(home, 2, "mysql -p[REDACTED:password]", exact=False),
            record_call(home, 3, "read ~/.ssh/id_rsa", tool="Read"),
            record_call(home, 4, "write notes", tool="Write"),
            record_call(home, 5, "sudo ls", tool_use_id="t0"),
        ],
    )
    with (folder / "2026-11-22.jsonl").open("a") as file:
        file.write(
            '{"kind":"outcome","session":"s","tool_use_id":"t0","outcome":"failed","number":7,"previous":""}\n{"verd\n[1]\n'
        )
    result = CliRunner().invoke(replay, ["--audit", "--json"])
    *groups, total = map(json.loads, result.output.splitlines())
    assert {(group["rule"], *group["outcomes"].items()) for group in groups} == {
        ("privilege.escalate", ("failed", 1)),
        ("filesystem.delete-protected", ("refused", 1)),
        ("credentials.read", ("unknown", 1)),
    }
    assert (total["calls"], total["repeated"]) == (3, 1)
    assert total["indeterminate"] == {
        "unreadable: its text was redacted or cut, or was not recorded in full": 1,
        "unreadable: the record holds what it was about, and not its arguments": 1,
        "unreadable: does not parse as JSON": 1,
        "unreadable: is no JSON object": 1,
    }


def test_a_replay_that_was_interrupted_goes_on(home: Path) -> None:
    """The second file interrupts the first replay."""
    calls, broken = home / "calls.jsonl", home / "later.jsonl"
    secret = "gh" + "p_" + "a1B2" * 9
    commands = [f"rm -rf /usr/lib/{n}" for n in range(120)] + ["sudo ls", "ls", f"{secret} x && rm -rf ~/Hunter2xyz"]
    lines = [json.dumps({"tool": "Bash", "input": {"command": each}, "cwd": str(home)}) for each in (*commands, "pwd")]
    calls.write_text("".join(f"{line}\n" for line in lines[:-1]))
    broken.write_text(f"{lines[-1]}\n")
    whole = CliRunner().invoke(replay, [str(calls), "--json"])
    script = (
        "import sys; from toolgate.history import replay as r; from toolgate.cli import replay as v\n"
        "judge = r.Replayer._judge_call\n"
        "def judge_and_stop(self, call):\n"
        "    if call.file.endswith('later.jsonl'): raise KeyboardInterrupt\n"
        "    return judge(self, call)\n"
        "r.Replayer._judge_call = judge_and_stop\n"
        "sys.argv = ['toolgate', *sys.argv[1:]]; v.replay()\n"
    )
    environ = {"HOME": str(home), "PATH": os.defpath}
    words = [sys.executable, "-c", script, str(calls), str(broken)]
    result = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    assert result.returncode == 1, result.stderr
    kept_folder = home / ".cache" / "toolgate" / "replay"
    held = "".join(path.read_text() for path in kept_folder.iterdir())
    assert held.count("\n") == len(commands) - 1
    assert not [text for text in (secret, "Hunter2", "/usr/lib/7") if text in held]
    (file,) = kept_folder.iterdir()
    file.write_text(held + '["half a li\n{}\n[1,2,3,4,5]\n')
    again = CliRunner().invoke(replay, [str(calls), "--json"])
    first, second = (json.loads(run.stdout.splitlines()[-1]) for run in (whole, again))
    assert (first.pop("continued"), second.pop("continued")) == (0, len(commands) - 1)
    assert first == second
    assert whole.stdout.splitlines()[:-1] == again.stdout.splitlines()[:-1]
    assert list(kept_folder.iterdir()) == []


def test_what_was_kept_answers_the_same_question_alone(home: Path) -> None:
    calls = home / "calls.jsonl"
    calls.write_text(json.dumps({"tool": "Bash", "input": {"command": "sudo ls"}, "cwd": str(home)}) + "\n")
    kept_folder = home / ".cache" / "toolgate" / "replay"

    def count_continued(*words: str) -> int:
        run = CliRunner().invoke(replay, [str(calls), "--json", *words])
        return int(json.loads(run.stdout.splitlines()[-1])["continued"])

    def keep_rows() -> bytes:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("toolgate.history.saved_answers.SavedAnswers.remove", lambda _: None)
            assert count_continued() == 0
        (file,) = kept_folder.iterdir()
        return file.read_bytes()

    rows = keep_rows()
    assert count_continued("--profile", "paranoid") == 0
    kept_folder.mkdir(exist_ok=True)
    old = kept_folder / "1.jsonl"
    old.write_bytes(rows)
    os.utime(old, (1, 1))
    assert count_continued() == 0
    old.write_bytes(rows)
    assert count_continued() == 1
