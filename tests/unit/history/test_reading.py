"""Reads the records of hosts as the real clients wrote them, whatever is wrong with a file."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from toolgate.history import UnknownFormat, find_files, read_file
from toolgate.history.calls import PastCall, UnreadableLine
from toolgate.history.json_lines import MAX_LINE_LENGTH

FORMS = Path(__file__).parent / "records"


def calls(path: Path) -> list[PastCall]:
    return [each for each in read_file(str(path)) if isinstance(each, PastCall)]


def test_a_transcript_of_claude_code() -> None:
    """Version 2.1.328 wrote it; shortened, with a request's body that repeats a call."""
    found = calls(FORMS / "claude-code.jsonl")
    assert [(call.tool, call.arguments.get("command"), call.outcome) for call in found] == [
        ("Bash", "touch passed", "ran"),
        ("Bash", "false", "failed"),
        ("Bash", "touch denied # DENY-ME", "refused"),
    ]
    assert {(call.host, call.session, call.project, call.cwd) for call in found} == {
        ("claude-code", "95ef86ef-d651-46fb-8ec1-0d66fa56dccc", "/home/dev/project", "/home/dev/project")
    }


def test_events_of_copilot() -> None:
    """Version 1.0.102 wrote them; shortened."""
    found = calls(FORMS / "copilot.jsonl")
    assert [(call.tool, call.arguments.get("command"), call.outcome) for call in found] == [
        ("bash", "touch passed", "ran"),
        ("bash", "false", "ran"),
        ("bash", "rm -rf ~", "refused"),
    ]
    assert {(call.host, call.cwd) for call in found} == {("copilot", "/home/dev/project")}


def test_rollouts_of_codex() -> None:
    """Version 0.169.0 wrote them; shortened."""
    found = calls(FORMS / "codex.jsonl")
    assert [(call.tool, str(call.arguments["command"]).partition("\n")[0], call.outcome) for call in found] == [
        ("Bash", "touch passed", "ran"),
        ("Bash", "false", "failed"),
        ("Bash", "rm -rf ~", "refused"),
        ("apply_patch", "*** Begin Patch", "ran"),
    ]
    assert {(call.host, call.project, call.cwd) for call in found} == {("codex", "/home/dev/project", "/home/dev/project")}
    assert len({call.session for call in found}) == 1


