"""Opens the documentation's site in a browser: widths, requests to other hosts, axe, search."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from unit.report.browser import Page, axe_core, open_browser

ROOT = Path(__file__).parents[2]
PAGES = (
    *(
        "index",
        "get-started",
        "how-to/write-a-rule",
        "glossary",
        "known-gaps",
        "comparison",
        "concepts",
        "policy",
        "rules",
        "rules/git/force-push",
        "cli",
        "exit-codes",
        "environment",
        "security",
    ),
    *("hosts/claude-code", "ci", "look-back", "audit", "benchmarks"),
)
WIDER = "[...document.querySelectorAll('body *')].filter(each => each.getBoundingClientRect().right > innerWidth + 1 && " + (
    "!each.closest('table, pre, code, .md-tabs, .md-sidebar, .md-search, .md-header, svg') "
    "&& getComputedStyle(each).visibility != 'hidden').map(each => each.tagName + '.' + each.className)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "properdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with open_browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(390, False), (1280, True)])
def test_a_page_fits_its_window_and_fetches_nothing(site: Path, page: Page, name: str, width: int, dark: bool) -> None:
    page.open(site / f"{name}.html", width, dark=dark)
    assert page.run("document.documentElement.scrollWidth") <= width, page.run(WIDER)
    assert [each for each in page.requested if not each.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.parametrize(("width", "dark"), [(390, False), (1280, True)])
def test_axe_finds_no_fault(site: Path, page: Page, width: int, dark: bool) -> None:
    axe = axe_core()
    found: dict[str, list[str]] = {}
    for name in PAGES:
        page.open(site / f"{name}.html", width, dark=dark)
        assert page.run("getComputedStyle(document.body).colorScheme") == ("dark" if dark else "light")
        page.run(f"{axe};0")
        result = page.run("axe.run({runOnly: ['wcag2a', 'wcag2aa']}).then(found => JSON.stringify(found.violations))")
        for each in json.loads(result):
            if each["impact"] in ("serious", "critical"):
                found.setdefault(each["id"], []).append(f"{name}: {each['nodes'][0]['html'][:120]}")
    assert found == {}


def test_the_search_finds_a_rule(site: Path, page: Page) -> None:
    page.open(site / "index.html", 1280)
    page.run("document.querySelector('[data-md-toggle=search]').click()")
    page.run(
        "(field => { field.focus(); field.value = 'force-push'; field.dispatchEvent(new Event('keyup')) })"
        "(document.querySelector('.md-search__input'))"
    )
    page.wait("document.querySelectorAll('.md-search-result__item').length > 0")
    assert "force" in page.run("document.querySelector('.md-search-result__list').innerText").lower()
