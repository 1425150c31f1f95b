"""No verb, page or file of the log contains one of 200 secrets that calls contain."""

import json
import os
import random
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.model.request import Request

TOKENS = 200
VERBS = (
    ("log", "--last", "0"),
    ("log", "--last", "0", "--json"),
    ("why", "last"),
    ("why", "last", "--json"),
    ("stats",),
    ("stats", "--json"),
    ("audit", "verify"),
    ("audit", "export", "--csv"),
    ("audit", "export", "--ocsf"),
    ("replay", "--audit"),
    ("replay", "--audit", "--json"),
    ("statusline",),
    ("report", "report.html"),
)


def make_tokens() -> Iterator[str]:
    """Returns tokens of an issuer's form, composed here so that no scanner takes them for leaked ones."""
    chance = random.Random(7)
    for _ in range(TOKENS):
        yield "gh" + "p_" + "".join(chance.choices(string.ascii_letters + string.digits, k=36))


def make_calls(folder: Path, token: str, number: int) -> tuple[str, dict[str, object]]:
    """Returns calls with a token, one for each way in which a secret gets into a call."""
    ways: list[tuple[str, dict[str, object]]] = [
        ("Bash", {"command": f"curl -H 'Authorization: Bearer {token}' https://api.example.com/x"}),
        ("Bash", {"command": f"GITHUB_TOKEN={token} gh release create v1 && rm -rf ~"}),
        ("Bash", {"command": f"git push --force https://me:{token}@github.com/a/b main"}),
        ("Bash", {"command": f"cat > notes <<'EOF'\ntoken = {token}\nEOF\nmysql -p{token} -e 'drop database x'"}),
        ("Bash", {"command": f"echo {'x' * 480} {token}"}),
        ("Read", {"file_path": str(folder / f"cache-{token}")}),
        ("Write", {"file_path": str(folder / token / "x"), "content": token}),
        ("WebFetch", {"url": f"https://example.com/?access_token={token}", "prompt": token}),
        ("Grep", {"pattern": token, "path": str(folder)}),
        ("mcp__stub__peek", {"path": token, "token": token}),
    ]
    return ways[number % len(ways)]


@pytest.fixture(scope="module")
def recorded_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    (folder / ".home").mkdir(mode=0o700)
    environ = {"HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home"), "PATH": os.defpath}
    app = App()
    for number, token in enumerate(make_tokens()):
        tool, calls = make_calls(folder, token, number)
        cwd = folder / f"work-{token}" if number % 7 == 0 else folder
        payload = {"session_id": "s", "cwd": str(cwd), "tool_name": tool, "tool_input": calls, "tool_use_id": f"t{number}"}
        for event, more in (("PreToolUse", {}), ("PostToolUse", {"tool_response": {"stdout": token, "stderr": ""}})):
            data = json.dumps({**payload, "hook_event_name": event, **more}).encode()
            app.handle(Request("claude-code", event, data, environ, str(cwd), os.getuid(), 1.8e9 + number))
    return folder


def find_tokens(text: str) -> list[str]:
    return [token for token in make_tokens() if token[4:] in text]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_no_output_shows_a_secret(recorded_home: Path, verb: tuple[str, ...]) -> None:
    environ = {**os.environ, "HOME": str(recorded_home), "TOOLGATE_HOME": str(recorded_home / ".home")}
    command = [sys.executable, "-m", "toolgate", *verb]
    result = subprocess.run(
        command, cwd=recorded_home, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    page = recorded_home / "report.html"
    assert not find_tokens(result.stdout + result.stderr + (page.read_text() if verb[0] == "report" else ""))


def test_no_file_of_the_state_or_the_cache_holds_a_secret(recorded_home: Path) -> None:
    files = [path for path in (recorded_home / ".home").rglob("*") if path.is_file()]
    log = "".join(path.read_text() for path in files if path.suffix == ".jsonl")
    assert log.count('"verdict"') >= TOKENS
    assert log.count('"kind":"outcome"') >= TOKENS
    for path in files:
        assert not find_tokens(path.read_bytes().decode("latin-1")), path
