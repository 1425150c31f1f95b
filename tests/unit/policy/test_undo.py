"""`undo` and `[undo]`: who may switch copies off and on, and how much they may hold."""

from pathlib import Path

import pytest

from toolgate.model.rule import UNDO_LIMITS
from toolgate.policy.strictness import stricter_policy
from unit.policy.layers import TABLE, Layers

ON, OFF, SMALL = 'undo = "on"', 'undo = "off"', "[undo]\nmax_entries = 10\nkeep_days = 1.5"
LARGE = '[undo]\nmax_bytes = "1 GB"\ntotal_bytes = "9 GB"'


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)


@pytest.mark.parametrize(
    ("organisation", "user", "undo"),
    [(None, None, "on"), (None, OFF, "off"), (OFF, None, "off"), (OFF, ON, "off"), (ON, OFF, "off"), (OFF, SMALL, "off")],
)
def test_who_turns_it_off(layers: Layers, organisation: str | None, user: str | None, undo: str) -> None:
    layers.organisation, layers.user = organisation, user
    assert layers.load().undo == undo


def test_limits_of_a_user(layers: Layers) -> None:
    layers.user = SMALL
    assert layers.load().undo_limits == UNDO_LIMITS._replace(max_entries=10, keep_days=1.5)
    layers.user = LARGE
    assert layers.load().undo_limits == UNDO_LIMITS._replace(max_bytes=10**9, total_bytes=9 * 10**9)


def test_beneath_an_organisation_limits_are_only_lowered(layers: Layers) -> None:
    layers.organisation, layers.user = SMALL, LARGE
    found = layers.load()
    assert found.undo_limits == UNDO_LIMITS._replace(max_entries=10, keep_days=1.5)
    assert "undo: would loosen what this file may not loosen" in "".join(found.notices)
    layers.organisation = f'users_may_lower = ["undo"]\n{SMALL}'
    assert layers.load().undo_limits.max_bytes == 10**9


@pytest.mark.parametrize("text", [OFF, SMALL])
def test_a_project_has_no_say(layers: Layers, text: str) -> None:
    layers.project = text
    found = layers.load()
    assert (found.undo, found.undo_limits) == ("on", UNDO_LIMITS)
    assert "cannot be used and counts as absent" in "".join(found.notices)


@pytest.mark.parametrize("text", ['undo = "maybe"', "[undo]\nfiles = 3", '[undo]\nmax_bytes = "much"', "[undo]\nkeep_days = -1"])
def test_what_cannot_be_read_is_told(layers: Layers, text: str) -> None:
    layers.user = text
    assert "undo" in layers.complaint()


def test_a_rule_whose_default_is_stated_is_remembered_through_the_cache(layers: Layers) -> None:
    layers.user = '[rules."git.force-push"]\nverdict = "ask"'
    for _ in range(2):
        assert layers.load().confirmed == ("git.force-push",)
    layers.user = None
    assert layers.load().confirmed == ()


def test_in_a_session_the_stricter_of_both_holds(layers: Layers) -> None:
    layers.user = f'{SMALL}\n[rules."git.force-push"]\nverdict = "ask"'
    pinned = layers.load()
    layers.user = OFF
    found = stricter_policy(TABLE, pinned, layers.load())
    assert (found.undo, found.undo_limits.max_entries, found.confirmed) == ("off", 10, ("git.force-push",))
