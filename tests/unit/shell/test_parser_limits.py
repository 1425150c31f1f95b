"""The parser answers every text within its bounds, with a tree or an error, and never with an exception."""

import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolgate.shell.syntax import tree as syntax
from toolgate.shell.syntax.lexer import MAX_DEPTH
from toolgate.shell.syntax.parser import MAX_TEXT, parse

PARTS = (
    *(
        "a",
        "b1",
        " ",
        "  ",
        "\t",
        "\n",
        ";",
        "&",
        "&&",
        "|",
        "||",
        "(",
        ")",
        "{",
        "}",
        "'",
        '"',
        "`",
        "\\",
        "\\\n",
        "$",
        "$(",
        "${",
        "$((",
        "))",
    ),
    *(
        "<<E\n",
        "\nE\n",
        "<<-'E'\n",
        "<",
        ">",
        "<(",
        ">(",
        "=(",
        "2>&1",
        "a=",
        "a[",
        "]",
        "=",
        "+=",
        "[[ ",
        " ]]",
        "((",
        "#",
        "!",
        "! ",
        "time ",
    ),
    *(
        "if ",
        "then ",
        "fi",
        "for ",
        "in ",
        "do ",
        "done",
        "case x in ",
        "esac",
        ";;",
        "function ",
        "f()",
        "coproc ",
        "@(",
        ":-",
        "/",
        "$'",
        '$"',
    ),
    *(
        "é",
        "\0",
        "\r",
        "\ud800",
        "\U0001f600",
        "$[",
        "=~",
        "declare ",
        "extglob",
        "%",
        "*",
        "~",
        ":",
        "$x",
        "@Q}",
        "\\x41",
        "\\",
        "1",
        "{fd}>",
    ),
)


def spans(tree: object) -> Iterator[syntax.Span]:
    if type(tree) is tuple:
        for part in tree:
            yield from spans(part)
    for name in getattr(type(tree), "__match_args__", ()):
        part = getattr(tree, name)
        if name == "span":
            yield part
        else:
            yield from spans(part)


def test_the_spans_of_a_tree_are_found() -> None:
    assert set(spans(parse("a $(b)"))) == {(0, 6), (0, 1), (2, 6), (4, 5)}


@given(st.one_of(st.text(), st.lists(st.sampled_from(PARTS), max_size=40).map("".join)))
@example("`a \\`b <<E\\`")
@example("\\")
@example("$'\ud800\\ud800\\xff\\c\udfff'")
@example("$((\n")
@example("a <<E\n`")
@example("a <<-E\n\t$(b\n\tE")
def test_any_text_is_a_program_whose_spans_lie_in_it(text: str) -> None:
    program = parse(text)
    assert isinstance(program, syntax.Program)
    for start, end in spans(program):
        assert 0 <= start <= end <= len(text)


@given(st.lists(st.sampled_from(PARTS), max_size=30).map("".join))
def test_the_complete_lines_of_a_text_do_not_depend_on_what_follows(text: str) -> None:
    """The reading of a text stays the same if a line that cannot be read follows it."""
    program = parse(text)
    if program.trouble is None and not text.endswith("\\") and "<<" not in text.replace("\\\n", ""):
        after = parse(f"{text}\n)")
        assert (after.body.items, after.trouble is None) == (program.body.items, False)


OPENINGS = [
    "$(",
    "`\\",
    "(",
    "((",
    "$((",
    "${a:-",
    '"$(',
    "{ ",
    "if ",
    "while ",
    "! ",
    "time ",
    "f() { ",
    "case a in b) ",
    "<(",
    "a=($(",
    "@(",
]
OPENINGS += [
    "[[ ( ",
    "[[ ! ",
    "a[",
    "$[",
    "coproc { ",
    "for a in $(",
    "a <<E\n$(",
    '"${a:-"',
    "((a) ; ",
    "$((a) ; ",
    "${a[",
    "[[ a =~ (",
]


