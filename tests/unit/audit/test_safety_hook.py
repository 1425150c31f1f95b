"""Tests the fleet design's log: every request is one line, which contains the decision."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from toolgate.designs.safety_hook import log as safety_hook
from toolgate.model.decision import Decision, Verdict

FORGED = ["\n2026-11-20T12:00:00Z ALLOW Bash", "\r\n", "\x1b[2J", "\u2028", '" BLOCK "', "\ud800"]
TEXT = st.text(max_size=80) | st.sampled_from(FORGED)
LOGS = ["", "2026-11-20T12:00:00Z ALLOW\n", "[2026-04-19 12:00] BLOCK\n"]


@given(TEXT, TEXT, st.sampled_from(Verdict))
def test_one_line_whatever_is_asked_for(tool: str, operation: str, verdict: Verdict) -> None:
    line = safety_hook.render_entry(tool, operation, Decision(verdict, verdict), 1_795_000_000.0)
    assert line.endswith("\n")
    assert line[:-1].isascii()
    assert line[:-1].isprintable()
    at, word, named, quoted = line[:-1].split(" ", 3)
    assert (at, word) == ("2026-11-18T11:06:40Z", {0: "ALLOW", 1: "WARN"}.get(verdict, "BLOCK"))
    assert " " not in named
    assert json.loads(quoted) == operation


def test_what_is_no_log_is_not_written_to(tmp_path: Path) -> None:
    for content, taken in (*((log, True) for log in LOGS), ("# .bashrc\n", False)):
        file = tmp_path / "x"
        file.write_text(content)
        assert (safety_hook.append_line(str(file), "line\n") == "") is taken
        assert file.read_text() == (f"{content}line\n" if taken else content)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert safety_hook.append_line(str(tmp_path / "link"), "line\n") != ""
    assert not (tmp_path / "elsewhere").exists()
