"""Tests the cases beside rules and programs, and the acceptance cases that this version covers."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from toolgate import cases, judge, programs, rules
from toolgate.app import App
from toolgate.cases import Case, Outcome
from toolgate.cli.test import build_case_policy
from toolgate.designs import POLICY_FILES, PROFILES, load_module
from toolgate.designs.guardrail_hooks.layout import STARTER_RULES
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.decision import Verdict
from toolgate.model.rule import Policy
from toolgate.model.world import GitState
from toolgate.policy import profiles
from toolgate.policy.discovery import FoundFile
from toolgate.policy.merge import Layers, merge
from toolgate.rules import TABLE

FILES = list(cases.iter_shipped_files())
SHIPPED = [case for path in FILES for case in cases.load_cases(path)]
ACCEPTANCE = Path(__file__).parent / "acceptance"


def name(case: Case) -> str:
    return f"{Path(case.file).parent.name}/{case.id}"


@pytest.mark.parametrize("case", SHIPPED, ids=name)
def test_shipped(case: Case) -> None:
    outcome = cases.run_case(case, build_case_policy(case))
    assert outcome.has_passed, (case.display_text, outcome.verdict.name, outcome.rules)


def test_every_rule_shows_what_it_stops_and_what_it_leaves_alone() -> None:
    stops = {case.rule for case in SHIPPED if Verdict.PASS not in case.expect}
    assert stops >= set(TABLE), sorted(set(TABLE) - stops)
    for rule in TABLE:
        own = [case for case in SHIPPED if case.file.endswith(f"rules/{rule.replace('.', '/').replace('-', '_')}.cases.toml")]
        assert any(case.expect == {Verdict.PASS} for case in own), f"{rule} leaves nothing alone"


def suggestions(case: Case) -> set[tuple[str, str]]:
    """Returns the commands that an answer's `instead` offers, with the rule that offers each."""
    found = App(lambda: case.world).judge(case.action, case.scene, build_case_policy(case)).decision.findings
    texts = {(each.rule, text) for each in found for text in (each.match.instead, *QUOTED.findall(each.match.instead))}
    return {(rule, text) for rule, text in texts if programs.find_row(text.partition(" ")[0]) is not None}


QUOTED = re.compile(r"`([^`]+)`")


def test_what_is_offered_instead_is_not_stopped_itself() -> None:
    """They are judged under the profile and in the world in which they are offered."""
    offered: dict[tuple[str, str, str], Case] = {}
    for case in SHIPPED:
        if case.expect == {Verdict.PASS} and not case.known_gap:  # nothing is offered where nothing is found
            continue
        for rule, text in suggestions(case):
            offered.setdefault((rule, text, case.profile), case)
    assert len({rule for rule, _, _ in offered}) > 10
    for (rule, text, _), case in offered.items():
        outcome = cases.run_case(replace(case, tool="Bash", input={"command": text}, host="claude-code"), build_case_policy(case))
        assert outcome.verdict < Verdict.ASK, (rule, text, outcome.rules)


def imported_policy(profile: str) -> Policy:
    """Returns a profile with the policy files of the designs at their strictest."""
    team = {"shellBlocklist": {"allowForceWithLease": False, "customPatterns": [{"pattern": "git stash", "reason": "x."}]}}
    found = (
        FoundFile("user", "guardrails.json", json.dumps(STARTER_RULES).encode()),
        FoundFile("project", "policies.json", json.dumps(team).encode()),
    )
    readers = {each.file: load_module(PROFILES[POLICY_FILES[each.file]], "policy_file") for each in found}
    imported = tuple(readers[each.file].read_statements(each.data, each.file) for each in found)
    return merge(TABLE, Layers(imported=imported), lambda name: profiles.load_profile(TABLE, name), profile).policy


def _same_world(world: SimulatedWorld) -> SimulatedWorld:
    return world


@pytest.mark.parametrize("profile", profiles.list_names())
def test_no_imported_policy_stops_what_its_denials_advise(profile: str) -> None:
    policy = imported_policy(profile)
    seen: set[str] = set()
    for case in (each for each in SHIPPED if each.rule and each.rule not in seen and Verdict.PASS not in each.expect):
        app = App(partial(_same_world, case.world))
        for finding in app.judge(case.action, case.scene, policy).decision.findings:
            advised = [finding.match.instead, *QUOTED.findall(finding.match.instead)]
            for text in (each for each in advised if programs.find_row(each.partition(" ")[0]) is not None):
                verdict = app.judge(RunShell(text), case.scene, policy).decision.verdict
                assert verdict < Verdict.ASK or verdict <= policy.cap < Verdict.DENY, (finding.rule, text)
        seen.add(case.rule)
    assert len(seen) > 100


def test_known_gaps_are_published_and_only_shrink() -> None:
    gaps = Counter(case.known_gap for case in SHIPPED if case.known_gap)
    assert sum(gaps.values()) <= 0, gaps


ACCEPTED = {case.id: case for case in cases.load_acceptance_cases(ACCEPTANCE / "cases.jsonl")}
TABLE_OF_ANSWERS = json.loads((ACCEPTANCE / "answered.json").read_text())
ANSWERED: list[str] = TABLE_OF_ANSWERS["answered"]
"""Ids of the cases that the profile of their own design answers as that design does."""
OTHERWISE: dict[str, list[str]] = TABLE_OF_ANSWERS["otherwise"]
"""Reason -> ids of the cases that it answers otherwise: on purpose, or because what is needed is not there yet."""


def answer(id_: str) -> Outcome:
    case = ACCEPTED[id_]
    return cases.run_case(case, build_case_policy(case) if case.profile in profiles.list_names() else Policy())


