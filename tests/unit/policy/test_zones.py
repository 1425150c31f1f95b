"""Tests where an agent may work: blocked zones add up, and only a layer that may lower can set safe ones."""

import pytest

from toolgate.app import App
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import WriteFile
from toolgate.model.decision import Verdict
from toolgate.model.effect import Write
from toolgate.model.event import Caller, Scene
from toolgate.model.place import WORKPLACES, Workplaces, Zone
from toolgate.model.world import GitState
from toolgate.policy.cache import decode_policy, encode_policy
from unit.policy.layers import Layers

HOME = "/home/u"


def test_without_a_word_the_project_and_temporary_folders_are_the_work(layers: Layers) -> None:
    assert layers.load().places == WORKPLACES


def test_a_user_says_what_is_safe_and_what_is_blocked(layers: Layers) -> None:
    layers.user = '[zones]\nsafe = ["~/code"]\nblocked = ["~/code/legacy", "/srv/*/data"]'
    policy = layers.load()
    assert policy.places == Workplaces(safe=("~/code",), blocked=("~/code/legacy", "/srv/*/data"))
    assert decode_policy(encode_policy(policy)) == policy


def test_a_project_only_blocks(layers: Layers) -> None:
    layers.project = '[zones]\nblocked = ["vendor"]'
    assert layers.load().places == Workplaces(blocked=("./vendor",))
    layers.project = '[zones]\nsafe = ["/"]'
    policy = layers.load()
    assert policy.places == WORKPLACES
    assert policy.notices


def test_beneath_an_organisation_a_user_calls_nothing_safe_unless_it_may(layers: Layers) -> None:
    layers.organisation = '[zones]\nblocked = ["/srv"]'
    layers.user = '[zones]\nsafe = ["~/code"]\nblocked = ["~/old"]'
    policy = layers.load()
    assert policy.places == Workplaces(blocked=("/srv", "~/old"))
    assert "zones.safe" in policy.notices[0]
    layers.organisation = 'users_may_lower = ["zones.safe"]'
    assert layers.load().places == Workplaces(safe=("~/code",), blocked=("~/old",))


@pytest.mark.parametrize("folder", ["code", "../x", "~/a/../b", "~x"])
def test_a_folder_is_absolute_or_beneath_the_home_folder(layers: Layers, folder: str) -> None:
    layers.user = f'[zones]\nsafe = ["{folder}"]'
    policy = layers.load()
    assert policy.degraded
    assert "neither absolute nor beneath ~" in policy.notices[0]


TABLE = {
    "/etc/hosts": "blocked",
    "~/.ssh/config": "blocked",
    "~/.claude/state/note.md": "safe",
    "~/projects/myapp/src/main.py": "safe",
    "~/projects-old/x": "outside",
    "~/random-repo/file.txt": "repository",
    "~/Downloads/file.txt": "outside",
    "/etc/repo/x": "blocked",
    "~/stolen/x": "outside",
}
"""The design's own table of examples, and what its words imply."""


@pytest.mark.parametrize(("path", "zone"), TABLE.items())
def test_blocked_comes_first_then_safe_then_a_repository_of_ones_own(layers: Layers, path: str, zone: str) -> None:
    layers.user = 'profile = "guardrail-confirm"'
    inside, verdict = judge_write(layers, path)
    assert zone in inside
    assert verdict == {"blocked": Verdict.DENY, "outside": Verdict.ASK}.get(zone, Verdict.PASS)


@pytest.mark.parametrize(
    ("path", "is_safe"),
    [("shop-api/x", True), ("shop-api/deep/x", True), ("shop-apis/x", False), ("shop/x", False), ("shop-api", True)],
)
def test_a_glob_of_safe_folders_ends_at_a_path_component(layers: Layers, path: str, is_safe: bool) -> None:
    layers.user = 'profile = "guardrail-confirm"\n[zones]\nsafe = ["~/work/*-api"]'
    inside, verdict = judge_write(layers, f"~/work/{path}")
    assert ("safe" in inside, verdict) == (is_safe, Verdict.PASS if is_safe else Verdict.ASK)


def judge_write(layers: Layers, path: str) -> tuple[frozenset[Zone], Verdict]:
    """Returns the zones of a file that an agent writes, and the verdict."""
    tops = {
        f"{HOME}/random-repo": GitState(f"{HOME}/random-repo"),
        "/etc/repo": GitState("/etc/repo"),
        f"{HOME}/stolen": GitState(f"{HOME}/stolen", ours=False),
    }
    world = SimulatedWorld(folders=frozenset((HOME, f"{HOME}/projects/app")), git_tops=tops)
    scene = Scene(Caller("test"), f"{HOME}/projects/app", f"{HOME}/projects/app", HOME, {}, "u")
    judged = App(lambda: world).judge(WriteFile(path.replace("~", HOME), "x"), scene, layers.load())
    (place,) = (effect.place for effect in judged.effects.all if isinstance(effect, Write))
    return place.inside, judged.decision.verdict
