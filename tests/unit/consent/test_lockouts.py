"""Lockouts: who may not work on what."""

import pytest

from toolgate.consent.lockouts import cleared, from_lines, line, locked, merged, normal
from toolgate.model.state import Document, Key, Scope
from toolgate.stores import store


def after(*pairs: tuple[str, str]) -> Document:
    document: Document = {}
    for artifact, agent in pairs:
        document, _ = locked(document, artifact, agent)
    return document


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("src/x/../a.py", "src/a.py"),
        ("../a.py", "../a.py"),
        ("/a/../../b", "/b"),
        ("", ""),
    ],
)
def test_an_artifact_has_one_name(written: str, name: str) -> None:
    assert normal(written) == name


def test_what_is_cleared_is_gone() -> None:
    document = after(("a", "x"), ("a", "y"), ("b", "x"))
    assert document == {"a": ["x", "y"], "b": ["x"]}
    assert cleared(document, "./a", "X")[0] == {"a": ["y"], "b": ["x"]}
    assert cleared(document, agent="x")[0] == {"a": ["y"]}
    assert cleared(document, "a") == ({"b": ["x"]}, 2)
    assert cleared(document) == ({}, 3)


def test_names_are_the_same_in_any_case() -> None:
    assert after(("a", "Fenster"), ("a", "fenster")) == {"a": ["Fenster"]}


def test_either_of_two_counts() -> None:
    assert merged({"./a": ["x"]}, {"a": ["y"], "b": ["x"]}) == {"a": ("x", "y"), "b": ("x",)}


def test_lines_add_up_and_the_last_word_counts() -> None:
    text = line("lock", "a", "x", "baer", "") + line("lock", "a", "y", "baer", "") + line("clear", "a", "x", "squad", "")
    assert from_lines(text) == ({"a": ["y"]}, "")
    assert from_lines(text + line("clear", "", "", "squad", "")) == ({}, "")


@pytest.mark.parametrize("broken", ["{", "[]", "{}", '{"action": "lock"}', '{"action": "forget", "artifact": "a"}'])
def test_a_line_that_says_nothing_is_told_and_the_others_count(broken: str) -> None:
    lockouts, problem = from_lines(line("lock", "a", "x", "", "") + broken + "\n" + line("lock", "b", "y", "", ""))
    assert lockouts == {"a": ["x"], "b": ["y"]}
    assert "line 2" in problem


def test_they_are_kept_like_everything_else() -> None:
    kept, key = store("memory:", ""), Key(Scope("team", "/p"), "lockouts")
    assert kept.update(key, lambda before: locked(before, "a", "x"), 0.0) == 1
    assert kept.update(key, lambda before: locked(before, "a", "y"), 0.0) == 2
    assert kept.load((key,), 0.0)[0] == {"a": ["x", "y"]}
