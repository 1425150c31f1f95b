"""Laws 9 and 10 as properties, for any layers."""

import json
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from toolgate.model.decision import Verdict
from toolgate.model.rule import Policy, WrittenRule
from toolgate.policy.cache import decode_policy, encode_policy
from toolgate.policy.merge import Layers, merge
from toolgate.policy.statements import FloorSetting, RuleSetting, Statements
from toolgate.policy.strictness import FIELDS, SWITCHES, stricter_policy
from unit.policy.layers import TABLE

VERDICTS = st.sampled_from(Verdict)
STATED = st.builds(
    RuleSetting, st.none() | VERDICTS, st.none() | VERDICTS, st.dictionaries(st.just("option"), st.booleans(), max_size=1)
)
RULES = st.dictionaries(st.sampled_from(sorted(TABLE)), STATED)
SAID = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) if values else st.integers(-1, 9) for name, values in SWITCHES.items()}
)
FLOOR = st.builds(FloorSetting, VERDICTS, VERDICTS, st.just("a reason"))
FLOORS = st.dictionaries(st.sampled_from(["filesystem.root", "gate.tamper"]), FLOOR, max_size=1)
NAMES = st.sampled_from(["git.*", "*", "human", "network.quiet"])


def statements(author: str) -> st.SearchStrategy[Statements]:
    return st.builds(
        Statements,
        st.just(author),
        st.just(f"{author}.toml"),
        st.sampled_from(["", "lax", "strict"]),
        SAID,
        RULES,
        FLOORS,
        users_may_lower=st.lists(NAMES, max_size=2).map(tuple) if author == "organisation" else st.just(()),
    )


PROFILES: Mapping[str, Statements] = {
    "lax": Statements(
        "profile", "lax", rules={rule: RuleSetting(Verdict.PASS) for rule in TABLE}, switches={"cap": Verdict.WARN}
    ),
    "strict": Statements(
        "profile", "strict", rules={rule: RuleSetting(Verdict.DENY) for rule in TABLE}, switches={"human": False}
    ),
}
STRANGERS = st.builds(Statements, st.just("project"), st.just("project.toml"), rules=RULES, switches=SAID)
LAYERS = st.builds(
    Layers, st.none() | statements("organisation"), st.none() | statements("user"), st.none() | STRANGERS, st.none() | STRANGERS
)


def merge_layers(layers: Layers) -> Policy:
    return merge(TABLE, layers, PROFILES.__getitem__).policy


def _strictness(name: str, value: object) -> float:
    if SWITCHES[name]:
        return SWITCHES[name].index(value)
    return -value if isinstance(value, int) else float("-inf")


def at_least(one: Policy, other: Policy) -> bool:
    """Returns whether the first policy is nowhere more permissive than the second."""
    rulings = [(one.ruling_for(rule, row), other.ruling_for(rule, row)) for rule, row in TABLE.items()]
    floors = [(one.floor_for(rule, row), other.floor_for(rule, row)) for rule, row in TABLE.items()]
    switches = [
        _strictness(name, getattr(one, field)) >= _strictness(name, getattr(other, field)) for name, field in FIELDS.items()
    ]
    return (
        all(a.verdict >= b.verdict and a.unsure >= b.unsure for a, b in rulings)
        and all(a[0] >= b[0] and a[1] >= b[1] for a, b in floors)
        and all(switches)
        and set(one.written) >= set(other.written)
    )


@given(LAYERS, STRANGERS)
def test_a_project_never_lowers_anything(layers: Layers, project: Statements) -> None:
    without, with_it = merge_layers(replace(layers, project=None)), merge_layers(replace(layers, project=project))
    assert at_least(with_it, without)
    assert {rule: ruling.options for rule, ruling in with_it.rulings.items() if ruling.options} == {
        rule: ruling.options for rule, ruling in without.rulings.items() if ruling.options
    }


@given(LAYERS, STRANGERS)
def test_nor_does_the_profile_of_the_environment(layers: Layers, joined: Statements) -> None:
    assert at_least(merge_layers(replace(layers, joined=joined)), merge_layers(replace(layers, joined=None)))


@given(LAYERS, statements("organisation"), statements("user"))
def test_beneath_an_organisation_a_user_only_raises(layers: Layers, top: Statements, user: Statements) -> None:
    top = replace(top, users_may_lower=())
    without = merge_layers(replace(layers, organisation=top, user=None))
    assert at_least(merge_layers(replace(layers, organisation=top, user=user)), without)


@given(LAYERS)
def test_a_floor_holds_unless_its_owner_lowered_it_by_name(layers: Layers) -> None:
    policy = merge_layers(layers)
    owner = layers.organisation or layers.user
    for rule, row in TABLE.items():
        ruling, floor = policy.ruling_for(rule, row), policy.floor_for(rule, row)
        assert (ruling.verdict >= floor[0], ruling.unsure >= floor[1]) == (True, True)
        if owner is None or rule not in owner.floors:
            assert floor == row.floor


@given(LAYERS, LAYERS)
def test_the_stricter_of_two_is_nowhere_laxer_than_either(one: Layers, other: Layers) -> None:
    pinned, changed = merge_layers(one), merge_layers(other)
    both = stricter_policy(TABLE, pinned, changed)
    assert at_least(both, pinned)
    assert at_least(both, changed)
    assert stricter_policy(TABLE, pinned, pinned) == pinned


RULE = st.builds(
    WrittenRule,
    st.just("a.b"),
    VERDICTS,
    st.text(),
    st.sampled_from(["organisation", "user", "project"]),
    path=st.text(),
    unsure=st.none() | VERDICTS,
    rate=st.none() | st.tuples(st.integers(0, 10_000), st.floats(1, 31_536_000)),
)


@given(LAYERS, st.lists(RULE).map(tuple))
def test_a_policy_survives_being_written_down(layers: Layers, written: tuple[WrittenRule, ...]) -> None:
    policy = replace(merge_layers(layers), written=written)
    assert decode_policy(encode_policy(policy)) == policy


TREES = st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(st.binary() | TREES.map(lambda tree: json.dumps(tree).encode()))
def test_nothing_in_the_cache_breaks_reading_it(data: bytes) -> None:
    assert decode_policy(data) is None
