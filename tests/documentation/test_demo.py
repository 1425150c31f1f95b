"""The demo runs to its end, fits 80 columns, and prints what the README's picture shows."""

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "pictures" / "demo.svg"
HEADING = re.compile(r"^\d\. .*$", re.MULTILINE)


@pytest.fixture(scope="module")
def demo_output() -> str:
    result = subprocess.run([sys.executable, "demo/story.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_demo_shows_each_answer_an_approval_and_an_undo(demo_output: str) -> None:
    assert len(HEADING.findall(demo_output)) == 6
    assert [
        word for word in ("pass", "deny", "ask", "approved", "given back", "[REDACTED:", "report.html") if word not in demo_output
    ] == []
    assert re.search(r"At stake: 3 files .* 1\.2 MB", demo_output.replace("\n    ", " "))


def test_the_demo_fits_80_columns(demo_output: str) -> None:
    assert max(map(len, demo_output.splitlines())) <= 80


def test_the_picture_of_the_readme_shows_the_demo(demo_output: str) -> None:
    text = html.unescape(re.sub(r"<[^>]+>", "", PICTURE.read_text())).replace("\xa0", " ")
    assert [heading for heading in HEADING.findall(demo_output) if heading not in text] == []
    assert "docs/pictures/demo.svg" in (ROOT / "README.md").read_text()
