"""Adds members to somebody's JSON and removes them again; every other byte stays."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolgate.install.json_text import (
    NotJson,
    Steps,
    append_value,
    append_values,
    parse,
    remove_last_members,
    remove_member,
)

GROUP = {"hooks": [{"type": "command", "command": "/bin/gate", "args": ["x"]}]}
SPACE = st.text(" \t\n\r", max_size=3)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)


@st.composite
def draw_text(draw: st.DrawFn, value: object) -> str:
    """Draws a text of the value as somebody might have written it."""
    if isinstance(value, dict | list) and draw(st.booleans()):
        return json.dumps(value, indent=draw(st.sampled_from([None, 1, 2, 4, "\t"])), ensure_ascii=draw(st.booleans()))
    if isinstance(value, dict):
        members = [
            draw(SPACE) + json.dumps(key) + draw(SPACE) + ":" + draw(SPACE) + draw(draw_text(each)) for key, each in value.items()
        ]
    elif isinstance(value, list):
        members = [draw(SPACE) + draw(draw_text(each)) for each in value]
    else:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    inside = ",".join(member + draw(SPACE) for member in members) if members else draw(SPACE)
    return "{" + inside + "}" if isinstance(value, dict) else "[" + inside + "]"


VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=8
)
EVENTS = ("PreToolUse", "Stop", "SessionStart")
HOOKS = st.dictionaries(st.sampled_from([*EVENTS, "Notification"]), st.lists(VALUES, max_size=2), max_size=3)
SETTINGS = st.builds(
    lambda head, hooks, tail: {**head, **({} if hooks is None else {"hooks": hooks}), **tail},
    st.dictionaries(st.text(max_size=4), VALUES, max_size=2),
    st.none() | HOOKS,
    st.dictionaries(st.sampled_from(["env", "model"]), VALUES, max_size=2),
)
TEXTS = st.builds(lambda mark, text, end: mark + text + end, st.sampled_from(["", "\ufeff"]), SETTINGS.flatmap(draw_text), SPACE)


@given(TEXTS)
@example("{}")
@example("{\n}\n")
@example('{"hooks": {}}')
@example('{\n  "hooks": {\n    "PreToolUse": [\n    ]\n  }\n}')
@example('{\r\n\t"a": 1\r\n}\r\n')
@example('{"a":1}')
def test_what_was_put_in_comes_out_to_the_byte(text: str) -> None:
    before = parse(text).value
    assert isinstance(before, dict)
    now = text
    for event in EVENTS:
        now = append_value(now, ("hooks", event), GROUP)
    after = parse(now).value
    assert isinstance(after, dict)
    hooks = dict(before.get("hooks", {}))
    for event in EVENTS:
        hooks[event] = [*hooks.get(event, []), GROUP]
    assert after == {**before, "hooks": hooks}
    for event in reversed(EVENTS):
        now = remove_member(now, ("hooks", event, len(hooks[event]) - 1))
    assert now == text


@given(TEXTS, st.integers(1, 4))
def test_several_are_put_in_and_come_out_as_one_by_one(text: str, count: int) -> None:
    steps: Steps = ("hooks", "Stop")
    alone, rules = text, [f"Read(~/{number})" for number in range(count)]
    for rule in rules:
        alone = append_value(alone, steps, rule)
    together = append_values(text, steps, rules)
    assert together == alone
    stops = parse(alone).value["hooks"]["Stop"]  # type: ignore[index]
    places: list[Steps] = [(*steps, place) for place in range(len(stops) - count, len(stops))]
    for place in reversed(places):
        alone = remove_member(alone, place)
    assert remove_last_members(together, places) == alone


def test_a_file_of_ours_is_gone_when_nothing_else_is_in_it() -> None:
    text = append_value("", ("hooks", "Stop"), 1)
    assert text == '{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}\n'
    assert remove_member(text, ("hooks", "Stop", 0)) == ""


def test_a_file_of_ours_stays_when_somebody_else_wrote_into_it() -> None:
    text = append_value("", ("hooks", "Stop"), 1).replace("{\n", '{\n  "model": "x",\n', 1)
    assert remove_member(text, ("hooks", "Stop", 0)) == '{\n  "model": "x"\n}\n'


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"h": {\n\t\t"e": [\n\t\t\t1\n\t\t]\n\t}\n}'),
        ('{"a": 1}', '{"a": 1, "h": { "e": [ 1 ] }}'),
        ('{"a":1}', '{"a":1, "h": { "e": [ 1 ] }}'),
        ("{}", '{"h": {\n  "e": [\n    1\n  ]\n}}'),
        ('{\r\n  "h": {}\r\n}', '{\r\n  "h": {"e": [\r\n    1\r\n  ]}\r\n}'),
        ('{"h": {"e": [ 7 ], "f": 2}}', '{"h": {"e": [ 7, 1 ], "f": 2}}'),
    ],
)
def test_it_is_written_as_the_file_is(text: str, after: str) -> None:
    assert append_value(text, ("h", "e"), 1) == after


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1: a value is missing"),
        ("{", "line 1: a key in quotes is missing"),
        ("[1", "line 1: ] is missing"),
        ('{\n  // mine\n  "a": 1}', "line 2: a comment, which JSON does not allow"),
        ('{"a": 1 /* x */}', "line 1: a comment, which JSON does not allow"),
        ('{"a": 1,\n}', "line 2: a comma before the closing }"),
        ("[1,\n]", "line 2: a comma before the closing ]"),
        ('{"a": 1\n "b": 2}', "line 2: a comma or } is missing"),
        ("{a: 1}", "line 1: a key in quotes is missing"),
        ('{"a" 1}', "line 1: a colon behind the key 'a' is missing"),
        ('{"a": 1,\n"a": 2}', "line 2: the key 'a' stands there twice"),
        ('{"a": NaN}', "line 1: NaN is no JSON"),
        ('{"a": \n01}', "line 2: a comma or } is missing"),
        ('{"a": "\n"}', "line 1: invalid control character at"),
        ("{} {}", "line 1: something stands behind the end of the settings"),
        ("[" * 200, "line 1: nested too deep"),
    ],
)
def test_what_is_no_json_is_named_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(NotJson) as refused:
        parse(text)
    assert str(refused.value) == problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "line 1: what the file holds is not an object"),
        ('{\n"hooks": []}', "line 2: `hooks` is not an object"),
        ('{"hooks":\n{"Stop": {}}}', "line 2: `hooks.Stop` is not a list"),
    ],
)
def test_what_stands_in_the_way_is_named(text: str, problem: str) -> None:
    steps: Steps = ("hooks", "Stop")
    with pytest.raises(NotJson) as refused:
        append_value(text, steps, 1)
    assert str(refused.value) == problem


def no_constant(name: str) -> object:
    raise ValueError(name)


@given(st.text(max_size=30) | TEXTS | TEXTS.map(lambda text: text[:-1]))
def test_it_takes_what_json_takes_and_nothing_else(text: str) -> None:
    try:
        expected = json.loads(text.removeprefix("\ufeff"), parse_constant=no_constant)
    except ValueError:
        with pytest.raises(NotJson):
            parse(text)
        return
    assert parse(text).value == expected
