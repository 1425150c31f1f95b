"""Documents are read within bounds, and an error says what is wrong with one."""

import pytest

from toolgate.documents import MAX_NESTING, InvalidDocument, compose_yaml


def test_a_document_becomes_a_tree_of_nodes() -> None:
    node = compose_yaml("a: [1, {b: c}]")
    assert node is not None
    assert node.tag.endswith(":map")
    assert compose_yaml("") is None


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused_before_it_costs_anything(opening: str) -> None:
    with pytest.raises(InvalidDocument, match="nested too deep"):
        compose_yaml(opening * 100_000)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    node = compose_yaml("a: [" + "[1], " * (3 * MAX_NESTING) + "]")
    assert node is not None


def test_an_error_tells_its_line() -> None:
    with pytest.raises(InvalidDocument, match=r"it is not YAML \(line 2\)"):
        compose_yaml("a: 1\n]")
