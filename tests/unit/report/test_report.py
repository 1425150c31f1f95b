"""Tests figures, chunks and the file, without a browser."""

import gzip
import itertools
import json
import os
import stat
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest

from toolgate.audit.fields import make_visible
from toolgate.report.figures import MOST_STEPS, collect_figures
from unit.report.logs import HOSTILE, call, denied_call, nearly_stopped, write_log


def test_calls_are_counted_by_rule_tool_effect_session_and_policy() -> None:
    figures = collect_figures([call(0), denied_call(1), nearly_stopped(2), {}, call(3, tool="Read", policy="b")])
    assert (figures.total.calls, figures.total.stops, figures.total.near, figures.unreadable) == (4, 1, 1, 1)
    assert {rule: tally.calls for rule, tally in figures.rules.items()} == {"filesystem.delete-protected": 1, "git.force-push": 1}
    assert {tool: tally.calls for tool, tally in figures.tools.items()} == {"Bash": 3, "Read": 1}
    assert figures.stakes["Delete", "home"].stops == 1
    assert [tally.calls for tally in figures.policies.values()] == [3, 1]
    assert figures.sessions["session-0"].host == "claude-code"


def test_the_calls_of_a_session_lie_together_and_none_is_lost() -> None:
    figures = collect_figures(call(n, session=f"s{n % 3}") for n in range(5000))
    rows = [json.loads(gzip.decompress(b64decode(chunk))) for chunk in figures.chunks]
    assert [len(each) for each in rows] == [2000, 2000, 1000]
    for session, places in figures.places.items():
        own = [row[3] for place in places for row in rows[place.chunk][place.start : place.end]]
        assert own == [f"ls -la folder-{n}" for n in range(5000) if f"s{n % 3}" == session]


@pytest.mark.parametrize("minutes", [0, 1, 149, 150, 10_000, 1_000_000])
def test_the_time_axis_has_few_steps_and_every_call(minutes: int) -> None:
    figures = collect_figures([call(0)])
    (first,) = figures.minutes
    figures.minutes[first + 60 * minutes] = figures.minutes[first]
    width, steps = figures.timeline()
    assert len(steps) <= MOST_STEPS + 1
    assert sum(step.verdicts.total() for _, step in steps) == (2 if minutes else 1)
    assert all(after - before == width for (before, _), (after, _) in itertools.pairwise(steps))


@pytest.mark.parametrize(
    "changes",
    [
        {"time": "yesterday"},
        {"time": "0001-01-01T00:00:00Z"},
        {"time": 7},
        {"rules": 3, "effects": [None, {}, {"zones": 4}, {"kind": ["x"]}]},
        {"microseconds": "x"},
        {"session": None, "tool": {}},
        {"operation": HOSTILE * 1000},
    ],
)
def test_a_strange_record_is_counted_and_no_error(changes: dict[str, object]) -> None:
    figures = collect_figures([call(0, **changes), call(1)])
    figures.timeline()
    assert figures.total.calls == 2


def test_control_characters_and_reordering_are_written_out() -> None:
    assert make_visible("a\x1b[2J\u202eb\ud800\né") == "a\\x1b[2J\\u202eb\\ud800\\n\u00e9"


def run(folder: Path, *words: str, path: str = "") -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home"), "PYTHONPATH": path}
    command = [sys.executable, "-m", "toolgate", "report", *words]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


def test_only_its_owner_can_read_the_file(tmp_path: Path) -> None:
    write_log(tmp_path / ".home" / "state" / "audit", [call(0), denied_call(1)])
    result = run(tmp_path, "report.html")
    assert (result.returncode, result.stdout) == (0, "2 calls of 1 session, in report.html\n")
    assert stat.S_IMODE((tmp_path / "report.html").stat().st_mode) == 0o600


def test_since_leaves_out_earlier_days(tmp_path: Path) -> None:
    write_log(tmp_path / ".home" / "state" / "audit", [call(0)])
    assert run(tmp_path, "--since", "2026-11-23", "report.html").stdout.startswith("0 calls")


def test_without_jinja2_the_remedy_is_named(tmp_path: Path) -> None:
    hidden = tmp_path / "without"
    hidden.mkdir()
    (hidden / "jinja2.py").write_text("raise ImportError('No module named jinja2', name='jinja2')\n")
    result = run(tmp_path, "report.html", path=str(hidden))
    assert result.returncode == 69
    assert result.stderr == "toolgate: the report needs jinja2: pip install 'toolgate[report]'\n"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run(tmp_path, "file/report.html")
    assert result.returncode == 1
    assert "file/report.html cannot be written" in result.stderr
