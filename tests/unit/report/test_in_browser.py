"""Tests the report in a real browser: what it shows, at two widths, in light and dark, by keyboard, and with hostile records."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from unit.report.browser import Page, axe_core, open_browser
from unit.report.logs import HOSTILE, call, denied_call, nearly_stopped, write_log

WIDTHS = (1280, 390)


def write_report(folder: Path, *options: str) -> Path:
    environ = {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home")}
    file = folder / "report.html"
    command = [sys.executable, "-m", "toolgate", "report", *options, str(file)]
    result = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return file


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with open_browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def report_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on 600 calls of three sessions, with stops, near misses, hostile ones, and a line altered after it was written."""
    folder = tmp_path_factory.mktemp("home")
    hostile = dict.fromkeys(("tool", "operation", "reason", "session", "host", "agent", "policy", "verdict"), HOSTILE)
    records = [
        denied_call(n) if n % 50 == 7 else nearly_stopped(n) if n % 40 == 3 else call(n, policy=("b" if n > 300 else "a") * 64)
        for n in range(600)
    ]
    records.append(
        call(600, **hostile, rules=[{"rule": HOSTILE, "verdict": HOSTILE}], effects=[{"kind": HOSTILE, "zones": [HOSTILE]}])
    )
    log = folder / ".home" / "state" / "audit"
    write_log(log, records)
    (day,) = log.glob("*.jsonl")
    day.write_text(day.read_text().replace("folder-11", "folder-X", 1))
    return write_report(folder)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows_is_refused_or_fetched_and_axe_finds_nothing(
    page: Page, report_page: Path, width: int, dark: bool
) -> None:
    page.open(report_page, width, dark=dark)
    for part in ("details.session", "details.session details.entry", "section > details"):
        page.run(f"document.querySelector('{part}').open = true")
        page.wait("document.querySelectorAll('details.session details.entry').length > 0")
    page.run("document.querySelector('#filter button').click()")
    page.wait("document.querySelectorAll('#call-list details').length > 0")
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("document.querySelectorAll('.chart canvas').length") == 2
    page.run(axe_core() + "; undefined")
    found = json.loads(
        page.run("axe.run().then(found => JSON.stringify(found.violations.map(each => [each.id, each.nodes[0].html])))")
    )
    assert found == []
    assert page.messages == []
    assert {url.partition(":")[0] for url in page.requested} <= {"file", "data", "blob"}


def test_the_figures_are_those_of_the_log(page: Page, report_page: Path) -> None:
    page.open(report_page, 1280)
    figures = dict(
        zip(
            *(page.run(f"[...document.querySelectorAll('.figures {each}')].map(e => e.textContent)") for each in ("dt", "dd")),
            strict=True,
        )
    )
    assert (figures["calls"], figures["sessions"], figures["deny"], figures["warn"], figures["near misses"]) == (
        "601",
        "4",
        "12",
        "15",
        "15",
    )
    assert figures["chain"] == "altered"
    text = page.run("document.body.innerText")
    assert "2026-11-22.jsonl:12: record 12 is not as record 13" in text
    assert "filesystem.delete-protected" in text
    assert page.run("[...document.querySelectorAll('[aria-labelledby=policies] code')].map(e => e.textContent)")[1:] == [
        "b" * 12,
        "a" * 12,
    ]
    assert page.run("[...document.querySelector('[aria-labelledby=stakes] tbody').rows[0].cells].map(e => e.textContent)")[
        :3
    ] == ["Delete", "home", "12"]


def test_hostile_records_are_shown_as_text(page: Page, report_page: Path) -> None:
    page.open(report_page, 390)
    page.run("document.querySelectorAll('details.session').forEach(each => { each.open = true })")
    page.wait("document.querySelectorAll('details.session details.entry').length > 200")
    page.run("document.querySelectorAll('details.entry').forEach(each => { each.open = true })")
    page.run("new Promise(requestAnimationFrame)")
    assert page.run("document.title").startswith("toolgate report")
    assert page.run("document.images.length") == 0
    text = page.run("document.body.innerText")
    assert "<img src=x onerror=" in text
    assert "\\x1b[2J\\u202e\\u2028{{ 7*7 }}" in text
    assert not {"\x1b", "\u202e", "\u2028"} & set(report_page.read_text())
    assert page.messages == []


def test_a_rule_leads_to_its_calls_by_keyboard_alone(page: Page, report_page: Path) -> None:
    page.open(report_page, 1280)
    for _ in range(40):
        page.press_key("Tab", 9)
        if page.run("document.activeElement.dataset.rule") == "filesystem.delete-protected":
            break
    page.press_key("Enter", 13, "\r")
    page.wait("document.getElementById('call-status').textContent.endsWith('calls')")
    assert page.run("document.getElementById('call-status').textContent") == "12 calls"
    assert page.run("document.activeElement.id") == "calls"
    while page.run("document.activeElement.closest('#call-list') === null"):
        page.press_key("Tab", 9)
    page.press_key("Enter", 13, "\r")
    page.wait("document.querySelector('#call-list dd') !== null")
    output = page.run("document.querySelector('#call-list details').innerText")
    assert "rm -rf ~" in output
    assert "Delete in home" in output
    assert "Deleting what a machine or a home folder stands on." in output


def test_a_session_shows_its_calls_a_part_at_a_time(page: Page, report_page: Path) -> None:
    page.open(report_page, 390)
    page.run("document.querySelectorAll('details.session')[2].open = true")
    page.wait("document.querySelector('details.session[open] button') !== null")
    assert page.run("document.querySelectorAll('details.session details').length") == 100
    page.run("document.querySelector('details.session[open] button').click()")
    page.wait("document.querySelectorAll('details.session details').length === 200")
    assert page.run("document.querySelector('details.session[open] button') === null")


def test_near_misses_are_found_by_the_filter(page: Page, report_page: Path) -> None:
    page.open(report_page, 390)
    page.run("document.querySelector('[name=near]').checked = true; document.querySelector('#filter button').click()")
    page.wait("document.getElementById('call-status').textContent.endsWith('calls')")
    assert page.run("document.getElementById('call-status').textContent") == "15 calls"


def test_a_report_on_nothing(page: Page, tmp_path: Path) -> None:
    page.open(write_report(tmp_path), 390)
    assert page.run("document.querySelector('.figures dd').textContent") == "0"
    assert page.messages == []


def test_many_records_stay_usable(page: Page, tmp_path: Path) -> None:
    """More records than a chunk, and more sessions than are shown at once: details are loaded when they are opened."""
    write_log(tmp_path / ".home" / "state" / "audit", (call(n, session=f"s{n // 50}") for n in range(20_000)))
    page.open(write_report(tmp_path), 390)
    assert page.run("document.querySelectorAll('*').length") < 3000
    assert page.run("document.querySelectorAll('script.chunk').length") == 10
    page.run("document.querySelector('[name=text]').value = 'folder-12345'; document.querySelector('#filter button').click()")
    page.wait("document.getElementById('call-status').textContent === '1 call'")
    page.run("document.querySelector('#session-list > button').click()")
    assert page.run("document.querySelectorAll('details.session').length") == 100
