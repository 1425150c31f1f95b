"""Tests the daemon when it is killed, stopped, hung, faked, outdated and overloaded: each call gets the right answer or its
event's refusal.
"""

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from faults.child import is_refusal, is_silence
from faults.clients import Gate, compile_client, open_gate, wait_until, workers
from toolgate.machine import build

HARM = "rm -rf /"


def test_it_is_killed(gate: Gate, event: str) -> None:
    gate.ask("ls")
    first = gate.daemon()
    os.killpg(first, signal.SIGKILL)
    wait_until(lambda: first not in gate.daemons())
    assert gate.is_right(gate.ask(HARM, event), HARM, event)  # past a stale socket
    assert gate.daemon() != first


def test_its_master_is_killed(gate: Gate, event: str) -> None:
    """Its workers may answer once more; then they notice that they are alone."""
    gate.ask("ls")
    first = gate.daemon()
    left = workers(first)
    os.kill(first, signal.SIGKILL)
    for _ in range(6):
        assert gate.is_right(gate.ask(HARM, event), HARM, event)
    assert gate.daemon() != first
    wait_until(lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in left))


def test_its_workers_are_killed_while_they_are_asked(gate: Gate) -> None:
    gate.ask("ls")
    master = gate.daemon()
    stop = threading.Event()

    def kill() -> None:
        while not stop.is_set():
            for pid in workers(master):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        answers = [gate.ask(HARM) for _ in range(20)]
    finally:
        stop.set()
        killer.join()
    assert all(is_refusal("PreToolUse", each) for each in answers)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere its workers take turns")
def test_calls_one_after_the_other_go_to_the_same_worker(tmp_path: Path) -> None:
    """One worker keeps its memory of earlier requests. The other one serves calls that arrive meanwhile."""
    with open_gate(tmp_path, "native") as gate:
        gate.ask("ls")
        master = gate.daemon()
        wait_until(lambda: "ready" in gate.log() and len(workers(master)) == 2)
        before = [_turns(pid) for pid in workers(master)]
        for _ in range(20):
            gate.ask("ls")
            time.sleep(0.02)  # until it waits again
        grown = sorted(_turns(pid) - had for pid, had in zip(workers(master), before, strict=True))
        assert grown[1] >= 15 > 5 >= grown[0]


def _turns(pid: int) -> int:
    """Returns how often a process was scheduled."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[2])


@pytest.mark.parametrize("what", ["all of it", "its workers"])
def test_it_is_stopped(impatient_gate: Gate, event: str, what: str) -> None:
    """Nobody accepts the request: the call is judged without the daemon, and the daemon is ended, so that later calls do not have
    to wait."""
    impatient_gate.engine_with("from toolgate.transport import running_daemons; running_daemons.PONG = 0.2")
    impatient_gate.ask("ls")
    first = impatient_gate.daemon()
    wait_until(lambda: len(workers(first)) == 2 and "ready" in impatient_gate.log())
    for pid in [first, *workers(first)] if what == "all of it" else workers(first):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    assert impatient_gate.is_right(impatient_gate.ask(HARM, event), HARM, event)
    wait_until(lambda: first not in impatient_gate.daemons())
    assert impatient_gate.is_right(impatient_gate.ask(HARM, event), HARM, event)
    assert impatient_gate.daemon() != first


def test_a_call_that_its_client_gave_up_is_not_judged_again(impatient_gate: Gate) -> None:
    """The daemon is only slow: later it finds a whole request in its queue, whose client was answered by an engine of its own."""
    judged = impatient_gate.child.root / "judged"
    impatient_gate.engine_with(NOTES_CALLS.format(file=str(judged)))
    impatient_gate.ask("ls")
    master = impatient_gate.daemon()
    wait_until(lambda: len(workers(master)) == 2 and "ready" in impatient_gate.log())
    stopped = workers(master)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    assert is_silence(impatient_gate.ask("ls given-up"))
    for pid in stopped:
        with suppress(ProcessLookupError):  # on a busy machine, another one has taken its place meanwhile
            os.kill(pid, signal.SIGCONT)
    assert is_silence(impatient_gate.ask("ls later"))
    assert impatient_gate.daemons() == [master]
    assert judged.read_text().split() == ["given-up", "later"]


NOTES_CALLS = """
from toolgate.app import App
from toolgate.transport import running_daemons
handle = App.handle

