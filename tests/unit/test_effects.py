"""Effects are tuples: none may equal one of another kind, or a finding on one would be taken for a finding on the other."""

from itertools import combinations, zip_longest
from types import UnionType
from typing import get_args, get_type_hints

import pytest

from toolgate.model.effect import Effect


def kinds(hint: object) -> set[object]:
    return set(get_args(hint)) if isinstance(hint, UnionType) else {hint}


@pytest.mark.parametrize(("one", "other"), list(combinations(get_args(Effect), 2)))
def test_no_two_can_be_equal(one: type, other: type) -> None:
    fields = zip_longest(get_type_hints(one).values(), get_type_hints(other).values())
    assert any(kinds(a).isdisjoint(kinds(b)) for a, b in fields)
