"""The index of written rules leaves out nothing that matches."""

import random

import pytest

from toolgate import cases
from toolgate.grounds import grounds
from toolgate.judge import Evidence, findings
from toolgate.locate import locate
from toolgate.model.decision import Verdict
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy, WrittenRule
from toolgate.rules import wanted, written
from toolgate.understand import understand

SHIPPED = [case for path in cases.shipped() for case in cases.load(path)]
PROGRAMS = ("rm", "git", "curl", "*", "python*", "/usr/bin/env", "npm", "kubectl")
OPERATIONS = ("git.*", "git.push", "package.publish", "*", "container.remove")
PATHS = ("~/**", "~/.ssh/**", "/etc/**", "src/*.py", "/", "**/*.env", "/home/u/project/**", "/tmp/x", "~")
HOSTS = ("e.vil", "*.com", "host", "169.254.169.254")
TEXTS = ("rm -rf", "push.*--force", "^git ", "e\\.vil", "sudo", "\\| sh")
ZONES = ("outside", "home", "system")


def rules(seed: int) -> tuple[WrittenRule, ...]:
    chosen = random.Random(seed)
    found = []
    for n in range(60):
        kind = chosen.choice(("operation", "path", "connect", "program", "text", "zone"))
        pools = {"operation": OPERATIONS, "path": PATHS, "connect": HOSTS, "program": PROGRAMS, "text": TEXTS, "zone": ZONES}
        conditions = {kind: chosen.choice(pools[kind])}
        if chosen.random() < 0.3:
            more = chosen.choice(("program", "text", "zone"))
            conditions[more] = chosen.choice(pools[more])
        found.append(WrittenRule(f"user.{n}", Verdict.ASK, "because", "user", **conditions))  # type: ignore[arg-type]
    return tuple(found)


@pytest.mark.parametrize("seed", range(6))
def test_asking_only_those_an_effect_may_concern_changes_nothing(seed: int) -> None:
    policy = Policy(written=rules(seed), digest=f"index test {seed}")
    for case in SHIPPED[seed::6]:
        scene = Scene(Caller("test"), case.cwd, case.project, case.home, {"HOME": case.home}, "u")
        effects = locate(understand(case.action, scene, case.world), grounds(scene), case.world)
        evidence = Evidence(effects, scene, case.world)
        asked = {(each.rule, each.match.effect) for each in findings(evidence, policy) if each.rule.startswith("user.")}
        every = {
            (rule.id, effect)
            for rule in policy.written
            for effect in effects.all
            if written.matches(rule, effect, effects, scene) is not False and effect.origin.sure is not False
        }
        assert asked == every, case.shown


def test_of_a_thousand_rules_few_are_asked() -> None:
    many = tuple(WrittenRule(f"user.{n}", Verdict.ASK, "because", "user", program=f"tool{n}") for n in range(1000))
    case = next(case for case in SHIPPED if case.shown == "git status")
    scene = Scene(Caller("test"), case.cwd, case.project, case.home, {"HOME": case.home}, "u")
    effects = understand(case.action, scene, case.world)
    index = wanted.index((*many, many[0]._replace(program="git")), scene)
    assert [list(index.asked(effect, effects)) for effect in effects.all] == [[1000]]