@pytest.mark.parametrize("id_", ANSWERED)
def test_acceptance(id_: str) -> None:
    outcome = answer(id_)
    assert outcome.is_right, (outcome.case.display_text, outcome.verdict.name, outcome.rules)


@pytest.mark.parametrize(("id_", "reason"), [(id_, reason) for reason, ids in OTHERWISE.items() for id_ in ids])
def test_answered_otherwise(id_: str, reason: str) -> None:
    """Strict: a case that is now right moves to the other list."""
    assert not answer(id_).is_right, f"{id_} is right now: {reason!r} no longer holds"


ROW_RULES: dict[str, dict[str, str]] = tomllib.loads((ACCEPTANCE / "row_rules.toml").read_text())


@pytest.fixture
def remove_rule(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    def remove(rule: str) -> None:
        left = {trigger: tuple(each for each in found if each != rule) for trigger, found in rules.RULES_BY_TRIGGER.items()}
        monkeypatch.setattr(rules, "RULES_BY_TRIGGER", left)
        judge.list_active_rules.cache_clear()

    yield remove
    monkeypatch.undo()
    judge.list_active_rules.cache_clear()


@pytest.mark.parametrize(
    ("rule", "id_"),
    [pytest.param(*pair, id=f"{row}-{pair[0]}") for row, pairs in ROW_RULES.items() for pair in pairs.items()],
)
def test_a_requirement_is_not_met_without_its_rule(rule: str, id_: str, remove_rule: Callable[[str], None]) -> None:
    assert answer(id_).is_right
    remove_rule(rule)
    assert not answer(id_).is_right


CONFLICTS = tomllib.loads((ACCEPTANCE / "conflicts.toml").read_text())["topic"]


@pytest.mark.parametrize(
    ("shell", "profile", "expect"),
    [
        pytest.param(topic["shell"], *cell, id=f"{topic['id']}-{cell[0]}")
        for topic in CONFLICTS
        for cell in topic["expect"].items()
    ],
)
def test_where_the_designs_differ(shell: str, profile: str, expect: str) -> None:
    verdict = Verdict[expect.upper()]
    world = SimulatedWorld(
        folders=frozenset((cases.PROJECT, cases.HOME)), git_tops={cases.PROJECT: GitState(cases.PROJECT, "main")}
    )
    case = Case("conflict", "", "claude-code", "Bash", {"command": shell}, frozenset((verdict,)), profile=profile, world=world)
    assert cases.run_case(case, build_case_policy(case)).verdict is verdict


def test_no_two_topics_have_one_id() -> None:
    assert len({topic["id"] for topic in CONFLICTS}) == len(CONFLICTS)


LABELLED = tomllib.loads((ACCEPTANCE / "labelled.toml").read_text())
WORLD = LABELLED["world"]
ON_PURPOSE = {id_ for ids in LABELLED["otherwise"].values() for id_ in ids}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(cases.parse_case({"shell": shell, "expect": expect, "world": WORLD}, id_, ACCEPTANCE), id=id_)
        for part in ("labelled", "relief")
        for id_, (expect, shell) in LABELLED[part].items()
    ],
)
def test_labelled_before_it_was_judged(case: Case) -> None:
    """Strict: a case that is right after all leaves the list of intended differences."""
    outcome = cases.run_case(case, build_case_policy(case))
    assert outcome.is_right != (case.id in ON_PURPOSE), (case.display_text, outcome.verdict.name, outcome.rules)


ADDED = tomllib.loads((ACCEPTANCE / "added.toml").read_text())
SHOWN: dict[str, list[str]] = ADDED.pop("shown")
REQUIREMENTS: dict[str, str] = ADDED.pop("requirements")
del ADDED["unproved"]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(cases.parse_case(row, f"{req}/{n}", ACCEPTANCE), id=f"{req}/{n}")
        for req, rows in ADDED.items()
        for n, row in enumerate(rows, 1)
    ],
)
def test_what_no_design_has_a_case_for(case: Case) -> None:
    outcome = cases.run_case(case, build_case_policy(case))
    assert outcome.is_right, (case.display_text, outcome.verdict.name, outcome.rules)


@pytest.mark.parametrize("shown", sorted({each for some in SHOWN.values() for each in some}))
def test_what_is_shown_by_a_test_has_one(shown: str) -> None:
    file, _, function = shown.partition("::")
    page, _, heading = shown.partition("#")
    if heading:
        titles = re.findall(r"^#+ (.*)", (Path(__file__).parents[1] / page).read_text(), re.MULTILINE)
        assert heading in {title.lower().replace(" ", "-") for title in titles}
    else:
        assert f"\ndef {function}(" in (Path(__file__).parent / file).read_text()


def rows(design: str) -> Iterator[str]:
    """`01..03 P1` -> S1-01, S1-02, S1-03, S1-P1."""
    for each in REQUIREMENTS[design].split():
        if found := re.fullmatch(r"(\D*)(\d+)\.\.\D*(\d+)", each):
            kind, first, last = found.groups()
            yield from (f"{design}-{kind}{n:0{len(first)}}" for n in range(int(first), int(last) + 1))
        else:
            yield f"{design}-{each}"


@pytest.mark.parametrize("design", REQUIREMENTS)
def test_every_requirement_is_shown(design: str) -> None:
    by_row = {json.loads(line)["req"] for line in (ACCEPTANCE / "cases.jsonl").read_text().splitlines()}
    assert set(rows(design)) <= {*by_row, *ADDED, *SHOWN}, sorted(set(rows(design)) - {*by_row, *ADDED, *SHOWN})


def test_every_case_of_the_default_profile_is_answered() -> None:
    allowed_to_pass = {"C0493"}  # by its own note: "the default profile must allow or ask"
    assert {case.id for case in ACCEPTED.values() if case.profile == "default"} <= set(ANSWERED) | allowed_to_pass
