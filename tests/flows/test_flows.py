"""Tests what leaves the machine, what is shown to the model, and any tool: calls that are stopped, and similar ones that are not.

Most rows were written before the rules that they are about. `@HOME@` and `@PROJECT@` stand for the folders.
"""

import json
from pathlib import Path

import pytest

from toolgate.api import Context, Gate, Verdict

HERE = Path(__file__).parent
HOME, PROJECT = "/home/somebody", "/home/somebody/project"


@pytest.mark.parametrize(("name", "stops"), [("stopped", True), ("left_alone", False)])
def test_calls_are_stopped_or_left_alone(name: str, stops: bool, tmp_path: Path) -> None:
    gate = Gate(context=Context(PROJECT, HOME, {"TOOLGATE_HOME": str(tmp_path)}))
    wrong = []
    for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line.replace("@PROJECT@", PROJECT).replace("@HOME@", HOME))
        verdict = gate.judge(row["tool"], row["input"], cwd=PROJECT).verdict
        if (verdict >= Verdict.ASK) is not stops:
            wrong.append((row, verdict))
    assert wrong == []
