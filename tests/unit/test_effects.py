"""Effects are tuples: none may equal one of another kind, or a finding on one would be taken for a finding on the other."""

from itertools import combinations, zip_longest
from types import UnionType
from typing import get_args, get_type_hints

import pytest

from toolgate.model.effect import Effect, Write
from unit.shell.reading_text import read


def kinds(hint: object) -> set[object]:
    return set(get_args(hint)) if isinstance(hint, UnionType) else {hint}


@pytest.mark.parametrize(("one", "other"), list(combinations(get_args(Effect), 2)))
def test_no_two_can_be_equal(one: type, other: type) -> None:
    fields = zip_longest(get_type_hints(one).values(), get_type_hints(other).values())
    assert any(kinds(a).isdisjoint(kinds(b)) for a, b in fields)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("true; echo x > f", "echo x > f"),
        ("true; bash -c 'm; echo x > f'", "bash -c 'm; echo x > f'"),
        ("true; eval 'm; echo x > f'", "eval 'm; echo x > f'"),
    ],
)
def test_the_span_of_an_effect_is_that_of_the_command_in_the_text(text: str, command: str) -> None:
    (write,) = read(text).of_kind(Write)
    assert text[slice(*write.origin.span)] == command
