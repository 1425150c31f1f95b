"""What escapes in string literals denote."""

import pytest

from toolgate.languages.javascript.grammar import ESCAPES


@pytest.mark.parametrize(
    ("escape", "text"),
    [
        (r"\n", "\n"),
        (r"\x41", "A"),
        (r"\u0041", "A"),
        (r"\u{1f600}", "\U0001f600"),
        (r"\u{110000}", ""),
        (r"\101", "A"),
        (r"\0", "\0"),
        (r"\q", "q"),
        (r"\x4", "x4"),
    ],
)
def test_an_escape_denotes_a_character(escape: str, text: str) -> None:
    assert ESCAPES.decode(escape, escape[1:]) == text
