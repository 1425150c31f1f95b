"""Properties: a stream hides what the whole text does, wherever it is cut; the three automata find the same."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgate.model.rule import Policy
from toolgate.redaction import literals, redactor
from toolgate.redaction.finder import Finder, merge_hits
from toolgate.redaction.settings import build_redactor
from unit.redaction.planted import AWS, EMAIL, GITHUB, JWT, PEM

PIECES = st.sampled_from(
    [GITHUB, AWS, JWT, PEM, EMAIL, "DB_PASSWORD=hunter2", "plain text ", "\n", "key ", "x" * 5000, "://", "=", "\u00e9\u0130"]
)


@settings(max_examples=30, deadline=None)
@given(st.lists(PIECES, min_size=20, max_size=60), st.integers(1, 40_000))
def test_a_stream_hides_what_the_whole_does(pieces: list[str], size: int) -> None:
    text = " ".join(pieces)
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    out = "".join(build_redactor(Policy(), lambda: b"k").redact_stream(chunks))
    for secret in (GITHUB, AWS, JWT, PEM, EMAIL):
        assert secret not in out
    assert out.count("plain text") == text.count("plain text")


@given(
    st.lists(st.sampled_from(["a", "ab", "abc", "b", "key", "ke", "k", "@", "://", "\u00e9"]), unique=True, min_size=1), st.text()
)
def test_the_three_ways_to_search_agree(wanted: list[str], text: str) -> None:
    text = text.encode(errors="replace").decode() + "abckey@://\u00e9ab"
    ways = [
        sorted(make(tuple(wanted))(text))
        for make in (literals.search_with_rust, literals.search_with_c, literals.search_with_python)
    ]
    assert ways[0] == ways[1] == ways[2]


def test_beyond_the_limit_is_cut_and_said() -> None:
    hider_ = build_redactor(Policy(), lambda: b"k")
    hider_.left = 300
    out = hider_.redact_text("a" * 290 + " " + GITHUB)
    assert GITHUB not in out
    assert GITHUB[9:] not in out
    assert "more characters were cut off" in out
    assert redactor.MAX_RESULT_LENGTH > 8_000_000


@settings(deadline=None)
@given(st.lists(PIECES, max_size=12))
def test_what_is_found_is_in_order_and_apart(pieces: list[str]) -> None:
    found = Finder().find("".join(pieces))
    assert found == merge_hits(list(found))
    assert all(first.end <= second.start for first, second in itertools.pairwise(found))


@pytest.mark.parametrize("secret", [GITHUB, AWS, JWT, EMAIL])
def test_a_secret_that_a_chunk_cuts_in_two_is_hidden(secret: str) -> None:
    text = "word " * (2 * redactor.OVERLAP_LENGTH // 5)
    for place in range(1, len(secret)):
        chunks = [f"{text} {secret[:place]}", f"{secret[place:]} the end"]
        out = "".join(build_redactor(Policy(), lambda: b"k").redact_stream(chunks))
        assert secret not in out
        assert out.startswith(text)
        assert out.endswith(" the end")
