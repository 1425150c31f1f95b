"""Tests that none of 200 planted values reaches the model's requests, with the real client, the real gate, and every tool that
prints.
"""

import json

import pytest

from e2e.claude_session import Sandbox, bash, run_toolgate, turn
from e2e.conftest import Observe
from toolgate.canary.client import STUB_SERVER, render_servers
from toolgate.canary.scripted_server import ScriptedCall
from unit.redaction.planted import plant_values

pytestmark = pytest.mark.e2e

MCP = render_servers(STUB_SERVER)


def test_none_of_the_planted_values_reaches_the_model(sandbox: Sandbox, observe: Observe) -> None:
    assert run_toolgate(sandbox, "install", "claude-code").returncode == 0
    policy = sandbox.home / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text("wrap_commands = true\n")
    rows = plant_values()
    for number in range(10):
        lines = [line for line, _ in rows[number::10]]
        (sandbox.project / f"notes-{number}.txt").write_text("first line\n" + "\n".join(lines) + "\nlast line\n")
    file = {number: str(sandbox.project / f"notes-{number}.txt") for number in range(10)}
    tools = {
        "Bash": turn(bash("cat notes-0.txt")),
        "Bash, failed": turn(bash("cat notes-1.txt; exit 3")),
        "Bash, on standard error": turn(bash("cat notes-2.txt >&2; false")),
        "Read": turn(ScriptedCall("Read", {"file_path": file[3]})),
        "Bash, in a pipe": turn(bash("sort notes-4.txt | tee sorted.txt")),
        "MCP": turn(ScriptedCall("mcp__stub__peek", {"path": file[5]})),
        "Read, a part": turn(ScriptedCall("Read", {"file_path": file[6], "offset": 5, "limit": 20})),
        "Edit": turn(ScriptedCall("Read", {"file_path": file[7]})),
        "Edit itself": turn(ScriptedCall("Edit", {"file_path": file[7], "old_string": "first line", "new_string": "1st line"})),
        "Bash, in colours": turn(bash("grep --color=always -n . notes-8.txt")),
        "Bash, in base64": turn(bash("base64 -w0 notes-9.txt")),
    }
    outcome = sandbox.talk(*tools.values(), arguments=("--mcp-config", MCP))
    transcript = json.dumps(outcome.model.requests)
    leaked = [value for _, value in rows if value in transcript]
    assert leaked == []
    results = dict(zip(tools, outcome.results, strict=True))
    assert [name for name, result in results.items() if result.refused] == ["Bash, failed", "Bash, on standard error"]
    for name, result in results.items():
        assert "REDACTED:" in result.text or name == "Edit itself", (name, result.text[:300])
    assert "first line" in results["Bash, failed"].text
    assert "Exit code 3" in results["Bash, failed"].text
    assert "1st line" in (sandbox.project / "notes-7.txt").read_text()
    assert all(line in (sandbox.project / "notes-7.txt").read_text() for line, _ in rows[7::10])
    assert "sensitive value(s) redacted from tool output." in transcript
    for name in tools:
        observe("redaction", name, planted=20, reached_the_model=0)


def test_a_mention_brings_no_file_of_credentials(sandbox: Sandbox, observe: Observe) -> None:
    """A mention fires no hook: the rules that `install` writes block it, and uninstalling allows it again."""
    for name, content in ((".ssh/id_ed25519", "PLANTED-1"), (".aws/credentials", "PLANTED-2"), ("notes.txt", "PLANTED-3")):
        (sandbox.home / name).parent.mkdir(exist_ok=True)
        (sandbox.home / name).write_text(content + "\n")
    prompt = "look at @~/.ssh/id_ed25519 and @~/.aws/credentials and @~/notes.txt"

    def read() -> list[str]:
        transcript = json.dumps(sandbox.talk(turn(bash("true")), prompt=prompt).model.requests)
        return [name for name in ("PLANTED-1", "PLANTED-2", "PLANTED-3") if name in transcript]

    assert read() == ["PLANTED-1", "PLANTED-2", "PLANTED-3"]
    assert run_toolgate(sandbox, "install", "claude-code").returncode == 0
    assert read() == ["PLANTED-3"]
    assert run_toolgate(sandbox, "uninstall", "claude-code").returncode == 0
    assert "permissions" not in (sandbox.settings.read_text() if sandbox.settings.exists() else "")
    observe("redaction", "a mention of a file of credentials", planted=2, reached_the_model=0)
