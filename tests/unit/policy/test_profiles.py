"""The profiles that ship are data, and each of them is valid."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from toolgate.model.decision import Verdict
from toolgate.model.rule import Policy
from toolgate.policy import profiles
from toolgate.policy.forms import ProfileFile
from toolgate.policy.merge import Layers, merge
from toolgate.rules import TABLE, load_rule_module

NAMES = profiles.list_names()


def policy(name: str) -> Policy:
    return merge(TABLE, Layers(), lambda each: profiles.load_profile(TABLE, each), name).policy


def test_what_ships() -> None:
    assert NAMES == ("ci-headless", "default", "failover", "guardrail-confirm", "nous-plan", "observe", "paranoid", "squad")


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_speaks_of_what_there_is(name: str) -> None:
    form = msgspec.convert(tomllib.loads(Path(profiles.locate_profile(name)).read_text()), ProfileFile)
    assert form.description.endswith(".")
    assert set(form.extends) <= set(NAMES) - {name}
    for rule, ruling in form.rules.items():
        assert rule in TABLE
        if ruling.options:
            msgspec.convert(ruling.options, load_rule_module(rule).Options)


@pytest.mark.parametrize("name", NAMES)
def test_no_profile_lowers_a_floor(name: str) -> None:
    held = policy(name)
    for rule, row in TABLE.items():
        ruling = held.ruling_for(rule, row)
        assert (ruling.verdict >= row.floor[0], ruling.unsure >= row.floor[1], held.floors) == (True, True, {})


def test_default_says_nothing() -> None:
    assert policy("default") == Policy()


def test_ci_headless_has_nobody_to_ask() -> None:
    assert policy("ci-headless") == Policy("ci-headless", human=False, audit="decisions")


def test_observe_is_a_cap() -> None:
    assert policy("observe") == Policy("observe", cap=Verdict.WARN, audit="decisions")


def test_paranoid_is_nowhere_laxer_than_any_other() -> None:
    strictest = policy("paranoid")
    for other in map(policy, NAMES):
        for rule, row in TABLE.items():
            one, two = strictest.ruling_for(rule, row), other.ruling_for(rule, row)
            assert (one.verdict >= two.verdict, one.unsure >= two.unsure) == (True, True), rule
    assert {strictest.ruling_for(rule, row).unsure for rule, row in TABLE.items()} <= {Verdict.ASK, Verdict.DENY}


def test_extending_takes_the_strictest_of_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "lax": 'on_error = "warn"\n[rules]\n"git.clean".verdict = "pass"\n"git.discard".verdict = "warn"',
        "hard": 'on_error = "closed"\n[rules]\n"git.discard".verdict = "deny"',
        "both": 'extends = ["lax", "hard"]\n[rules]\n"git.force-push".verdict = "pass"',
        "alone": 'extends = ["lax"]',
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(f'description = "x."\n{text}')
    monkeypatch.setattr(profiles, "PROFILES_FOLDER", str(tmp_path))
    both, alone = policy("both"), policy("alone")
    verdicts = [both.ruling_for(rule, TABLE[rule]).verdict for rule in ("git.clean", "git.discard", "git.force-push")]
    assert verdicts == [Verdict.ASK, Verdict.DENY, Verdict.PASS]
    assert alone.ruling_for("git.clean", TABLE["git.clean"]).verdict == Verdict.PASS
    assert (both.on_error, alone.on_error) == ("closed", "warn")
