"""Every kind of detector finds its secrets and leaves look-alikes alone; the table is complete; its examples raise no alarm."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolgate.redaction.detectors as detectors
from toolgate.redaction import encoded
from toolgate.redaction.finder import Finder

FOLDER = Path(detectors.__file__).parent
EVERYTHING = Finder(frozenset(("email", *detectors.NUMBERS)))


def examples() -> Iterator[tuple[str, str, bool]]:
    for path in sorted(FOLDER.glob("*.examples.toml")):
        for each in tomllib.loads(path.read_text())["example"]:
            yield from ((each["kind"], text, True) for text in each["finds"])
            yield from ((each["kind"], text, False) for text in each["leaves"])


@pytest.mark.parametrize(("kind", "text", "finds"), list(examples()))
def test_an_example(kind: str, text: str, finds: bool) -> None:
    found = [hit.kind for hit in EVERYTHING.find(text)]
    assert (kind in found) == finds, found


def test_every_kind_has_examples_of_both_sorts() -> None:
    for wanted in (True, False):
        assert {kind for kind, _, finds in examples() if finds is wanted} == set(detectors.KINDS)


def test_no_example_is_written_as_it_is() -> None:
    """A scanner that reads the files as text finds nothing of a certain kind in them."""
    finder = Finder(frozenset())
    for path in sorted(FOLDER.glob("*")):
        if path.is_file() and path.suffix in (".py", ".toml"):
            text = path.read_text()
            sure = [text[hit.start : hit.end] for hit in finder.find(text) if detectors.tier_of_kind(hit.kind) == "sure"]
            assert sure == [], path


def test_no_mark_is_also_how_another_looks_in_base64() -> None:
    """They are searched in one pass, and one of the automata keeps a single number for a literal."""
    assert not set(encoded.base64_marks()) & {literal for literal, _ in detectors.iter_marks(email=True)}
