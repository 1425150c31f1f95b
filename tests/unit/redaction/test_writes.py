"""The policy's own patterns are searched for in files that are written, too."""

from pathlib import Path

import pytest

from toolgate.api import Context, Gate, Verdict

POLICY = """
[[redaction.pattern]]
kind = "badge"
match = 'BADGE-[0-9]{6}'

[redaction.exclude]
values = ["kJ8vQ2xR7mZp4wTa"]
"""
KEY = "AK" + "IA" + "Z7QJ4M2XKWPT3NVB"


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "policy.toml").write_text(POLICY)
    return Gate(context=Context(str(tmp_path / "project"), str(tmp_path), {"TOOLGATE_HOME": str(tmp_path / "gate")}))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("the badge is BADGE-123456", Verdict.DENY),
        ("the badge is BADGE-none", Verdict.PASS),
        (f"id = {KEY}", Verdict.DENY),
        ("password = kJ8vQ2xR7mZp4wTa", Verdict.PASS),
        ("password = kJ8vQ2xR7mZp4wTn", Verdict.WARN),
    ],
)
def test_a_file(gate: Gate, text: str, verdict: Verdict) -> None:
    assert gate.judge("Write", {"file_path": "notes.txt", "content": text}).verdict is verdict
    assert gate.judge("Bash", {"command": f"echo '{text}' > notes.txt"}).verdict is verdict