@pytest.mark.parametrize("opening", OPENINGS)
def test_depth_is_counted_so_that_python_never_runs_out_of_it(opening: str) -> None:
    """Parses below a caller that already uses some of Python's frames, as a daemon or a test does."""

    def parse_in_frames(frames: int) -> syntax.Program:
        return parse_in_frames(frames - 1) if frames else parse(opening * 3000)

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    try:
        program = parse_in_frames(150)
    finally:
        sys.setrecursionlimit(before)
    assert program.trouble is not None


@pytest.mark.parametrize(
    ("opening", "closing"), [("$(a ", ")"), ("(", ")"), ("{ ", "; }"), ("${a:-", "}"), ('"$(a ', ')"'), ("<(a ", ")")]
)
def test_what_is_nested_within_the_limit_is_read(opening: str, closing: str) -> None:
    depth = MAX_DEPTH // 2 - 1
    assert parse("a " * (opening[0] not in "({") + opening * depth + "b" + closing * depth).trouble is None


def test_a_text_that_is_too_long_or_has_too_many_words_is_trouble() -> None:
    assert parse("a" * (MAX_TEXT + 1)).trouble is not None
    assert parse("a " * (MAX_TEXT // 2)).trouble is not None


GROWING: list[Callable[[int], str]] = [
    lambda n: "$(" * n,
    lambda n: "`" * n,
    lambda n: "`(" * n,
    lambda n: "a `" + "\\" * n + "`",
    lambda n: "(" * n,
    lambda n: "((" * n,
    lambda n: "$((" * n,
    lambda n: "((a) ; " * n,
    lambda n: "$((a) ; " * n,
    lambda n: "true" + " && true" * (n // 8),
    lambda n: "a" + " " * n,
    lambda n: "a " + "b" * n,
    lambda n: "a " + "'b'" * (n // 3),
    lambda n: 'a "' + "\\b" * (n // 2) + '"',
    lambda n: "a " + "\\\n" * (n // 2),
    lambda n: "a " + "{b" * (n // 2),
    lambda n: "a " + "1" * n,
    lambda n: "a " + "$b" * (n // 2),
    lambda n: "a=(" + "[b]" * (n // 3) + ")",
    lambda n: "a=(" + "[b] " * (n // 4) + ")",
    lambda n: "a[" * n,
    lambda n: "a @(" + "eb" * (n // 2) + ")",
    lambda n: "a @(" * n,
    lambda n: "a <<E\n" + "b\\\n" * (n // 3),
    lambda n: "a <<E\n" + "\\" * n + "\nE",
    lambda n: "a <<-E\n" + "\tb $c\n" * (n // 6) + "\tE",
    lambda n: "a " + "<<E " * (n // 4),
    lambda n: "$(a <<E\n" + "Eb\n" * (n // 3) + "E\n)",
    lambda n: "#" * n,
    lambda n: "! " * n,
    lambda n: "${a:-" * n,
    lambda n: "a $'" + "\\x41" * (n // 4) + "'",
    lambda n: "case a in " + "b) c;; " * (n // 7) + "esac",
    lambda n: "a" + "|b" * (n // 2),
    lambda n: "a\n" * (n // 2),
    lambda n: '"${a:-' + "'" * n,
]


@pytest.mark.parametrize("grow", GROWING)
def test_the_work_grows_as_the_text_does(grow: Callable[[int], str]) -> None:
    """A quadratic reading of the longer text would make 256 times as many calls as of the shorter: 50 is far from both."""
    size = 1 << 9
    assert calls(grow(size * 16)) < max(calls(grow(size)), 100) * 50


def calls(text: str) -> int:
    """Returns the number of calls that reading the text made, of Python's own functions too: the same on every machine."""
    made = 0

    def count(*_: object) -> None:
        nonlocal made
        made += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        parse(text)
    finally:
        sys.setprofile(before)
    return made
