"""Tests the client against everything that can go wrong around it: it gives the right answer or the event's own refusal, and
never none.
"""

import os
import platform
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import hatch_build
import pytest

from faults.child import EVENTS, HookResult, is_refusal, is_silence
from faults.clients import WAIT, Gate, compile_client, open_gate, wait_until
from toolgate.redaction.redactor import MAX_RESULT_LENGTH
from unit.redaction.planted import GITHUB

HARM = "rm -rf /"


def test_a_first_call_and_the_next_one(gate: Gate, event: str) -> None:
    first = gate.ask(HARM, event)
    assert gate.is_right(first, HARM, event)
    pid = gate.daemon()
    assert gate.ask(HARM, event) == first
    assert is_silence(gate.ask("git status"))
    assert gate.daemons() == [pid]


@pytest.mark.parametrize("event", EVENTS)
def test_what_cannot_be_read_gets_the_no_of_its_event(gate: Gate, event: str) -> None:
    for _ in range(2):  # cold, warm
        assert is_refusal(event, gate.child.run(gate.client.words(event), b'{"cut'))


def test_a_call_of_many_sizes(gate: Gate) -> None:
    gate.ask("ls")
    for size in (0, 1, 65_000, 65_536, 70_000, 1_000_000, 5_000_000):
        answer = gate.child.run(gate.client.words(), gate.child.payload(HARM, padding="x" * size))
        assert is_refusal("PreToolUse", answer), (size, answer)


def test_a_call_that_is_too_large(gate: Gate, event: str) -> None:
    data = b'{"x": "' + b"a" * (81 << 20) + b'"}'
    answer = gate.child.run(gate.client.words(event), data)
    assert is_refusal(event, answer)
    assert b"larger" in answer.out


def test_fifty_megabytes_that_a_tool_printed(tmp_path: Path, kind: str) -> None:
    """Through the client and the daemon and back. What exceeds the gate's limit is cut off, with a notice; the deadline plays no
    part, so a busy machine gives the same answer."""
    printed = ("." * 99 + "\n") * 510_000
    with open_gate(tmp_path, kind, deadline=WAIT, patience=WAIT) as gate:
        gate.ask("ls")
        gate.daemon()
        data = gate.child.payload("x", "PostToolUse", tool_response={"stdout": f"{GITHUB}\n{printed}", "stderr": ""})
        answer = gate.child.run(gate.client.words("PostToolUse"), data)
    assert "hookSpecificOutput" in answer.table, (answer.code, answer.out[:500], answer.err[:500])
    changed = answer.table["hookSpecificOutput"]["updatedToolOutput"]
    assert answer.code == 0
    assert changed["stdout"].startswith("[REDACTED:github-token:")
    assert changed["stdout"].endswith("more than it looks through in one result]")
    assert MAX_RESULT_LENGTH <= len(changed["stdout"]) < MAX_RESULT_LENGTH + 200


@pytest.mark.parametrize("words", [[], ["claude-code"], ["claude-code", "PreToolUse", "more"]])
def test_wrong_usage(gate: Gate, words: list[str]) -> None:
    answer = gate.child.run([*gate.client.words()[:-2], *words], b"")
    assert (answer.code, answer.out) == (2, b"")
    assert b"usage" in answer.err


@pytest.mark.parametrize("host", ["nobody", "", "../claude_code"])
def test_an_unknown_host(gate: Gate, host: str) -> None:
    answer = gate.child.run(gate.client.words(host=host), gate.payload("ls"))
    assert (answer.code, answer.out) == (2, b"")
    assert answer.err


# ---- the engine


ENGINES = {
    "exits with 0 and says nothing": "exit 0",
    "exits with 1": "exit 1",
    "says yes without a frame": "echo '{}' >&0; exit 0",
    "is killed": "kill -9 $$",
    "segfaults": "kill -SEGV $$",
    "lacks a module": "shift 6; exec /usr/bin/env python3 -I -S -c 'import toolgate.nothing_of_the_kind' \"$@\"",
    "reads and goes": "head -c 10 >/dev/null; exit 0",
}


@pytest.mark.parametrize("what", ENGINES)
def test_an_engine_that_fails(gate: Gate, event: str, what: str) -> None:
    gate.engine(ENGINES[what])
    for _ in range(2):
        answer = gate.ask("ls", event)
        assert is_refusal(event, answer), answer


