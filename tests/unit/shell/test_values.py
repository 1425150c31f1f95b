"""A word that generalizes others covers each of them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.model.generalization import generalize
from toolgate.model.word import Hole, Word, known_word, unknown_word

pytestmark = pytest.mark.hypothesis
TEXTS = st.text('ab/."', max_size=8)


def matches(word: Word, text: str) -> bool:
    """Returns whether the word may be this text: `*` matches no slash, `**` matches anything."""
    patterns = [re.escape(part) if isinstance(part, str) else {"*": "[^/]*", "**": ".*"}[part.like] for part in word.parts]
    return re.fullmatch("".join(patterns), text) is not None


@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_known_words_are_covered(texts: list[str]) -> None:
    assert all(matches(generalize(map(known_word, texts)), text) for text in texts)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), TEXTS)
def test_words_with_unknown_parts_are_covered(ends: list[tuple[str, str]], unknown: str) -> None:
    words = [known_word(head) + unknown_word("x") + known_word(tail) for head, tail in ends]
    assert all(matches(generalize(words), head + unknown + tail) for head, tail in ends)


def test_common_ends_are_kept() -> None:
    assert generalize([known_word('-cp "a.jar"'), known_word('-cp "b.jar"')]).parts == (
        '-cp "',
        Hole("*", "one of several values"),
        '.jar"',
    )


def test_a_path_at_the_root_keeps_no_end() -> None:
    assert generalize([known_word("/etc"), known_word("/a/etc")]).parts == ("/", Hole("**", "one of several values"))


def test_what_may_be_several_words_stays_so() -> None:
    assert generalize([known_word("a"), unknown_word("$x", splits=True)]).splits
    assert not generalize([known_word("a"), known_word("b")]).splits
