"""Checkpoints are signed by a key if there is one, kept where the policy says, and contain a digest only."""

import json
import os
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.audit.checkpoints import KEY_FILE, check_signature, create_key, deliver_checkpoint, make_checkpoint
from toolgate.audit.deletion import delete_session
from toolgate.audit.verification import verify_log
from toolgate.model.request import Request
from toolgate.transport.keeper import UserStorage
from unit.audit.test_hostile_log import run
from unit.report.logs import call, denied_call, write_log


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = tmp_path / "checkpoint.key"
    create_key(str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    return str(path)


def test_a_signature_holds_for_what_was_signed_by_its_key_alone(tmp_path: Path, key: str) -> None:
    signed = make_checkpoint(7, "ab" * 32, 1.8e9, key)
    assert check_signature(signed) == check_signature(signed, str(signed["key"])) == "valid"
    for name, value in (("record", 8), ("digest", "cd" * 32), ("time", ""), ("signature", "00"), ("key", "x")):
        assert check_signature({**signed, name: value}) == "invalid"
    other = tmp_path / "other.key"
    create_key(str(other))
    again = make_checkpoint(7, "ab" * 32, 1.8e9, str(other))
    assert check_signature(again) == "valid"
    assert check_signature(again, str(signed["key"])) == "invalid"


def test_without_a_key_it_is_not_signed_and_that_is_told(tmp_path: Path) -> None:
    plain = make_checkpoint(7, "ab" * 32, 1.8e9, str(tmp_path / "none"))
    assert (check_signature(plain), check_signature(plain, "ab" * 32)) == ("unsigned", "invalid")
    assert set(plain) == {"record", "digest", "time"}


def test_verify_tells_by_whom_a_checkpoint_is_signed(tmp_path: Path, key: str) -> None:
    write_log(tmp_path / ".home" / "state" / "audit", [call(0), denied_call(1)])
    newest = json.loads(run(tmp_path, "audit", "verify", "--json").stdout)["newest"]
    signed = make_checkpoint(newest["record"], newest["digest"], 1.8e9, key)
    kept_folder = tmp_path / "kept"
    kept_folder.write_text(json.dumps(signed) + "\n")
    result = run(tmp_path, "audit", "verify", "--checkpoint", str(kept_folder), "--key", str(signed["key"]))
    assert (result.returncode, f"is signed by {signed['key']}" in result.stdout) == (0, True)
    kept_folder.write_text(json.dumps({**signed, "record": 1}) + "\n")
    forged = run(tmp_path, "audit", "verify", "--checkpoint", str(kept_folder))
    assert forged.returncode == 1
    assert "signature is not valid" in forged.stdout
    kept_folder.write_text("[]\n")
    assert "holds no checkpoint" in run(tmp_path, "audit", "verify", "--checkpoint", str(kept_folder)).stderr


def test_a_keeper_signs_with_its_own_key(tmp_path: Path) -> None:
    storage = UserStorage(str(tmp_path), 1000, may_answer=False)
    assert storage.answer_question({"do": "checkpoint", "now": 1.8e9}) == {"is": None}
    assert storage.record("2026-11-23", '{"verdict":"pass"}\n') == ""
    found = storage.answer_question({"do": "checkpoint", "now": 1.8e9})["is"]
    assert (found["record"], check_signature(found)) == (1, "valid")


def end_session(folder: Path, policy: str) -> None:
    (folder / ".home").mkdir(mode=0o700, exist_ok=True)
    (folder / ".home" / "policy.toml").write_text(policy)
    environ = {"HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home"), "PATH": os.defpath}
    for event, more in (
        ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -rf ~/secret-place"}}),
        ("SessionEnd", {"reason": "exit"}),
    ):
        data = json.dumps({"session_id": "s", "cwd": str(folder), "hook_event_name": event, **more}).encode()
        App().handle(Request("claude-code", event, data, environ, str(folder), os.getuid(), 1.8e9))


