"""Commands for a person's terminal only recognize an agent that started them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from toolgate.machine.ancestry import describe_agent_above


def process(proc: Path, pid: int, parent: int, name: str, *argv: str) -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    (folder / "stat").write_text(f"{pid} ({name}) S {parent} 1 1 0 -1")
    (folder / "comm").write_text(f"{name}\n")
    (folder / "cmdline").write_text("\0".join(argv))


@pytest.mark.parametrize("variable", ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"])
def test_a_variable_of_the_host_tells(tmp_path: Path, variable: str) -> None:
    assert describe_agent_above({variable: "1"}, 9, str(tmp_path)).startswith(f"{variable} is set, as claude-code")
    assert describe_agent_above({variable: ""}, 9, str(tmp_path)) == ""


@pytest.mark.parametrize(
    ("name", "argv", "seen"),
    [
        ("claude", ("claude", "-p"), True),
        ("node", ("node", "/usr/lib/node_modules/x/claude.js"), True),
        ("MainThread", ("/opt/bin/claude",), True),
        ("odd ) name", ("bash",), False),
        ("vim", ("vim", "notes", "claude"), False),
    ],
)
def test_a_process_above_tells(tmp_path: Path, name: str, argv: tuple[str, ...], seen: bool) -> None:
    process(tmp_path, 1, 0, "init", "/sbin/init")
    process(tmp_path, 5, 1, name, *argv)
    process(tmp_path, 9, 5, "bash", "bash")
    assert bool(describe_agent_above({}, 9, str(tmp_path))) is seen


def test_what_runs_beneath_is_no_matter(tmp_path: Path) -> None:
    process(tmp_path, 9, 1, "claude", "claude")
    assert describe_agent_above({}, 9, str(tmp_path)) == ""


def test_a_circle_ends(tmp_path: Path) -> None:
    process(tmp_path, 8, 9, "a", "a")
    process(tmp_path, 9, 8, "b", "b")
    assert describe_agent_above({}, 9, str(tmp_path)) == ""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="only Linux shows its processes as files")
def test_a_real_process_above_tells(tmp_path: Path) -> None:
    shell = tmp_path / "claude"
    shutil.copy("/bin/sh", shell)
    program = "from toolgate.machine.ancestry import describe_agent_above; print(describe_agent_above({}))"
    command = [str(shell), "-c", f'"{sys.executable}" -c "{program}"; true']
    result = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})
    assert result.stdout.startswith("claude-code runs above it")
