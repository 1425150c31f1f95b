"""`check --calls` and `explain --jsonl` answer every line, whatever it contains."""

import json
from typing import Any

import pytest

from toolgate.app import App
from toolgate.cli.check import _judge_lines
from toolgate.cli.explain import _explain_lines
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.event import Caller, Scene
from toolgate.model.world import NoAnswer

SCENE = Scene(Caller("claude-code"), "/home/u/project", "/home/u/project", "/home/u", {"HOME": "/home/u"})


class Broken(SimulatedWorld):
    """A machine on which one path cannot be examined."""

    def link(self, path: str) -> str | NoAnswer:
        if path.endswith("/cursed"):
            raise RuntimeError
        return super().link(path)


def verdicts(capsys: pytest.CaptureFixture[str], *lines: str) -> list[dict[str, Any]]:
    _judge_lines([line.encode() for line in lines], App(Broken), SCENE, None, "claude-code")
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def call(command: str) -> str:
    return json.dumps({"id": command, "tool": "Bash", "input": {"command": command}})


def test_every_line_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    answers = verdicts(capsys, call("ls"), "{", call("rm -rf /"), '{"tool": 1}', "[]")
    assert [each["verdict"] for each in answers] == ["pass", "deny", "deny", "deny", "deny"]


def test_what_cannot_be_judged_is_refused_and_the_rest_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    cursed, harmless, harmful = verdicts(capsys, call("cat cursed/x"), call("ls"), call("rm -rf /"))
    assert (cursed["verdict"], cursed["id"]) == ("deny", "cat cursed/x")
    assert "could not judge this call (RuntimeError)" in cursed["reason"]
    assert (harmless["verdict"], harmful["verdict"]) == ("pass", "deny")


def test_what_cannot_be_read_is_opaque_and_the_rest_is_read() -> None:
    lines = (b'{"id": 1, "text": "cat cursed/x"}', b'{"id": 2, "text": "ls"}', b"\xff", b'{"id": 3, "text": "rm \\ud800"}')
    cursed, harmless, bytes_, half = _explain_lines(lines, App(Broken), SCENE)
    assert "RuntimeError" in str(cursed["why"])
    assert [each["opaque"] for each in (cursed, harmless, bytes_)] == [True, False, True]
    assert harmless["id"] == 2
    assert half["id"] == 3
