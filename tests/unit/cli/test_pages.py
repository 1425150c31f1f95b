"""What the pages tell a reader to type exists."""

import re
from pathlib import Path

import pytest

from toolgate.cli import VERBS

ROOT = Path(__file__).parents[3]
PAGES = ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/policy.md"]


@pytest.mark.parametrize("page", PAGES)
def test_every_verb_that_a_page_names_is_there(page: str) -> None:
    named = set(re.findall(r"(?:^|`)toolgate ([a-z]+)\b", (ROOT / page).read_text(), re.MULTILINE))
    assert named - set(VERBS) == set()


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text())
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_every_target_that_a_page_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {name for page in PAGES for name in re.findall(r"(?:^|`)make ([a-z0-9]+)", (ROOT / page).read_text(), re.MULTILINE)}
    assert named <= targets
