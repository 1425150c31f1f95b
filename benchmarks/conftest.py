"""The places benchmarks run in, and the page that their figures are written to."""

import platform
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from toolgate.app import App

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean repository in a home of its own."""
    folder = tmp_path_factory.mktemp("home") / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


@pytest.fixture(scope="session")
def app() -> App:
    return App()


ROWS: list[tuple[str, str, str]] = []


@pytest.fixture
def figure() -> Callable[[str, str, str], None]:
    """Adds a line to the page: what, the figure, what it must be."""

    def add(what: str, value: str, bar: str = "") -> None:
        ROWS.append((what, value, bar))
        print(f"\n{what}: {value}{f'  ({bar})' if bar else ''}")

    return add


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """The page is the whole run's: a part of it only prints."""
    if exitstatus == 0 and ROWS and session.config.args == ["benchmarks"]:
        rows = [[cell.replace("|", "\\|") for cell in row] for row in ROWS]
        lines = [
            "# What a call costs",
            "",
            "Written by `make bench`. CPU time; medians of interleaved rounds. These machines are shared: compare ratios.",
            "",
            f"{date.today().isoformat()}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
            "",
            "| what | figure | bar |",
            "| --- | --- | --- |",
            *(f"| {what} | {value} | {bar} |" for what, value, bar in rows),
        ]
        PAGE.write_text("\n".join(lines) + "\n")
