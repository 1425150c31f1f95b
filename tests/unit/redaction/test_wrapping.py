"""Runs a wrapped command in real shells: its output and order, its exit status, its directory, and what it leaves running."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults.clients import wait_until
from toolgate.sessions.command_filter import unwrap_command, wrap_command
from unit.redaction.planted import GITHUB

SHELLS = [shell for shell in ("bash", "zsh", "dash") if shutil.which(shell)]


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(shell: str, command: str, folder: Path, *, one_file: bool = True, after: str = "") -> tuple[int, bytes, bytes]:
    """Runs the text by `eval` as a host does, then what the host does to find out the directory."""
    environ = {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".gate")}
    environ["FOLDER"] = str(folder)
    environ["TEXT"] = wrap_command(command, "s-1", "0123456789abcdef")
    result = subprocess.run(
        [shell, "-c", f'eval "$TEXT"; s=$?; pwd > "$FOLDER/where"; {after} exit $s'],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if one_file else subprocess.PIPE,
        timeout=60,
        check=False,
    )
    return result.returncode, result.stdout, result.stderr or b""


def test_what_it_prints_is_hidden_and_in_order(shell: str, tmp_path: Path) -> None:
    command = f"echo one; echo two {GITHUB} >&2; echo three; echo four >&2"
    code, out, _ = run(shell, command, tmp_path)
    lines = out.decode().splitlines()
    assert code == 0
    assert [line.split()[0] for line in lines] == ["one", "two", "three", "four"]
    assert "[REDACTED:github-token:" in lines[1]
    assert list(tmp_path.glob("tmp*")) == []


def test_two_streams_stay_two(shell: str, tmp_path: Path) -> None:
    code, out, err = run(shell, f"echo out {GITHUB}; echo err {GITHUB} >&2; exit 3", tmp_path, one_file=False)
    assert code == 3
    assert out.startswith(b"out [REDACTED:github-token:")
    assert err.startswith(b"err [REDACTED:github-token:")
    assert (out.count(b"\n"), err.count(b"\n")) == (1, 1)


@pytest.mark.parametrize(
    ("command", "code"),
    [("true", 0), ("false", 1), ("exit 7", 7), ("(exit 9)", 9), ("set -e; false; echo no", 1), ("kill -TERM $$; sleep 5", 143)],
)
def test_how_it_ends(shell: str, command: str, code: int, tmp_path: Path) -> None:
    if "kill" in command:
        command = "sh -c 'kill -TERM $$'"
    assert run(shell, command, tmp_path)[0] == code


def test_a_syntax_error_is_an_error_and_no_more(shell: str, tmp_path: Path) -> None:
    code, out, _ = run(shell, "echo 'unfinished", tmp_path)
    assert code != 0
    assert (tmp_path / "where").exists()
    assert out


def test_where_it_ends_is_kept(shell: str, tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    run(shell, "cd 'a b' && X=1", tmp_path)
    assert (tmp_path / "where").read_text() == f"{tmp_path}/a b\n"


def test_a_here_document_and_a_comment(shell: str, tmp_path: Path) -> None:
    assert run(shell, "cat <<'END'\nx $Y\nEND", tmp_path)[1] == b"x $Y\n"
    assert run(shell, "echo x # done", tmp_path)[1] == b"x\n"


def test_binary_output_is_what_it_was(shell: str, tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(200_000)  # of other noise, one in many holds what reads as an address
    (tmp_path / "noise").write_bytes(noise)
    assert run(shell, "cat noise", tmp_path)[1] == noise


def test_a_job_left_running_holds_nothing_up(shell: str, tmp_path: Path) -> None:
    began = time.monotonic()
    code, out, _ = run(shell, f"(sleep 20; echo late {GITHUB}) > late 2>&1 & echo now; wait_not=1", tmp_path)
    assert (code, out) == (0, b"now\n")
    started = subprocess.Popen(
        [shell, "-c", 'eval "$TEXT"'],
        env={
            **os.environ,
            "HOME": str(tmp_path),
            "TOOLGATE_HOME": str(tmp_path / ".gate"),
            "TEXT": wrap_command(f"(sleep 2; echo late {GITHUB}) & echo now", "s", "ffff0000ffff0000"),
        },
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    with started:
        started.wait(20)
        assert started.stdout is not None
        assert time.monotonic() - began < 40
        text = started.stdout.read().decode()  # until the job is over
    assert text.startswith("now\nlate [REDACTED:github-token:")


def test_stopping_it_stops_it(shell: str, tmp_path: Path) -> None:
    started = subprocess.Popen(
        [shell, "-c", 'eval "$TEXT"'],
        env={**os.environ, "HOME": str(tmp_path), "TEXT": wrap_command("echo $$ > pid; sleep 60", "s", "ffff0000ffff0000")},
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_until((tmp_path / "pid").exists)
    os.killpg(started.pid, signal.SIGTERM)
    assert started.wait(20) != 0


def test_it_is_known_again_and_nothing_else_is() -> None:
    for command in ("ls", "echo 'a b' \"$X\"", "cat <<'END'\nx\nEND", "x --until y", ""):
        assert unwrap_command(wrap_command(command, "s-1", "abc123")) == command
    text = wrap_command("ls", "s-1", "abc123")
    assert unwrap_command(text + "; rm -rf ~") is None
    assert unwrap_command(text.replace(sys.executable, "/tmp/evil")) is None
    assert unwrap_command(text.replace("eval", "rm -rf ~; eval")) is None
    assert unwrap_command("ls") is None
