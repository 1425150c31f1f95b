"""Lockouts: who may not work on what."""

import pytest

from toolgate.consent.lockouts import cleared, escalates, is_locked_out, listed, locked, normal
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


def test_the_author_is_locked_out_and_nobody_else() -> None:
    document = after(("src/a.py", "fenster"))
    assert is_locked_out(document, "./src/a.py", "fenster")
    assert not is_locked_out(document, "src/a.py", "hockney")
    assert not is_locked_out(document, "src/a.pyc", "fenster")
    assert not is_locked_out(document, "src/b.py", "fenster")


def test_a_glob_holds_for_what_it_matches() -> None:
    document = after(("src/auth/**", "fenster"))
    assert is_locked_out(document, "src/auth/deep/x.py", "fenster")
    assert not is_locked_out(document, "src/author.py", "fenster")


def test_the_third_agent_makes_it_the_users_matter() -> None:
    document = after(("a", "x"), ("a", "y"), ("a", "x"))
    assert not escalates(document, "a")
    assert escalates(after(*[("a", agent) for agent in "xyz"]), "a")
    assert not escalates(document, "a", 0)


def test_what_is_cleared_is_gone() -> None:
    document = after(("a", "x"), ("a", "y"), ("b", "x"))
    assert list(listed(document)) == [("a", "x"), ("a", "y"), ("b", "x")]
    assert list(listed(cleared(document, "./a", "x")[0])) == [("a", "y"), ("b", "x")]
    assert list(listed(cleared(document, agent="x")[0])) == [("a", "y")]
    assert cleared(document, "a") == ({"b": ["x"]}, 2)
    assert cleared(document) == ({}, 3)


def test_they_are_kept_like_everything_else() -> None:
    kept, key = store("memory:", ""), Key(Scope("team", "/p"), "lockouts")
    assert kept.update(key, lambda before: locked(before, "a", "x"), 0.0) == 1
    assert kept.update(key, lambda before: locked(before, "a", "y"), 0.0) == 2
    assert is_locked_out(kept.load((key,), 0.0)[0], "a", "y")
