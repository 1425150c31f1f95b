"""Follows Get started and the how-to pages as a reader would in a clean home: every block of code is written or executed."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("get-started.md", *sorted(f"how-to/{path.name}" for path in (DOCS / "how-to").glob("*.md")))
INSTALLATION = "pipx install toolgate"
"""The start of the one block that is not executed here: `tests/packaging` installs the wheel with pipx, uv and pip."""
BLOCK = re.compile(r"^```(?P<kind>\w*)\n(?P<text>.*?)^```$|^<!-- the agent: (?P<call>.*) -->$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w./~-]+\.(?:toml|jsonl?|py|yaml))`")
PROGRAMS = Path(sys.executable).parent


@dataclass(frozen=True)
class Step:
    """`file`: the file that a block is written to. `call`: the call that the page's agent makes, as JSON of the host."""

    kind: str
    text: str = ""
    file: str = ""
    call: str = ""

    @property
    def commands(self) -> Iterator[tuple[str, list[str]]]:
        """Yields each command with the texts that its output contains, in this order."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, *expected = part.rstrip("\n").splitlines()
            yield command, expected


def iter_steps(page: str) -> Iterator[Step]:
    at, file, text = 0, "", (DOCS / page).read_text()
    for block in BLOCK.finditer(text):
        named = FILE.findall(text[at : block.start()])
        at = block.end()
        file = named[-1] if named else file
        if block["call"]:
            yield Step("call", call=block["call"])
        else:
            yield Step(block["kind"], block["text"], file)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_says(page: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (tmp_path / ".claude").mkdir()
    environ = {"HOME": str(tmp_path), "PATH": f"{PROGRAMS}:/usr/bin:/bin", "LANG": "C.UTF-8", "COLUMNS": "200"}
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(project)], check=True)
    executed = 0
    for step in iter_steps(page):
        match step.kind:
            case "console":
                for command, expected in step.commands:
                    follow(command, expected, project, environ)
                    executed += 1
            case "toml" | "json" | "python" | "yaml":
                assert step.file, step.text
                path = Path(step.file.replace("~", str(tmp_path)))
                path = project / path
                assert path.is_relative_to(tmp_path), path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(step.text)
            case "call":
                make_call(step.call, project, environ)
            case _:
                assert step.text.startswith(INSTALLATION), f"{page}: a block of kind {step.kind!r} is not executed"
    assert executed


def follow(command: str, expected: list[str], project: Path, environ: dict[str, str]) -> None:
    removes = "env -u CLAUDECODE " if command.startswith("toolgate uninstall") else ""
    words = ["bash", "-c", f"{removes}{command}"]
    result = subprocess.run(
        words, cwd=project, env=environ, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    description, at = f"{result.stdout}\n{result.stderr}", 0
    for each in expected:
        at = description.find(each, at)
        assert at >= 0, f"{command}\n{description}\nlacks: {each}"


def make_call(call: str, project: Path, environ: dict[str, str]) -> None:
    about = {"hook_event_name": "PreToolUse", "session_id": "reader", "cwd": str(project), "tool_use_id": "toolu_1"}
    payload = json.dumps({**json.loads(call), **about})
    environ = {**environ, "CLAUDE_PROJECT_DIR": str(project), "PATH": os.environ["PATH"]}
    words = [str(PROGRAMS / "toolgate"), "hook", "claude-code", "PreToolUse"]
    result = subprocess.run(words, input=payload, cwd=project, env=environ, capture_output=True, text=True, check=False).stdout
    assert "permissionDecision" in result


def test_every_how_to_page_is_in_the_navigation() -> None:
    navigation = (DOCS.parent / "properdocs.yml").read_text()
    assert [page for page in PAGES if page not in navigation] == []
