"""The places in which benchmarks run, and the page that their figures are written to."""

import platform
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from measuring import Anew

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
    return Anew()


ROWS: dict[str, list[tuple[str, str, str]]] = {}
"""The first line of a module's page -> its figures."""


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Callable[[str, str, str], None]:
    """Adds a line to the page: the quantity, the figure, and its bar."""
    title = (request.module.__doc__ or "").partition("\n")[0]

    def add(what: str, value: str, bar: str = "") -> None:
        ROWS.setdefault(title, []).append((what, value, bar))
        print(f"\n{what}: {value}{f'  ({bar})' if bar else ''}")

    return add


HEAD = """# Benchmarks

Written by `make bench`, `make bench-hook`, `make bench-peers`, `make bench-look-back` and `make soak`, each its own part. Medians
of interleaved rounds; CPU time where not whole processes are timed. These machines are shared: compare ratios.
"""


def pytest_sessionfinish(exitstatus: int) -> None:
    """A part that was measured replaces the same part of the page; the others stay."""
    if exitstatus != 0 or not ROWS:
        return
    _, *parts = PAGE.read_text().split("\n## ") if PAGE.exists() else [""]
    earlier_parts = {part.partition("\n")[0]: f"## {part.rstrip()}" for part in parts}
    earlier_parts |= {title: part(title, rows) for title, rows in ROWS.items()}
    PAGE.write_text("\n\n".join((HEAD.rstrip(), *(earlier_parts[title] for title in sorted(earlier_parts)))) + "\n")


def part(title: str, rows: list[tuple[str, str, str]]) -> str:
    where = f"{date.today().isoformat()}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    table = ["| what | figure | bar |", "| --- | --- | --- |", *(f"| {what} | {value} | {bar} |" for what, value, bar in cells)]
    return "\n".join((f"## {title}", "", where, "", *table))