def test_a_session_that_ends_leaves_a_checkpoint_where_the_policy_says(tmp_path: Path) -> None:
    kept_folder = tmp_path / "kept"
    end_session(tmp_path, f'[audit]\ncheckpoint = "{kept_folder}"\n')
    end_session(tmp_path, f'[audit]\ncheckpoint = "{kept_folder}"\n')
    first, second = map(json.loads, kept_folder.read_text().splitlines())
    assert (first["record"], second["record"]) == (1, 2)
    assert "secret-place" not in kept_folder.read_text()
    assert run(tmp_path, "audit", "verify", "--checkpoint", str(kept_folder)).returncode == 0


def test_a_checkpoint_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    assert "could not be kept" in deliver_checkpoint({}, f"{tmp_path}/none/kept", str(tmp_path))
    assert "could not be kept" in deliver_checkpoint({}, "https://127.0.0.1:1/x", str(tmp_path))
    assert deliver_checkpoint({}, "~/kept", str(tmp_path)) == ""


@pytest.mark.parametrize(("kept", "operation"), [("full", "rm -rf ~/secret-place"), ("shape", "rm"), ("none", "(not recorded)")])
def test_the_policy_says_what_a_record_holds_of_a_call(tmp_path: Path, kept: str, operation: str) -> None:
    end_session(tmp_path, f'[audit]\noperations = "{kept}"\n')
    line = json.loads(run(tmp_path, "log", "--json").stdout)
    assert (line["operation"], line["exact"]) == (operation, kept == "full")
    assert ("not judged again" in run(tmp_path, "why", line["id"]).stdout) is (kept != "full")


@pytest.mark.parametrize(
    "text", ['[audit]\noperations = "some"', '[audit]\ncheckpoint = "http://x"', "audit = 3", "[audit]\nx = 1"]
)
def test_a_setting_that_is_none_is_an_error_of_the_policy(tmp_path: Path, text: str) -> None:
    (tmp_path / ".home").mkdir(mode=0o700)
    (tmp_path / ".home" / "policy.toml").write_text(text)
    result = run(tmp_path, "policy", "check")
    assert result.returncode
    assert "audit" in result.stdout + result.stderr


def test_lines_about_removed_records_are_signed_by_the_keepers_key(tmp_path: Path) -> None:
    storage = UserStorage(str(tmp_path), 1000, may_answer=False)
    log = f"{storage.user_folder}/audit"
    keys = set[str]()
    for day in ("2026-08-01", "2026-11-22"):
        assert storage.record(day, json.dumps(call(1)) + "\n") == ""
        checkpoint = storage.answer_question({"do": "checkpoint", "now": 1.8e9})["is"]
        keys.add(str(checkpoint["key"]))
    (key,) = keys
    assert delete_session(log, "session-0", "2026-11-22T10:00:00Z", f"{storage.folder}/{KEY_FILE}") == 1
    report = verify_log(log, public_key=key)
    assert (report.faults, report.removed_days, report.boundaries) == ([], ["2026-08-01"], {("valid", key): 2})
    other = tmp_path / "other.key"
    create_key(str(other))
    stranger = str(make_checkpoint(1, "", 0, str(other))["key"])
    assert [
        "signature is not valid, or not of that key" in fault.what for fault in verify_log(log, public_key=stranger).faults
    ] == [
        True,
        True,
    ]


def test_an_altered_or_unsigned_line_about_removed_records_is_told(tmp_path: Path, key: str) -> None:
    log = tmp_path / ".home" / "state" / "audit"
    write_log(log, [call(0), call(1, session="another")])
    assert delete_session(str(log), "another", "2026-11-22T10:00:00Z") == 1
    assert "1 lines about removed records are not signed" in run(tmp_path, "audit", "verify").stdout
    assert delete_session(str(log), "session-0", "2026-11-22T10:00:00Z", key) == 1
    assert {signature for signature, _ in verify_log(str(log)).boundaries} == {"unsigned", "valid"}
    (day,) = log.glob("*.jsonl")
    day.write_text(day.read_text().replace('"records":[[1,1]]', '"records":[[1,9]]'))
    assert any("its signature is not valid" in fault.what for fault in verify_log(str(log)).faults)
