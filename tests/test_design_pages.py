"""Follows the pages for users of the designs literally in a scratch home: their files, their commands, and the output."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolgate.machine.ancestry import describe_agent_above

PAGES = sorted((Path(__file__).parents[1] / "docs" / "designs").glob("coming-from-*.md"))
FLEET = next(page for page in PAGES if "failover" in page.name)
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^`~/([^`]+)`[^`\n]*:$", re.MULTILINE)
PROGRAMS = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(bool(describe_agent_above(os.environ)), reason="an agent may not install or remove the gate")


def iter_commands(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yields each command with the lines that its output must contain."""
    starts = [n for n, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start][2:], lines[start + 1 : end]


def run(command: str, home: Path) -> str:
    environ = {"HOME": str(home), "PATH": f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    result = subprocess.run(["bash", "-c", command], cwd=home, env=environ, capture_output=True, text=True, check=False)
    return result.stdout + result.stderr


def write_files(page: str, home: Path) -> None:
    for named in FILE.finditer(page):
        block = BLOCK.search(page, named.end())
        assert block is not None
        path = home / named[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block["text"])


def test_there_is_a_page_for_each_design() -> None:
    assert len(PAGES) == 4


@pytest.mark.parametrize("file", PAGES, ids=lambda path: path.stem)
def test_a_page_works_as_it_is_written(file: Path, tmp_path: Path) -> None:
    page = file.read_text()
    write_files(page, tmp_path)
    consoles = [block["text"].splitlines() for block in BLOCK.finditer(page) if block["kind"] == "console"]
    for command, expected in (each for lines in consoles for each in iter_commands(lines)):
        printed = run(command, tmp_path)
        assert [line for line in expected if line not in printed] == [], (command, printed)
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert {"What you have now", "The commands", "What changes", "What is stricter, and why", "How to go back"} <= set(headings)


def snippet(kind: str) -> str:
    page = FLEET.read_text()
    return next(block["text"] for block in BLOCK.finditer(page, page.index("## In your dispatcher")) if block["kind"] == kind)


CALLS = pytest.mark.parametrize(
    ("folder", "resume", "starts"),
    [("there", False, True), ("there", True, True), ("missing", False, False), ("missing", True, False)],
)


@CALLS
def test_the_shell_function_starts_an_agent_behind_the_hook_only(folder: str, resume: bool, starts: bool, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    printed = run(f"{snippet('sh')}\nensure_deployed {folder} {'--resume' if resume else ''} && echo started", tmp_path)
    assert ("started" in printed) is starts
    assert (tmp_path / folder / ".claude" / "hooks" / "claude-safety-hook.sh").exists() is starts


@CALLS
def test_the_go_function_starts_an_agent_behind_the_hook_only(folder: str, resume: bool, starts: bool, tmp_path: Path) -> None:
    """Without a compiler, its command lines are run."""
    (tmp_path / "there").mkdir()
    text, compiler = snippet("go"), shutil.which("go")
    if compiler is None:
        words = re.findall(r"\[\]string\{(.*), dir\}", text)[int(resume)]
        printed = run(f"toolgate {words.replace(',', '')} {folder} && echo started", tmp_path)
    else:
        call = f'EnsureDeployed("{folder}", {str(resume).lower()})'
        main = f'\nfunc main() {{\n\tif {call} == nil {{\n\t\tfmt.Println("started")\n\t}}\n}}\n'
        (tmp_path / "main.go").write_text(text.replace("package safety", "package main") + main)
        printed = run(f"GO111MODULE=off GOFLAGS=-trimpath {compiler} run main.go", tmp_path)
    assert ("started" in printed) is starts, printed