def test_an_engine_that_hangs(impatient_gate: Gate, event: str) -> None:
    impatient_gate.engine('echo $$ > "$(dirname $0)/pid"; exec sleep 60')
    assert is_refusal(event, impatient_gate.ask("ls", event))
    pid = (impatient_gate.child.root / "pid").read_text().strip()
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or ") Z " in Path(f"/proc/{pid}/stat").read_text())


def test_a_busy_machine_is_slow_and_does_not_hang(tmp_path: Path, kind: str) -> None:
    """The client waits for an engine beyond the deadline while more processes are runnable than there are processors."""
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range((os.cpu_count() or 1) + 2)]
    try:
        with open_gate(tmp_path, kind, deadline=1.5, patience=0.3) as gate:
            gate.engine_with("import time; time.sleep(2)")
            assert is_refusal("PreToolUse", answer := gate.ask(HARM)), answer
            assert b"time for it is over" not in answer.out + answer.err
            assert is_silence(gate.ask("ls"))
    finally:
        for each in busy:
            each.kill()
            each.wait()


def test_an_engine_that_is_not_there(gate: Gate, event: str) -> None:
    gate.engine("exit 0")
    (gate.child.root / "engine").unlink()
    assert is_refusal(event, gate.ask("ls", event))


def test_a_client_without_its_console_script(tmp_path: Path, event: str) -> None:
    with open_gate(tmp_path, "native") as gate:
        gate.client.words()
        (tmp_path / "bin" / "toolgate").unlink()
        assert is_refusal(event, gate.ask("ls", event))


@pytest.mark.parametrize(
    "form", ["#!/bin/sh\n'''exec' \"{}\" \"$0\" \"$@\"\n' '''\n", "#!/bin/sh\n'''exec' '{}' \"$0\"\n", "#! {} -I\n"]
)
def test_the_first_lines_that_installers_write(tmp_path: Path, form: str) -> None:
    """A long path, or one with blanks, does not fit a `#!` line."""
    with open_gate(tmp_path, "native") as gate:
        gate.engine_with("")
        (tmp_path / "bin" / "toolgate").write_text(form.format(gate.client.engine))
        assert is_refusal("PreToolUse", gate.ask(HARM))
        assert is_silence(gate.ask("ls"))


def test_an_engine_of_another_build(tmp_path: Path, event: str) -> None:
    with open_gate(tmp_path, "native", build="0" * 32) as gate:
        assert is_refusal(event, gate.ask("ls", event))


# ---- the host


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal(gate: Gate, event: str, number: signal.Signals) -> None:
    process = _start_hook(gate, event)
    _until_it_listens(process.pid)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert is_refusal(event, HookResult(process.returncode, out, err))


def test_a_host_that_never_ends_what_it_says(impatient_gate: Gate, event: str) -> None:
    process = _start_hook(impatient_gate, event)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdin is not None
    out, err = process.stdout.read(), process.stderr.read()
    process.wait(timeout=30)
    for end in (process.stdin, process.stdout, process.stderr):
        end.close()
    assert is_refusal(event, HookResult(process.returncode, out, err))


def _start_hook(gate: Gate, event: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        gate.client.words(event),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=gate.child.environ,
        cwd=gate.child.cwd,
    )
    assert process.stdin is not None
    process.stdin.write(b'{"tool_name": "Bash"')
    process.stdin.flush()
    return process