def noted(app, request):
    for word in ("given-up", "later"):
        if word.encode() in request.payload:
            with open({file!r}, "a") as notes:
                notes.write(word + " ")
    return handle(app, request)

App.handle = noted
running_daemons.PONG = 30
"""


TROUBLE = """
import os, signal, time
from toolgate.app import App
handle = App.handle

def troubled(app, request):
    if b"loop-for-ever" in request.payload:
        while True:
            pass
    if b"deaf-for-ever" in request.payload:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(60)
    if b"segfault" in request.payload:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"go-silently" in request.payload:
        os._exit(0)
    return handle(app, request)

App.handle = troubled
from toolgate.transport import daemon
daemon.TICK = 0.1
"""


@pytest.mark.parametrize("what", ["loop-for-ever", "deaf-for-ever", "segfault", "go-silently"])
def test_judging_breaks_down(impatient_gate: Gate, event: str, what: str) -> None:
    impatient_gate.engine_with(TROUBLE)
    assert is_refusal(event, impatient_gate.ask(f"echo {what}", event))  # cold
    wait_until(
        lambda: is_silence(impatient_gate.ask("ls")) and impatient_gate.daemons()
    )  # the engine that broke down may still be going
    assert is_refusal(event, impatient_gate.ask(f"echo {what}", event))  # warm
    assert impatient_gate.is_right(impatient_gate.ask(HARM, event), HARM, event)
    assert impatient_gate.is_right(impatient_gate.ask(HARM, event), HARM, event)


def test_a_stuck_worker_is_ended_and_replaced(impatient_gate: Gate) -> None:
    impatient_gate.engine_with(TROUBLE + "daemon.STUCK = 1.0\n")
    impatient_gate.ask("ls")
    master = impatient_gate.daemon()
    wait_until(lambda: "ready" in impatient_gate.log() and len(workers(master)) == 2)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: impatient_gate.ask("echo deaf-for-ever"), range(2)))
    assert all(is_refusal("PreToolUse", each) for each in answers)
    wait_until(lambda: "stuck" in impatient_gate.log() and len(workers(master)) == 2)
    assert is_silence(impatient_gate.ask("ls"))
    assert impatient_gate.daemons() == [master]


def test_workers_that_never_live(gate: Gate, event: str) -> None:
    gate.engine_with("from toolgate.transport import daemon\ndef dead(worker): raise SystemExit(1)\ndaemon.Worker.run = dead\n")
    assert gate.is_right(gate.ask(HARM, event), HARM, event)
    wait_until(lambda: "stopped: its workers die" in gate.log())
    assert gate.is_right(gate.ask(HARM, event), HARM, event)


# ---- somebody else in its place


SILENCE_FRAME = struct.pack("=4s32sIII", b"TGA1", build.CHECKOUT.encode(), 0, 0, 0)
FAKES = {
    "garbage": b"HTTP/1.1 200 OK\r\n\r\n" * 9,
    "nothing": b"",
    "truncated": struct.pack("=4s32sIII", b"TGA1", build.CHECKOUT.encode(), 0, 500, 0) + b"{}",
    "half a header": SILENCE_FRAME[:20],
    "oversized": struct.pack("=4s32sIII", b"TGA1", build.CHECKOUT.encode(), 0, 1 << 31, 0),
    "another build": struct.pack("=4s32sIII", b"TGA1", b"0" * 32, 0, 0, 0),
    "another version": b"TGA2" + SILENCE_FRAME[4:],
    "an exit code of 1": struct.pack("=4s32sIII", b"TGA1", build.CHECKOUT.encode(), 1, 0, 0),
    "more than its size": SILENCE_FRAME + b"{}",
}


@contextmanager
def in_its_place(gate: Gate, serve: Callable[[socket.socket], None]) -> Iterator[None]:
    """Creates a socket of the right name on which no daemon of ours listens."""
    gate.ask("ls")
    os.killpg(gate.daemon(), signal.SIGKILL)
    wait_until(lambda: not gate.daemons())
    (path,) = gate.run.glob("*.sock")
    path.unlink()
    folder = os.open(gate.run, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        os.close(folder)
        listener.listen(16)
        thread = threading.Thread(target=_serve_connections, args=(listener, serve), daemon=True)
        thread.start()
        yield
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def _serve_connections(listener: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    while True:
        try:
            conversation, _ = listener.accept()
        except OSError:
            return
        with conversation:
            serve(conversation)


@pytest.mark.parametrize("what", FAKES)
def test_an_answer_that_is_none(gate: Gate, event: str, what: str) -> None:
    def serve(conversation: socket.socket) -> None:
        conversation.recv(1 << 20)
        try:
            conversation.sendall(FAKES[what])
        except OSError:
            pass

    with in_its_place(gate, serve):
        assert gate.is_right(gate.ask(HARM, event), HARM, event)


def test_it_takes_the_request_and_says_nothing(impatient_gate: Gate, event: str) -> None:
    """It may be working: the client waits, and refuses in the end."""
    held = []

    def serve(conversation: socket.socket) -> None:
        conversation.recv(1 << 20)
        held.append(conversation.dup())

    with in_its_place(impatient_gate, serve):
        assert is_refusal(event, impatient_gate.ask("ls", event))
    for each in held:
        each.close()


# ---- the folder of sockets


@pytest.mark.parametrize("what", ["open to others", "another's", "a link", "a file", "not writable", "a folder for a lock"])
def test_a_folder_that_cannot_be_trusted(gate: Gate, event: str, what: str) -> None:
    gate.run.parent.mkdir()
    if what == "a link":
        (gate.run.parent / "elsewhere").mkdir(mode=0o700)
        gate.run.symlink_to(gate.run.parent / "elsewhere")
    elif what == "a file":
        gate.run.write_text("")
    else:
        gate.run.mkdir(mode=0o700)
    if what == "open to others":
        gate.run.chmod(0o755)
    if what == "another's":
        if os.getuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(gate.run, 1, 1)
    if what == "not writable":
        gate.run.chmod(0o500)
    if what == "a folder for a lock":
        gate.ask("ls")
        os.killpg(gate.daemon(), signal.SIGKILL)
        (lock,) = gate.run.glob("*.lock")
        lock.unlink()
        lock.mkdir()
    for _ in range(2):
        assert gate.is_right(gate.ask(HARM, event), HARM, event)
    if what != "not writable" or os.getuid() != 0:
        assert gate.daemons() == []


def test_a_path_that_is_longer_than_a_sockets_address(gate: Gate) -> None:
    long = gate.child.root / ("long" * 20) / ("name" * 20)
    long.mkdir(parents=True)
    gate.child.environ["TOOLGATE_HOME"] = str(long)
    run = long / "run"
    assert is_refusal("PreToolUse", gate.ask(HARM))
    wait_until(lambda: any("ready" in log.read_text() for log in run.glob("*.log")))
    (lock,) = run.glob("*.lock")
    pid = int(lock.read_text().split()[0])
    assert is_refusal("PreToolUse", gate.ask(HARM))
    os.killpg(pid, signal.SIGKILL)
    assert not list((run).glob("*.sock-*"))


# ---- many at once


def test_fifty_first_calls_at_once(gate: Gate) -> None:
    def ask(number: int) -> bool:
        return is_refusal("PreToolUse", gate.ask(HARM)) if number % 2 else is_silence(gate.ask("git status"))

    gate.client.words()
    with ThreadPoolExecutor(50) as pool:
        assert all(pool.map(ask, range(50)))
    master = gate.daemon()
    assert gate.log().count(" started") == 1
    assert gate.daemons() == [master]


def test_the_policy_is_replaced_under_load(gate: Gate) -> None:
    """Each call sees one policy or the other completely."""
    texts = [
        f'[[rule]]\nid = "mine.{word}"\non = {{program = "frobnicate"}}\nverdict = "deny"\nreason = "{word * 60}"\n'
        for word in ("a", "b")
    ]
    gate.child.policy(texts[0])
    gate.ask("ls")
    gate.daemon()
    policy, stop = gate.child.root / "gate" / "policy.toml", threading.Event()

    def replace() -> None:
        while not stop.is_set():
            for text in texts:
                new = policy.with_suffix(".new")
                new.write_text(text)
                os.replace(new, policy)
                time.sleep(0.002)

    replacing = threading.Thread(target=replace)
    replacing.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: gate.ask("frobnicate"), range(60)))
    finally:
        stop.set()
        replacing.join()
    reasons = {each.table["hookSpecificOutput"]["permissionDecisionReason"] for each in answers}
    assert all(is_refusal("PreToolUse", each) for each in answers)
    assert all(("a" * 60 in reason) != ("b" * 60 in reason) for reason in reasons), reasons


def test_a_policy_that_changes_holds_from_the_next_call_on(gate: Gate) -> None:
    rule = '[[rule]]\nid = "mine.x"\non = {program = "frobnicate"}\nverdict = "deny"\nreason = "never"\n'
    gate.ask("ls")
    gate.daemon()
    for _ in range(5):
        gate.child.policy(rule)
        assert is_refusal("PreToolUse", gate.ask("frobnicate"))
        gate.child.policy("")
        assert is_silence(gate.ask("frobnicate"))


@pytest.mark.parametrize("broken", ["rules = [", "\0\0", "verdikt = 1\n"])
def test_a_policy_breaks_while_it_runs(gate: Gate, broken: str) -> None:
    gate.child.policy("")
    gate.ask("ls")
    master = gate.daemon()
    gate.child.policy(broken)
    for _ in range(3):
        assert is_refusal("PreToolUse", gate.ask(HARM))
    gate.child.policy("")
    assert is_silence(gate.ask("ls"))
    assert gate.daemons() == [master]


def test_a_record_that_cannot_be_written(gate: Gate) -> None:
    gate.ask("ls")
    gate.daemon()
    shutil.rmtree(gate.child.root / "gate" / "state", ignore_errors=True)
    (gate.child.root / "gate" / "state").write_text("no folder\n")
    answer = gate.ask(HARM)
    assert is_refusal("PreToolUse", answer)
    assert "record" in answer.table["systemMessage"]


# ---- its end


def test_nobody_calls_for_long(gate: Gate) -> None:
    gate.engine_with("from toolgate.transport import daemon; daemon.IDLE, daemon.TICK = 1.0, 0.1")
    gate.ask("ls")
    wait_until(lambda: "stopped: nobody called" in gate.log())
    wait_until(lambda: not gate.daemons())
    assert not list(gate.run.glob("*.sock"))
    assert is_refusal("PreToolUse", gate.ask(HARM))


def test_its_socket_is_taken_away(gate: Gate) -> None:
    gate.engine_with("from toolgate.transport import daemon; daemon.TICK = 0.1")
    gate.ask("ls")
    first = gate.daemon()
    (path,) = gate.run.glob("*.sock")
    path.unlink()
    wait_until(lambda: first not in gate.daemons())
    assert is_refusal("PreToolUse", gate.ask(HARM))
    assert gate.daemon() != first


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_is_told_to_go_while_it_is_asked(gate: Gate, number: signal.Signals) -> None:
    gate.ask("ls")
    first = gate.daemon()
    wait_until(lambda: "ready" in gate.log())
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda _: gate.ask(HARM), range(30))
        os.kill(first, number)
        assert all(is_refusal("PreToolUse", each) for each in answers)
    wait_until(lambda: first not in gate.daemons())


def test_an_upgrade_while_it_runs(tmp_path: Path) -> None:
    """The old client and the new one, while the package is replaced under the daemon."""
    site = tmp_path / "site"
    shutil.copytree(build.PACKAGE, site / "toolgate")
    patch = f"import sys; sys.path.insert(0, {str(site)!r}); sys.modules.pop('toolgate', None)\n"
    patch += "from toolgate.transport import daemon; daemon.TICK = 0.1\n"
    named = site / "toolgate" / "transport" / "BUILD"
    with open_gate(tmp_path, "native", build="a" * 32) as gate:
        gate.engine_with(patch)
        named.write_text("a" * 32)
        assert is_refusal("PreToolUse", gate.ask(HARM))
        first = gate.daemon()
        named.unlink()
        named.write_text("b" * 32)
        assert is_refusal("PreToolUse", gate.ask(HARM))  # by the old daemon, or by the client that finds no engine of its build
        wait_until(lambda: first not in gate.daemons())
        assert "code has changed" in gate.log()
        assert is_refusal("PreToolUse", gate.ask("ls"))
        shutil.copy(compile_client("native", 8.0, 1.0, "b" * 32), tmp_path / "bin" / "toolgate-hook")
        assert is_silence(gate.ask("ls"))
        assert is_refusal("PreToolUse", gate.ask(HARM))
        assert gate.daemon() != first


# ---- law 8: nothing of the daemon's own reaches a verdict


def test_the_first_callers_surroundings_are_nobody_elses(gate: Gate) -> None:
    elsewhere = gate.child.root / "elsewhere"
    elsewhere.mkdir()
    evil = gate.child.root / "evil"
    evil.mkdir()
    (evil / "json.py").write_text("import os\nos.write(1, b'owned')\nos._exit(0)\n")
    mine = dict(gate.child.environ)
    theirs = mine | {
        "HOME": str(elsewhere),
        "TOOLGATE_PROFILE": "observe",
        "LANG": "C",
        "LC_ALL": "C",
        "TZ": "Asia/Tokyo",
        "CDPATH": "/",
        "PYTHONPATH": str(evil),
        "PYTHONHASHSEED": "1",
        "PYTHONUTF8": "0",
        "LD_LIBRARY_PATH": str(evil),
        "BUILD_DIR": "/",
    }
    gate.child.cwd = str(elsewhere)
    gate.ask("ls", environ=theirs, before=lambda: os.umask(0) and None)
    master = gate.daemon()
    assert Path(f"/proc/{master}/environ").read_bytes() == b""
    assert os.readlink(f"/proc/{master}/cwd") == "/"
    assert int(Path(f"/proc/{master}/status").read_text().partition("Umask:")[2].split()[0], 8) == 0o077
    gate.child.cwd = str(gate.child.root / "project")
    for command in (
        HARM,
        'rm -rf "$BUILD_DIR"',
        "rm -rf ~/x",
        "rm -rf ../elsewhere",
        "echo ü > ~/.bashrc",
        "cd elsewhere && rm -rf .",
    ):
        assert gate.is_right(gate.ask(command, environ=mine), command), command
    assert gate.daemons() == [master]


def test_python_is_told_nothing(gate: Gate) -> None:
    gate.ask("ls")
    command = Path(f"/proc/{gate.daemon()}/cmdline").read_bytes().split(b"\0")
    assert command[1:5] == [b"-I", b"-S", b"-X", b"utf8"]


def test_the_session_start_makes_it_warm(gate: Gate) -> None:
    answer = gate.child.run(gate.client.words("SessionStart"), gate.child.payload("", "SessionStart", source="startup"))
    assert answer.code == 0
    wait_until(lambda: "ready" in gate.log())


def test_it_keeps_to_its_own_user(gate: Gate) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can be somebody else")
    gate.ask("ls")
    gate.daemon()
    (path,) = gate.run.glob("*.sock")
    for folder in (gate.run, gate.run.parent):
        folder.chmod(0o755)
    path.chmod(0o777)
    program = (
        "import os, socket, sys\nfolder, s = os.open(sys.argv[1], os.O_PATH), socket.socket(socket.AF_UNIX)\n"
        "os.setresuid(1, 1, 1)\ns.connect(f'/proc/self/fd/{folder}/{sys.argv[2]}')\ns.sendall(sys.stdin.buffer.read())\n"
        "print(s.recv(9))"
    )
    frame = struct.pack("=4s32sqIIIIIII", b"TGQ1", build.CHECKOUT.encode(), 0, 1, 5000, 0, 0, 0, 0, 0)
    words = [sys.executable, "-I", "-S", "-c", program, str(gate.run), path.name]
    result = subprocess.run(words, input=frame, capture_output=True, check=False)
    assert result.stdout == b"b''\n" or b"ConnectionReset" in result.stderr or b"BrokenPipe" in result.stderr, result
    mine = subprocess.run(
        [word.replace("(1, 1, 1)", "(0, 0, 0)") for word in words], input=frame, capture_output=True, check=False
    )
    assert mine.stdout == b"b'TGA1check'\n", mine
