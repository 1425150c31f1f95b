"""`install --history` requires a person's consent, and lists calls that ran and would have been stopped first."""

import os
import pty
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

RECORDS = Path(__file__).parents[1] / "history" / "records"
SCRIPT = """
import toolgate.cli.past_calls as past
from toolgate.cli.surroundings import read_surroundings
past.describe_agent_above = lambda _: ""
past.offer_history(read_surroundings())
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    now = datetime.now(UTC).isoformat()
    text = re.sub(r'("timestamp": *)"[^"]*"', rf'\1"{now}"', (RECORDS / "claude-code.jsonl").read_text())
    (folder / "s.jsonl").write_text(text.replace("touch passed", "rm -rf ~/ghp_'x' && mysql -pHunter2xyz -e 'drop database x'"))
    return tmp_path


def environ(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.defpath, "TERM": "dumb", "PYTHONPATH": os.pathsep.join(sys.path)}


def on_terminal(home: Path, answer: bytes) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], cwd=home, env=environ(home), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
    ) as process:
        os.close(theirs)
        os.write(ours, answer)
        output = process.communicate()[0].decode()
    os.close(ours)
    assert process.returncode == 0
    return output


def test_a_person_who_agrees_sees_what_would_have_mattered(home: Path) -> None:
    first, *rest = on_terminal(home, b"y\n").splitlines()
    assert first.startswith("In your last 30 days, 3 calls: ")
    assert any("mysql -p[REDACTED" in line for line in rest)
    assert "Hunter2xyz" not in "".join(rest)


def test_a_person_who_declines_sees_nothing(home: Path) -> None:
    assert on_terminal(home, b"n\n") == ""


def test_without_a_person_nothing_is_read(home: Path) -> None:
    words = [sys.executable, "-m", "toolgate", "install", "claude-code", "--history"]
    result = subprocess.run(
        words, cwd=home, env=environ(home), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "In your last" not in result.stdout
    assert "on a terminal" in result.stderr or "an agent may not" in result.stderr