def _until_it_listens(pid: int) -> None:
    for _ in range(500):
        caught = int(Path(f"/proc/{pid}/status").read_text().partition("SigCgt:")[2].split()[0], 16)
        if caught >> (signal.SIGUSR2 - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError("it never listened")


LIMITS: dict[str, tuple[int, int]] = {
    "no descriptors": (resource.RLIMIT_NOFILE, 3),
    "few descriptors": (resource.RLIMIT_NOFILE, 5),
    "no memory": (resource.RLIMIT_AS, 1 << 20),
    "little memory": (resource.RLIMIT_AS, 30 << 20),
    "little stack": (resource.RLIMIT_STACK, 1 << 16),
}


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("warm", [False, True])
def test_a_limit_of_the_hosts(gate: Gate, event: str, limit: str, warm: bool) -> None:
    """The interpreter of the Python client may not even start: a failure without an answer, which `onFailure` turns into the
    host's refusal."""
    if warm:
        gate.ask("ls")
        gate.daemon()
    what, most = LIMITS[limit]
    answer = gate.ask(HARM, event, before=lambda: resource.setrlimit(what, (most, most)))
    if gate.client.kind == "twin" and not answer.out and answer.code not in (0, 2):
        return  # the interpreter itself did not start
    assert gate.is_right(answer, HARM, event) or is_refusal(event, answer), answer


def test_a_full_disk(gate: Gate, event: str) -> None:
    """No file may grow. The engine that was started under such a limit does not become the daemon for other calls."""
    full: Callable[[], None] = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # noqa: E731
    assert is_refusal("PreToolUse", gate.ask(HARM, before=full))
    assert is_silence(gate.ask("ls", before=full))
    gate.ask("ls")
    gate.daemon()
    assert gate.is_right(gate.ask(HARM, event), HARM, event)


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("warm", [False, True])
def test_descriptors_are_closed(gate: Gate, closed: tuple[int, ...], warm: bool) -> None:
    if warm:
        gate.ask("ls")
        gate.daemon()
    answer = gate.ask(HARM, before=lambda: os.closerange(closed[0], closed[-1] + 1))
    assert answer.code == 2
    if 1 not in closed:
        assert answer.table["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_nothing_of_the_hosts_stays_open(gate: Gate) -> None:
    """A host waits until everything that it gave its hook is closed."""
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    process = subprocess.run(
        gate.client.words(), input=gate.payload("ls"), env=gate.child.environ, close_fds=False, capture_output=True, check=False
    )
    os.close(writer)
    assert process.returncode == 0
    gate.daemon()
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_the_directory_has_vanished(gate: Gate) -> None:
    gone = gate.child.root / "gone"
    gone.mkdir()
    gate.child.cwd = str(gone)
    assert is_refusal("PreToolUse", gate.ask(HARM, before=gone.rmdir))


@pytest.mark.parametrize("home", [None, "", "nowhere", "relative", "/proc/1/nothing"])
def test_home_is_missing_or_no_use(gate: Gate, home: str | None) -> None:
    if home == "nowhere":
        home = str(gate.child.root / home)
    environ = {"PATH": "/usr/bin:/bin"} | ({} if home is None else {"HOME": home})
    for command in ("ls", "rm"):
        assert gate.ask(command, environ=environ) == gate.child.call(gate.payload(command), environ=environ)
    assert not (gate.child.root / "nowhere").exists()


def test_a_client_by_another_name(tmp_path: Path) -> None:
    """uv and pipx put a link on PATH."""
    with open_gate(tmp_path, "native") as gate:
        (tmp_path / "link").symlink_to(gate.client.words()[0])
        answer = gate.child.run([str(tmp_path / "link"), "claude-code", "PreToolUse"], gate.payload(HARM))
        assert gate.is_right(answer, HARM)


def test_the_client_is_one_file_without_libraries() -> None:
    program = compile_client("native", 8.0, 1.0, "checkout".ljust(32, "-"))
    result = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    assert "not a dynamic executable" in result.stdout + result.stderr


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="built with a C library there")
def test_on_linux_it_is_built_without_a_c_library(tmp_path: Path) -> None:
    """A library takes longer to start than everything that the client does."""
    found = hatch_build.compiled(tmp_path / "client", "checkout".ljust(32, "-"))
    assert found
    assert b"GLIBC" not in found.read_bytes()
    assert found.stat().st_size < 100_000


def test_who_the_agent_is_stands_in_the_registered_command(gate: Gate) -> None:
    """It precedes the host and the event, and overrides the environment."""
    (gate.child.root / "gate").mkdir(exist_ok=True)
    (gate.child.root / "gate" / "policy.toml").write_text('profile = "squad"\n')
    *client, host, event = gate.client.words()
    for _ in range(2):  # cold, warm
        answer = gate.child.run(
            [*client, "TOOLGATE_ROLE=coordinator", "TOOLGATE_AGENT=Squad", host, event], gate.payload("touch a")
        )
        assert answer.code == 2
        assert b"task tool" in answer.err
        assert is_silence(gate.child.run([*client, "TOOLGATE_ROLE=agent", host, event], gate.payload("touch a")))
        assert is_silence(gate.child.run([*client, host, event], gate.payload("touch a")))


@pytest.mark.parametrize("word", ["TOOLGATE_HOME=/", "TOOLGATE_PROFILE=observe", "PATH=/", "TOOLGATE_ROLE"])
def test_nothing_else_does(gate: Gate, word: str) -> None:
    *client, host, event = gate.client.words()
    answer = gate.child.run([*client, word, host, event], gate.payload("ls"))
    assert answer.code == 2
    assert b"usage" in answer.err
