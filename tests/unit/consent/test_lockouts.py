"""Tests lockouts: who may not work on what."""

import pytest

from toolgate.consent.lockouts import add_lockout, clear_lockouts, merge_lockouts, normalize_artifact, parse_lines, render_line
from toolgate.model.store import Document, Key, Scope
from toolgate.stores import find_store


def lock_out(*pairs: tuple[str, str]) -> Document:
    document: Document = {}
    for artifact, agent in pairs:
        document, _ = add_lockout(document, artifact, agent)
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
    assert normalize_artifact(written) == name


def test_what_is_cleared_is_gone() -> None:
    document = lock_out(("a", "x"), ("a", "y"), ("b", "x"))
    assert document == {"a": ["x", "y"], "b": ["x"]}
    assert clear_lockouts(document, "./a", "X")[0] == {"a": ["y"], "b": ["x"]}
    assert clear_lockouts(document, agent="x")[0] == {"a": ["y"]}
    assert clear_lockouts(document, "a") == ({"b": ["x"]}, 2)
    assert clear_lockouts(document) == ({}, 3)


def test_names_are_the_same_in_any_case() -> None:
    assert lock_out(("a", "Fenster"), ("a", "fenster")) == {"a": ["Fenster"]}


def test_either_of_two_counts() -> None:
    assert merge_lockouts({"./a": ["x"]}, {"a": ["y"], "b": ["x"]}) == {"a": ("x", "y"), "b": ("x",)}


def test_lines_add_up_and_the_last_word_counts() -> None:
    text = (
        render_line("lock", "a", "x", "baer", "")
        + render_line("lock", "a", "y", "baer", "")
        + render_line("clear", "a", "x", "squad", "")
    )
    assert parse_lines(text) == ({"a": ["y"]}, "")
    assert parse_lines(text + render_line("clear", "", "", "squad", "")) == ({}, "")


@pytest.mark.parametrize("broken", ["{", "[]", "{}", '{"action": "lock"}', '{"action": "forget", "artifact": "a"}'])
def test_a_line_that_says_nothing_is_told_and_the_others_count(broken: str) -> None:
    lockouts, problem = parse_lines(render_line("lock", "a", "x", "", "") + broken + "\n" + render_line("lock", "b", "y", "", ""))
    assert lockouts == {"a": ["x"], "b": ["y"]}
    assert "line 2" in problem
    assert "line 1 " in parse_lines(f"{broken}\n{{\n")[1]


def test_they_are_kept_like_everything_else() -> None:
    store, key = find_store("memory:", ""), Key(Scope("team", "/p"), "lockouts")
    assert store.update(key, lambda before: add_lockout(before, "a", "x"), 0.0) == 1
    assert store.update(key, lambda before: add_lockout(before, "a", "y"), 0.0) == 2
    assert store.load((key,), 0.0)[0] == {"a": ["x", "y"]}
