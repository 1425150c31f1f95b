"""Tests who may let the gate answer in a host's place, and which hosts learn of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from toolgate import hosts
from toolgate.hosts.capabilities import load_capabilities
from toolgate.model.action import RunShell
from toolgate.model.decision import NO_OBJECTION
from toolgate.model.event import Caller, Scene, ToolCall
from toolgate.policy.strictness import stricter_policy
from unit.policy.layers import TABLE, Layers

READ, GRANTED, OFF = (f'answer_prompts = "{each}"\n' for each in ("read-only", "granted", "off"))
LOWER = 'users_may_lower = ["answer_prompts"]\n'


@pytest.mark.parametrize(
    ("organisation", "user", "project", "answered"),
    [
        (None, None, None, "off"),
        (None, GRANTED, None, "granted"),
        (None, None, READ, "off"),
        (OFF, GRANTED, None, "off"),
        ("", GRANTED, None, "off"),
        (READ, None, None, "read-only"),
        (READ, GRANTED, None, "read-only"),
        (GRANTED, OFF, None, "off"),
        (LOWER, READ, None, "read-only"),
        (LOWER + OFF, READ, None, "read-only"),
    ],
)
def test_the_user_decides_and_the_organisation_can_forbid_it(
    tmp_path: Path, organisation: str | None, user: str | None, project: str | None, answered: str
) -> None:
    layers = Layers(tmp_path, organisation, user, project)
    assert layers.load().answer_prompts == answered


def test_a_change_within_a_session_only_tightens(tmp_path: Path) -> None:
    before, after = Layers(tmp_path, user=READ).load(), Layers(tmp_path, user=GRANTED).load()
    assert stricter_policy(TABLE, before, after).answer_prompts == "read-only"
    assert stricter_policy(TABLE, after, before).answer_prompts == "read-only"


@pytest.mark.parametrize("name", hosts.HOSTS)
def test_only_a_host_whose_rules_can_be_read_is_told(name: str) -> None:
    event = ToolCall(Scene(Caller(name), "/p", "/p", "/home/u"), "Bash", "t", RunShell("ls"), {"command": "ls"})
    answer = hosts.load_host(name).answer(replace(NO_OBJECTION, allowed="it is proven"), event)
    if name in hosts.READABLE:
        assert '"allow"' in answer.stdout
        assert load_capabilities(name).sections["call"]["allow"] == "skips the question"
    else:
        assert hosts.prompts(name) is None
        assert answer == hosts.load_host(name).answer(NO_OBJECTION, event)