def test_a_rollout_of_an_earlier_codex_holds_words(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    meta = {"type": "session_meta", "payload": {"id": "s", "cwd": "/x"}}
    words = {"command": ["bash", "-lc", "ls"], "workdir": "sub"}
    lines = [
        {"type": "function_call", "name": "shell", "call_id": "1", "arguments": json.dumps(words)},
        {"type": "function_call", "name": "shell", "call_id": "2", "arguments": "{"},
        {"type": "function_call", "name": "mcp__stub__peek", "call_id": "3", "arguments": '{"path": "a"}'},
    ]
    path.write_text(
        "\n".join(json.dumps(each) for each in (meta, *({"type": "response_item", "payload": x} for x in lines))) + "\n"
    )
    first, second, third = read_file(str(path))
    assert isinstance(first, PastCall)
    assert (first.cwd, first.arguments, first.outcome) == ("/x/sub", {"command": "ls"}, "unknown")
    assert isinstance(second, UnreadableLine)
    assert isinstance(third, PastCall)
    assert (third.tool, third.arguments) == ("mcp__stub__peek", {"path": "a"})


def make_database(folder: Path, *statements: str) -> Path:
    path = folder / "opencode.db"
    database = sqlite3.connect(path)
    database.executescript((FORMS / "opencode.sql").read_text() + "\n".join(statements))
    database.commit()
    database.close()
    return path


def test_the_database_of_opencode(tmp_path: Path) -> None:
    """Version 1.18.33 wrote it; shortened."""
    path = make_database(tmp_path)
    assert list(find_files([str(tmp_path)])) == [str(path)]
    found = calls(path)
    assert [(call.tool, call.arguments.get("command"), call.outcome) for call in found] == [
        ("bash", "touch passed", "ran"),
        ("bash", "false", "failed"),
        ("bash", "rm -rf ~", "refused"),
        ("write", None, "ran"),
    ]
    assert {(call.host, call.cwd) for call in found} == {("opencode", "/home/dev/project")}
    assert found[0].time == "2026-11-23T19:23:55.512Z"


def test_a_database_with_anything_in_it(tmp_path: Path) -> None:
    rows = ("{", "[]", '{"type":"tool"}', "\x01", '{"type":"tool","tool":"bash","state":{"input":{}}}')
    bad = [f"INSERT INTO part VALUES ('p{n}', 'm', 'nowhere', -1, 0, '{row}');" for n, row in enumerate(rows)]
    every = list(read_file(str(make_database(tmp_path, *bad))))
    assert [each.cause for each in every if isinstance(each, UnreadableLine)] == [
        "does not parse as JSON",
        "a call without the name of its tool, or without arguments",
        "does not parse as JSON",
    ]
    assert len([each for each in every if isinstance(each, PastCall)]) == 5


def test_a_broken_database_is_an_error_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    with pytest.raises(OSError, match="cannot be read"):
        list(read_file(str(path)))


def test_calls_a_line_each(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text('{"tool": "Bash", "input": {"command": "ls"}, "cwd": "/x"}\n{"tool": "Bash"}\n')
    first, second = read_file(str(path))
    assert isinstance(first, PastCall)
    assert (first.tool, first.cwd, first.outcome) == ("Bash", "/x", "unknown")
    assert second == UnreadableLine(str(path), 2, 'a call is an object with "tool" (text) and "input" (an object)')


CALL: dict[str, Any] = {
    "type": "assistant",
    "sessionId": "s",
    "cwd": "/x",
    "message": {"content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "ls"}}]},
}


def change_call(**parts: Any) -> dict[str, Any]:
    return {**CALL, "message": {"content": [{**CALL["message"]["content"][0], **parts}]}}


@pytest.mark.parametrize(
    ("line", "readable"),
    [
        (b'{"type": "assistant", "sessionId": "s", "message": {"tool_use', 1),  # it is being written
        (b'{"tool_use": \n', 1),
        (b'"tool_use"\n', 1),
        (b"[" * 100_000 + b'"tool_use"\n', 1),
        (json.dumps(change_call(input="ls")).encode() + b"\n", 1),
        (json.dumps(change_call(name=None)).encode() + b"\n", 1),
        (json.dumps({**CALL, "message": {"content": "tool_use"}}).encode() + b"\n", 1),
        (json.dumps({**CALL, "message": {"content": [["tool_use"]]}}).encode() + b"\n", 1),
        (json.dumps({**CALL, "type": "of a later version", "tool_use": 1}).encode() + b"\n", 1),
        (json.dumps(change_call(id="2", input={"command": "\x1b[2J\ud800"})).encode() + b"\n", 2),
        (b'{"tool_use": "\xff\xfe"}\n', 1),
    ],
)
def test_a_broken_line_hides_no_other(tmp_path: Path, line: bytes, readable: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(CALL).encode() + b"\n" + line)
    assert len(calls(path)) == readable


def test_what_a_broken_line_was_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(CALL).encode() + b'\n{"tool_use": \n' + json.dumps(change_call(input=3)).encode() + b"\n")
    gaps = [each for each in read_file(str(path)) if isinstance(each, UnreadableLine)]
    assert [(gap.line, gap.cause) for gap in gaps] == [
        (2, "does not parse as JSON"),
        (3, "a call without the name of its tool, or without arguments"),
    ]


def test_a_line_too_long_is_passed_over_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    line = json.dumps(CALL).encode() + b"\n"
    path.write_bytes(
        line + b'"tool_use' + b"x" * (MAX_LINE_LENGTH + 10) + b"\n" + json.dumps(change_call(id="2")).encode() + b"\n"
    )
    found = list(read_file(str(path)))
    assert [type(each) for each in found] == [PastCall, UnreadableLine, PastCall]


def test_another_form_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"a": 1}\n')
    with pytest.raises(UnknownFormat):
        read_file(str(path))
    (tmp_path / "empty.jsonl").write_text("")
    assert list(read_file(str(tmp_path / "empty.jsonl"))) == []


def test_files_beneath_a_folder_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "b" / "subagents").mkdir(parents=True)
    for name in ("b/2.jsonl", "b/subagents/3.jsonl", "1.jsonl", "note.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "b" / "up").symlink_to(tmp_path)
    assert [Path(path).name for path in find_files([str(tmp_path)])] == ["1.jsonl", "2.jsonl", "3.jsonl"]
