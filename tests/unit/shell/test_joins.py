"""Every field of the shell's state is joined where paths meet, or declares why it is not."""

from dataclasses import fields

import pytest

from toolgate.model.word import EMPTY, known_word
from toolgate.shell.domain.frame import Frame
from toolgate.shell.domain.joins import FIELD_JOINS, PATH_FIELDS
from toolgate.shell.domain.protocol import ShadowedVariable
from toolgate.shell.domain.state import Shell, Stream

A, B = known_word("/a"), known_word("/b")
DIFFERENT: dict[str, tuple[object, object]] = {
    "cwd": ((A,), (B,)),
    "arguments": (((A,),), ((B,),)),
    "variables": ({"x": (A,)}, {"x": (B,)}),
    "exported": ({"x": True}, {"x": False}),
    "strict": (True, False),
    "options": (frozenset({"keyword"}), frozenset({"noclobber"})),
    "reads": (1, 2),
    "printed": ((A,), (B,)),
    "stack": (((A,),), ((B,), (A,))),
    "stacked": (True, False),
    "ended": (True, False),
    "attributes": ({"x": "i"}, {"x": "r"}),
    "functions": ({}, {}),
    "locals": ({"x": ShadowedVariable((A,), "")}, {}),
    "streams": ({"3": (Stream(None, held=A),)}, {"3": (Stream(None, held=B),)}),
}


def make_state() -> Shell:
    return Shell.from_frame(Frame((known_word("/"),), (known_word("/home"),), {}, {}))


def test_every_field_is_joined_or_says_why_not() -> None:
    names = {field.name for field in fields(Shell)}
    assert FIELD_JOINS.keys() | PATH_FIELDS.keys() == names
    assert not FIELD_JOINS.keys() & PATH_FIELDS.keys()


@pytest.mark.parametrize("field", sorted(FIELD_JOINS.keys() - {"functions"}))
def test_a_join_depends_on_both_states(field: str) -> None:
    mine, theirs = DIFFERENT[field]
    joined = []
    for first, second in ((mine, theirs), (theirs, mine), (mine, mine)):
        state, other = make_state(), make_state()
        setattr(state, field, dict(first) if isinstance(first, dict) else first)
        setattr(other, field, dict(second) if isinstance(second, dict) else second)
        state.join(other)
        joined.append(getattr(state, field))
    assert joined[0] != joined[2] or joined[1] != joined[2]
    assert as_set(joined[0]) == as_set(joined[1])


def as_set(value: object) -> object:
    """Returns the value without an order of its alternatives."""
    if isinstance(value, dict):
        return {name: as_set(each) for name, each in value.items()}
    if isinstance(value, str):
        return frozenset(value)
    return frozenset(value) if isinstance(value, tuple) and not isinstance(value, ShadowedVariable) else value


def test_a_join_with_an_equal_state_changes_nothing() -> None:
    state, other = make_state(), make_state()
    state.emit_output(EMPTY)
    other.emit_output(EMPTY)
    before = state.copy()
    state.join(other)
    assert state == before


def test_what_one_path_alone_exports_may_not_be_exported() -> None:
    for mine, theirs in (({"x": True}, {}), ({}, {"x": True})):
        state, other = make_state(), make_state()
        state.exported, other.exported = dict(mine), dict(theirs)
        state.join(other)
        assert state.exported == {"x": False}


def test_an_attribute_that_one_path_alone_gives_may_apply() -> None:
    state, other = make_state(), make_state()
    other.attributes = {"x": "i"}
    state.join(other)
    assert state.attributes == {"x": "i"}
