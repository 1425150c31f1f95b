"""Applies the examples of CONTRIBUTING.md to a copy of the package: each adds what it says with the files it shows, and nothing
else.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`src/(toolgate/[\w./-]+)`")


class Example(NamedTuple):
    """`files`: path -> text of a new file. `lines`: path -> the line of a table, and the text that follows it."""

    title: str
    files: dict[str, str]
    lines: dict[str, tuple[str, str]]
    commands: list[tuple[str, str]]


def iter_examples() -> Iterator[Example]:
    for section in PAGE.split("\n### ")[1:]:
        title, files, lines, commands, at = section.partition("\n")[0], {}, {}, [], 0
        for block in _BLOCK.finditer(section):
            named = _FILE.findall(section[at : block.start()])
            at = block.end()
            match block["kind"]:
                case "python" | "toml":
                    files[named[-1]] = block["text"]
                case "table":
                    first, _, rest = block["text"].partition("\n")
                    lines[named[-1]] = (first, rest)
                case "console":
                    pairs = block["text"].splitlines()
                    commands += [(pairs[n].removeprefix("$ "), pairs[n + 1]) for n in range(0, len(pairs), 2)]
                case _:
                    pass
        if commands:
            yield Example(title, files, lines, commands)


EXAMPLES = list(iter_examples())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_an_example_of_the_page_works_as_shown(example: Example, tmp_path: Path) -> None:
    package, home = tmp_path / "package", tmp_path / "home"
    home.mkdir()
    shutil.copytree(ROOT / "src", package, ignore=shutil.ignore_patterns("*.egg-info"))
    environ = {"HOME": str(home), "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(package), "LANG": "C.UTF-8"}
    program = tmp_path / "toolgate"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m toolgate "$@"\n')
    program.chmod(0o755)
    before = [run(command, home, environ) for command, _ in example.commands]
    for path, text in example.files.items():
        (package / path).parent.mkdir(exist_ok=True)
        (package / path).write_text(text)
    for path, (line, following) in example.lines.items():
        text = (package / path).read_text()
        assert text.count(f"{line}\n") == 1, f"{path} has no line {line!r}"
        (package / path).write_text(text.replace(f"{line}\n", f"{line}\n{following}"))
    after = [run(command, home, environ) for command, _ in example.commands]
    for (_, expected), was, now in zip(example.commands, before, after, strict=True):
        assert expected in now
        assert was != now, "the example changes nothing"
    if cases := [str(package / path) for path in example.files if path.endswith(".cases.toml")]:
        assert "0 failed" in run(f"toolgate test {cases[0]}", home, environ)


def run(command: str, home: Path, environ: dict[str, str]) -> str:
    result = subprocess.run(["sh", "-c", command], cwd=home, env=environ, capture_output=True, text=True, check=False)
    return result.stdout + result.stderr


def test_every_seam_has_an_example() -> None:
    titles = ["A rule", "A program", "A detector of secrets", "A host", "A step after the judgement"]
    assert [example.title for example in EXAMPLES] == titles
