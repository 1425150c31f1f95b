"""Compares path globs with a simple, slow interpretation of the same words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.model import glob
from toolgate.model.word import Maybe

NAMES = st.sampled_from(["a", "b", "ab", "ba", "*", "a*", "*b", "?", "**", "[ab]"])
PATTERNS = st.lists(NAMES, max_size=5).map(lambda names: "/" + "/".join(names))
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "ba", "aab"]), max_size=5).map(lambda names: "/" + "/".join(names))


def matches_by_expression(pattern: str, path: str) -> bool:
    expression = ""
    for name in pattern.split("/"):
        if name == "**":
            expression += "(?:/[^/]+)*"
        elif name:
            expression += "/" + name.replace("*", "[^/]*").replace("?", "[^/]")
    return re.fullmatch(expression, "" if path == "/" else path) is not None


@given(PATTERNS, PATHS)
def test_matches_as_a_plain_expression_would(pattern: str, path: str) -> None:
    assert glob.matches_path(pattern, path) is matches_by_expression(pattern, path)


@given(PATTERNS, PATHS, PATTERNS, PATHS)
def test_an_overlap_is_never_missed(pattern: str, anchor: str, rest: str, path: str) -> None:
    """If both globs match a path, `overlaps` never says that they cannot; and what it calls certain is."""
    answer: Maybe = glob.overlaps_pattern(pattern, anchor, rest)
    if matches_by_expression(anchor.rstrip("/") + rest, path):
        matched = matches_by_expression(pattern, path)
        assert not (matched and answer is False)
        assert not (answer is True and not matched)


def test_the_solid_part() -> None:
    assert [glob.literal_folder(each) for each in ("/a/b*/c", "/a/b", "/**", "/[a]/b")] == ["/a", "/a/b", "/", "/"]


def test_a_path_deeper_than_any_is_no_answer() -> None:
    assert glob.matches_path("/**", "/a" * (glob.MAX_DEPTH + 1)) is None


@pytest.mark.parametrize("pattern", ["/**" + "/*a*a*a*" * 20 + "/**/b", "/" + "*a" * 90, "/**/a" * 4 + "/z"])
@pytest.mark.parametrize("path", ["/" + "/".join(["a" * 15] * glob.MAX_DEPTH), "/" + "a" * 4000], ids=["deep", "long"])
def test_the_worst_pattern_comes_back(pattern: str, path: str) -> None:
    """With a backtracking expression these would not end in reasonable time."""
    assert glob.matches_path(pattern, path) in (True, False)
