"""The index of written rules omits no rule that matches."""

import random

import pytest

from toolgate import cases
from toolgate.judge import Evidence, iter_findings
from toolgate.locate import locate
from toolgate.model.decision import Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Delete, Effects
from toolgate.model.event import Caller, Scene
from toolgate.model.place import Place
from toolgate.model.rule import Policy, WrittenRule
from toolgate.model.word import known_word
from toolgate.rules import rule_index, written_rules
from toolgate.session_places import find_session_places
from toolgate.understand import understand

SHIPPED = [case for path in cases.iter_shipped_files() for case in cases.load_cases(path)]
PROGRAMS = ("rm", "git", "curl", "*", "python*", "/usr/bin/env", "npm", "kubectl")
OPERATIONS = ("git.*", "git.push", "package.publish", "*", "container.remove")
PATHS = (
    *("~/**", "~/.ssh/**", "/etc/**", "src/*.py", "/", "**/*.env", "/home/u/project/**", "/tmp/x", "~"),
    *("/tmp/tmp.d/**", "/tmp/t/*/x", "build/**", "src/**/*.[ch]", "~/project/b*"),
)
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
        effects = locate(understand(case.action, scene, case.world), find_session_places(scene), case.world)
        evidence = Evidence(effects, scene, case.world)
        candidates = {(each.rule, each.match.effect) for each in iter_findings(evidence, policy) if each.rule.startswith("user.")}
        every = {
            (rule.id, effect)
            for rule in policy.written
            for effect in effects.all
            if written_rules.matches_rule(rule, effect, effects, scene) is not False and effect.origin.sure is not False
        }
        assert candidates == every, case.display_text


def test_of_a_thousand_rules_few_are_asked() -> None:
    many = tuple(WrittenRule(f"user.{n}", Verdict.ASK, "because", "user", program=f"tool{n}") for n in range(1000))
    case = next(case for case in SHIPPED if case.display_text == "git status")
    scene = Scene(Caller("test"), case.cwd, case.project, case.home, {"HOME": case.home}, "u")
    effects = understand(case.action, scene, case.world)
    index = rule_index.build_index((*many, many[0]._replace(program="git")), scene)
    assert [list(index.find_candidates(effect, effects)) for effect in effects.all] == [[1000]]


@pytest.mark.parametrize(
    "rest", ["tmp.*", "t*", "tmp.d/x", "tmp.d/x?", "t/*/x", "t/**", "**", "TMP.*", "[t]mp.d", "t/tmp.?/x", ""]
)
def test_of_a_path_that_is_not_known_to_its_end_none_is_left_out(rest: str) -> None:
    policy = tuple(WrittenRule(f"user.{n}", Verdict.ASK, "because", "user", path=path) for n, path in enumerate(PATHS))
    scene = Scene(Caller("test"), "/home/u/project", "/home/u/project", "/home/u", {}, "u")
    for anchor in ("/", "/tmp", "/home/u/project", "/tmp/tmp.d"):
        place = Place(known_word(rest), known_word("/"), None, anchor=anchor, rest=rest)
        effect = Delete(place, True, DEFAULT_ORIGIN)
        candidates = set(rule_index.build_index(policy, scene).find_candidates(effect, Effects((effect,))))
        for folds in (False, True):
            matched = {
                n
                for n, rule in enumerate(policy)
                if written_rules.matches_rule(rule, effect, Effects((effect,)), scene, folds_case=folds) is not False
            }
            assert matched <= candidates


def test_names_that_a_glob_cannot_stand_for_are_not_asked_about() -> None:
    many = tuple(WrittenRule(f"user.{n}", Verdict.ASK, "because", "user", path=f"~/x{n}/**") for n in range(1000))
    scene = Scene(Caller("test"), "/home/u/project", "/home/u/project", "/home/u", {}, "u")
    effect = Delete(
        Place(known_word("proj-*"), known_word("/home/u"), None, anchor="/home/u", rest="proj-*"), True, DEFAULT_ORIGIN
    )
    assert rule_index.build_index(many, scene).find_candidates(effect, Effects((effect,))) == []
