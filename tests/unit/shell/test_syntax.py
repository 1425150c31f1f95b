"""Kinds of syntax are tuples: none may equal one of another kind, or one of two definitions of a function would be lost."""

from itertools import combinations
from typing import get_type_hints

import pytest

from toolgate.shell.syntax import tree as syntax

KINDS = [kind for kind in vars(syntax).values() if isinstance(kind, type) and issubclass(kind, tuple)]


@pytest.mark.parametrize(("one", "other"), list(combinations(KINDS, 2)))
def test_no_two_hold_the_same_kinds_of_fields(one: type, other: type) -> None:
    assert [*get_type_hints(one).values()] != [*get_type_hints(other).values()]


def test_a_group_is_not_the_subshell_of_the_same_body() -> None:
    body = syntax.Sequence((), (2, 2))
    both: set[syntax.Node] = {syntax.Group(body, (0, 4)), syntax.Subshell(body, (0, 4))}
    assert len(both) == 2
