"""Compares what programs that carry commands make of their arguments and of standard input with the real programs."""

import pytest

from unit.shell.reading_text import list_markers, places

CARRIED = {
    # xargs: blanks cut, quotes are read, and it runs once even for nothing
    "echo a b | xargs m1 z": [["m1", "z", "a", "b"]],
    "printf '%s\\n' \"'a b' c\\\\ d\" | xargs m1": [["m1", "a b", "c d"]],
    "printf 'a b\\nc\\n' | xargs -n1 m1": [["m1", "a"], ["m1", "b"], ["m1", "c"]],
    "printf 'a b\\nc\\n' | xargs -L1 m1": [["m1", "a", "b"], ["m1", "c"]],
    "printf ' a b\\nc\\n' | xargs -I% m1 %.x": [["m1", "a b.x"], ["m1", "c.x"]],
    "printf 'a b\\0c\\0' | xargs -0 m1": [["m1", "a b", "c"]],
    "printf 'a,b' | xargs -d, m1": [["m1", "a", "b"]],
    "m0 | xargs m1": [["m0"], ["m1", "**..."]],
    "xargs m1 < /dev/null": [["m1"]],
    # find: the root itself, what lies below, all at once
    "find sub -name '*.txt' -exec m1 {} \\;": [["m1", "sub/**/*.txt"]],
    "find sub -exec m1 {} x \\;": [["m1", "sub", "x"], ["m1", "sub/**/*", "x"]],
    "find sub -exec m1 {} +": [["m1", "sub", "sub/**/*..."]],
    "find sub -name 's*' -exec m1 {} +": [["m1", "sub", "sub/**/s*..."]],
    "find sub -execdir m1 {} \\;": [["m1", "./*..."]],
    # others
    "env -u y x=1 m1 a": [["m1", "a"]],
    "x=1; export x; env -u x sh -c 'm1 \"$x\"'": [["m1", ""]],
    'm1 "$(basename a/b.c .c)" "$(basename a b c)"': [["m1", "b", ""]],
    "m1 $(printf %q a) \"$(printf %q 'a b')\" $(printf %d 7)": [["m1", "a", "**", "7"]],
    "m1 $(echo a $u b)": [["m1", "a**b..."]],
}


@pytest.mark.parametrize("text", CARRIED)
def test_carried(text: str) -> None:
    assert sorted(list_markers(text)) == sorted(CARRIED[text])


def test_execdir_runs_where_the_file_is() -> None:
    """The folder itself is first: what runs there may change what the other commands find."""
    assert places("find sub -execdir m1 {} \\;") == ["/w/sub", "/w", "/w/sub/?**"]
