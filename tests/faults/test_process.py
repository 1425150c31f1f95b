"""Runs a hook call as a real child process with any input: one well-formed answer, or the event's own refusal; nothing else on
stdout.
"""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults.child import EVENTS, Child, HookResult, is_refusal, is_silence


@pytest.fixture
def child(tmp_path: Path) -> Child:
    return Child(tmp_path)


UNREADABLE = {
    "nothing": b"",
    "blank": b" \n\t",
    "cut off": b'{"session_id": "s", "tool_name": "Ba',
    "no UTF-8": b'{"tool_name": "\xff\xfe"}',
    "a NUL": b"\0" * 64,
    "a list": b"[1, 2, 3]",
    "a number": b"17",
    "nothing at all": b"null",
    "no JSON": b"tool_name=Bash",
    "very deep": b"[" * 10_000 + b"]" * 10_000,
    "deep within": b'{"tool_input": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}",
    "too large": b'{"x": "' + b"a" * (33 * 1024 * 1024) + b'"}',
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_is_refused(child: Child, what: str) -> None:
    assert is_refusal("PreToolUse", child.call(UNREADABLE[what]))


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_has_its_own_no(child: Child, event: str) -> None:
    assert is_refusal(event, child.call(b'{"cut', event))


WRONG: dict[str, dict[str, object]] = {
    "command is a list": {"tool_input": {"command": ["rm", "-rf", "/"]}},
    "command is null": {"tool_input": {"command": None}},
    "no input": {"tool_input": None},
    "input is text": {"tool_input": "rm -rf /"},
    "tool is a number": {"tool_name": 7},
    "no tool": {"tool_name": None},
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_types_are_refused(child: Child, what: str) -> None:
    answer = child.call(child.payload("ls", "PreToolUse", **WRONG[what]))
    assert is_refusal("PreToolUse", answer), answer


def test_a_key_given_twice_is_refused_or_judged_by_its_worst(child: Child) -> None:
    data = child.payload("ls").replace(b'{"command": "ls"}', b'{"command": "rm -rf /", "command": "ls"}')
    assert is_refusal("PreToolUse", child.call(data))
    data = child.payload("ls").replace(b'{"command": "ls"}', b'{"command": "ls", "command": "rm -rf /"}')
    assert is_refusal("PreToolUse", child.call(data))


def test_a_harmless_call_is_silence_and_a_harmful_one_is_denied(child: Child) -> None:
    assert is_silence(child.call(child.payload("ls")))
    assert is_refusal("PreToolUse", child.call(child.payload("rm -rf /")))


# ---- the machine


def test_the_directory_has_vanished(child: Child) -> None:
    gone = child.root / "gone"
    gone.mkdir()
    child.cwd = str(gone)
    assert is_refusal("PreToolUse", child.call(child.payload("rm -rf /"), before=gone.rmdir))


@pytest.mark.parametrize("home", [None, "", "/nonexistent", "relative", "/proc/1/root"])
def test_home_is_missing_or_no_use(child: Child, home: str | None) -> None:
    environ = {"PATH": "/usr/bin:/bin"} if home is None else {"PATH": "/usr/bin:/bin", "HOME": home}
    answer = child.call(child.payload("rm -rf /"), environ=environ)
    assert is_refusal("PreToolUse", answer)
    harmless = child.call(child.payload("ls"), environ=environ)
    is_told = b"decisions go on, unrecorded" in harmless.out
    assert is_silence(harmless) or is_told or is_refusal("PreToolUse", harmless), harmless


def test_a_record_that_cannot_be_written_changes_no_verdict_and_is_told_once_a_session(child: Child) -> None:
    (child.root / "gate").mkdir()
    (child.root / "gate" / "state").write_text("no folder\n")
    first, second = child.call(child.payload("rm -rf /")), child.call(child.payload("rm -rf /"))
    assert is_refusal("PreToolUse", first)
    assert is_refusal("PreToolUse", second)
    assert "record" in told_to_the_user(first)
    assert "record" not in told_to_the_user(second)
    child.session = "s2"
    assert "record" in told_to_the_user(child.call(child.payload("rm -rf /")))


def told_to_the_user(answer: HookResult) -> str:
    return str(answer.table.get("systemMessage", ""))


def test_the_disk_is_full(child: Child) -> None:
    """No file may grow: a full disk has this effect on every write."""
    answer = child.call(child.payload("rm -rf /"), before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert is_refusal("PreToolUse", answer)
    assert is_silence(child.call(child.payload("ls"), before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))))


@pytest.mark.skipif(os.getuid() == 0, reason="root writes everywhere")
def test_the_state_may_only_be_read(child: Child) -> None:
    (child.root / "gate").mkdir(mode=0o500)
    assert is_refusal("PreToolUse", child.call(child.payload("rm -rf /")))


BROKEN = {"no TOML": "rules = [", "unknown key": "verdikt = 1\n", "bytes": "\0\0", "a wrong type": "profile = 3\n", "empty": ""}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("layer", ["user", "project"])
def test_a_broken_policy_never_opens_the_gate(child: Child, what: str, layer: str) -> None:
    if layer == "user":
        child.policy(BROKEN[what])
    else:
        (child.root / "project" / ".toolgate").mkdir()
        (child.root / "project" / ".toolgate" / "policy.toml").write_text(BROKEN[what])
    assert is_refusal("PreToolUse", child.call(child.payload("rm -rf /")))


# ---- the process


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
def test_descriptors_are_closed(child: Child, closed: tuple[int, ...]) -> None:
    answer = child.call(child.payload("rm -rf /"), before=lambda: os.closerange(closed[0], closed[-1] + 1))
    assert answer.code == 2
    assert b"Traceback" not in answer.out + answer.err
    if 1 not in closed:
        assert answer.table["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_question_that_nobody_can_read_is_a_no(child: Child) -> None:
    """`ask` is written to stdout with exit code 0: if stdout is closed, the host would see no answer."""
    child.policy('[rules."filesystem.delete-outside"]\nverdict = "ask"\n')
    payload = child.payload("rm -rf /opt/elsewhere")
    if child.call(payload).table:
        assert child.call(payload, before=lambda: os.close(1)).code == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_while_it_reads(child: Child, number: signal.Signals) -> None:
    process = subprocess.Popen(
        child.arguments("PreToolUse"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=child.environ,
        cwd=child.cwd,
    )
    assert process.stdin is not None
    process.stdin.write(b'{"tool_name": "Bash"')
    process.stdin.flush()
    _until_it_reads(process.pid)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert is_refusal("PreToolUse", HookResult(process.returncode, out, err))


def _until_it_reads(pid: int) -> None:
    """Waits until handlers are set, which precedes the first read: the mask of caught signals contains SIGTERM."""
    for _ in range(500):
        status = Path(f"/proc/{pid}/status").read_text()
        caught = int(status.partition("SigCgt:")[2].split()[0], 16)
        if caught >> (signal.SIGHUP - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError("it never listened")


def test_the_deadline(child: Child) -> None:
    """The watchdog treats a host whose input never ends and a judgement that never ends alike."""
    program = "import sys; from toolgate.transport import process; process.DEADLINE = 0.3; process.run(sys.argv[1:])"
    arguments = [sys.executable, "-I", "-c", program, "claude-code", "PreToolUse"]
    process = subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=child.environ, cwd=child.cwd
    )
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = process.stdout.read(), process.stderr.read()  # stdin stays open all the time
    process.wait(timeout=30)
    assert process.stdin is not None
    process.stdin.close()
    process.stdout.close()
    process.stderr.close()
    assert is_refusal("PreToolUse", HookResult(process.returncode, out, err))


def test_an_attackers_python_variables_do_nothing(child: Child) -> None:
    evil = child.root / "evil"
    evil.mkdir()
    for name in ("json.py", "sitecustomize.py", "usercustomize.py", "toolgate.py"):
        (evil / name).write_text("import os\nos.write(1, b'owned')\nos._exit(0)\n")
    child.cwd = str(evil)
    environ = child.environ | {
        "PYTHONPATH": str(evil),
        "PYTHONSTARTUP": str(evil / "json.py"),
        "PYTHONHOME": "",
        "PYTHONINSPECT": "1",
        "PYTHONWARNINGS": "error",
        "PYTHONIOENCODING": "utf-16",
        "PYTHONUSERBASE": str(evil),
    }
    assert is_refusal("PreToolUse", child.call(child.payload("rm -rf /"), environ=environ))
    assert is_silence(child.call(child.payload("ls"), environ=environ))


@pytest.mark.parametrize("host", ["nobody", "", "../claude_code", "claude_code.wire"])
def test_an_unknown_host_is_a_no_by_exit_code(child: Child, host: str) -> None:
    answer = child.run(child.arguments("PreToolUse", host), child.payload("ls"))
    assert (answer.code, answer.out) == (2, b"")
    assert answer.err
    assert b"Traceback" not in answer.err


@pytest.mark.parametrize("event", ["Nonsense", "", "PreToolUse "])
def test_an_event_that_is_not_ours_gets_no_opinion(child: Child, event: str) -> None:
    """A host may have more events than these; the gate decides nothing about them."""
    assert is_silence(child.call(child.payload("rm -rf /", event), event))
    answer = child.call(b'{"cut', event)
    assert answer.code in (0, 2)
    assert b"Traceback" not in answer.out + answer.err


@pytest.mark.parametrize("arguments", [[], ["claude-code"], ["claude-code", "PreToolUse", "more"]])
def test_wrong_usage_is_a_no(child: Child, arguments: list[str]) -> None:
    answer = child.run([sys.executable, "-I", "-m", "toolgate", "hook", *arguments], b"")
    assert (answer.code, answer.out) == (2, b"")


# ---- what the policy says of failures


RAISES = 'raise RuntimeError("the machine is gone")'
HANGS = "time.sleep(60)"


def run_failing(child: Child, command: str, how: str = RAISES) -> HookResult:
    """Runs the real process with a World that has failed: every question to the machine raises, or is never answered."""
    program = f"""
import sys, time
from toolgate import app
from toolgate.transport import process

class Broken:
    folds_case = False
    def __getattr__(self, name):
        {how}

app.App.__init__.__defaults__ = (Broken, None)
process.DEADLINE = 2.0
process.run(sys.argv[1:])
"""
    arguments = [sys.executable, "-I", "-c", program, "claude-code", "PreToolUse"]
    return child.run(arguments, child.payload(command))


def test_an_error_is_a_no_unless_the_users_policy_lets_it_be_a_warning(child: Child) -> None:
    assert is_refusal("PreToolUse", run_failing(child, "rm build/x"))
    child.policy('on_error = "warn"\n')
    answer = run_failing(child, "rm build/x")
    assert answer.code == 0
    assert "on_error" in answer.table["systemMessage"]
    assert "hookSpecificOutput" not in answer.table
    assert is_refusal("PreToolUse", child.call(b'{"cut'))  # bytes that cannot be read are refused all the same


def test_out_of_time_is_a_no_unless_the_users_policy_lets_it_be_a_warning(child: Child) -> None:
    answer = run_failing(child, "rm build/x", HANGS)
    assert is_refusal("PreToolUse", answer)
    assert b"out of time" in answer.err
    child.policy('on_timeout = "warn"\n')
    answer = run_failing(child, "rm build/x", HANGS)
    assert answer.code == 0
    assert "on_timeout" in answer.table["systemMessage"]
    assert "hookSpecificOutput" not in answer.table
    assert is_refusal("PreToolUse", run_failing(child, "rm build/x"))  # an error is another matter


def test_a_projects_policy_cannot_open_the_gate_to_errors(child: Child) -> None:
    (child.root / "project" / ".toolgate").mkdir()
    for setting, how in (("on_error", RAISES), ("on_timeout", HANGS)):
        (child.root / "project" / ".toolgate" / "policy.toml").write_text(f'{setting} = "warn"\n')
        assert is_refusal("PreToolUse", run_failing(child, "rm build/x", how))


def test_a_shortened_conversation_does_not_pin_the_policy_anew(child: Child) -> None:
    """The policy is loosened during the session: the stricter one stays in force, also after the conversation is compacted."""
    stops = '[rules."filesystem.delete-protected"]\nverdict = "deny"\n[[rule]]\nid = "mine.x"\non = {program = "frobnicate"}\n'
    child.policy(stops + 'verdict = "deny"\nreason = "never"\nstops = ["frobnicate"]\nleaves = ["ls"]\n')
    child.call(child.payload("", "SessionStart", source="startup"), "SessionStart")
    assert is_refusal("PreToolUse", child.call(child.payload("frobnicate")))
    child.policy("")
    child.call(child.payload("", "SessionStart", source="compact"), "SessionStart")
    assert is_refusal("PreToolUse", child.call(child.payload("frobnicate")))
    child.call(child.payload("", "SessionStart", source="clear"), "SessionStart")
    assert is_silence(child.call(child.payload("frobnicate")))


def test_who_the_agent_is_stands_in_the_registered_command(child: Child) -> None:
    (child.root / "gate").mkdir(exist_ok=True)
    (child.root / "gate" / "policy.toml").write_text('profile = "squad"\n')
    call = [sys.executable, "-m", "toolgate", "hook"]
    answer = child.run([*call, "TOOLGATE_ROLE=coordinator", "claude-code", "PreToolUse"], child.payload("touch a"))
    assert answer.code == 2
    assert b"task tool" in answer.err
    assert is_silence(child.run([*call, "claude-code", "PreToolUse"], child.payload("touch a")))
    answer = child.run([*call, "TOOLGATE_HOME=/", "claude-code", "PreToolUse"], child.payload("ls"))
    assert answer.code == 2
    assert b"usage" in answer.err
