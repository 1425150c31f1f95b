"""Patterns of approvals: which targets they name, and which calls they cover."""

import pytest

from toolgate.consent.patterns import Target, is_covering_pattern, list_targets, widen_targets
from toolgate.model.decision import Finding, Match, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Connect, Delete, Effect, Move, Operation, Write
from toolgate.model.place import Place
from toolgate.model.word import known_word, unknown_word

FILE = Place(known_word("/p/a"), path="/p/a")
GLOB = Place(known_word("/p/*"), path=None, anchor="/p", rest="*")


def target(effect: Effect, sure: bool | None = True) -> tuple[str, str]:
    (found,) = list_targets([Finding("a.rule", Verdict.ASK, Match(effect, "A reason.", sure=sure))])
    assert found.rule == "a.rule"
    return found.does, found.what


@pytest.mark.parametrize(
    ("effect", "does", "what"),
    [
        (Write(FILE, None, False, DEFAULT_ORIGIN), "Write", "/p/a"),
        (Delete(FILE, False, DEFAULT_ORIGIN), "Delete", "/p/a"),
        (Delete(FILE, True, DEFAULT_ORIGIN), "Delete of all beneath", "/p/a"),
        (Delete(FILE, None, DEFAULT_ORIGIN), "Delete of all beneath", "/p/a"),
        (Delete(GLOB, False, DEFAULT_ORIGIN), "Delete", ""),
        (Delete(FILE._replace(machine="ssh:host"), False, DEFAULT_ORIGIN), "Delete", ""),
        (Delete(FILE._replace(rest="*"), False, DEFAULT_ORIGIN), "Delete", ""),
        (Move(FILE, FILE, DEFAULT_ORIGIN), "Move", ""),
        (Connect(known_word("https://a.example/"), DEFAULT_ORIGIN), "Connect", "https://a.example/"),
        (Connect(unknown_word("$URL"), DEFAULT_ORIGIN), "Connect", ""),
        (Operation("git.push", DEFAULT_ORIGIN, known_word("main")), "git.push", ""),
    ],
)
def test_the_target_of_an_effect(effect: Effect, does: str, what: str) -> None:
    assert target(effect) == (does, what)


def test_an_unsure_finding_has_no_known_target() -> None:
    assert target(Delete(FILE, False, DEFAULT_ORIGIN), sure=None) == ("Delete", "")


DELETION = Target("a.rule", "delete", "/p/build/x")


def test_a_pattern_covers_the_targets_that_it_matches() -> None:
    pattern = widen_targets((DELETION,), "/p/build/*")
    assert pattern == (Target("a.rule", "delete", "/p/build/*"),)
    assert is_covering_pattern(pattern, (DELETION, DELETION._replace(what="/p/build/y")))
    assert not is_covering_pattern(pattern, (DELETION, DELETION._replace(what="/p/src/y")))
    assert not is_covering_pattern(pattern, (DELETION._replace(rule="another.rule"),))
    assert not is_covering_pattern(pattern, (DELETION._replace(does="write"),))


def test_a_pattern_covers_no_call_without_targets_or_with_an_unknown_one() -> None:
    assert not is_covering_pattern((DELETION,), ())
    assert not is_covering_pattern((DELETION._replace(what="**"),), (DELETION._replace(what=""),))


def test_a_pattern_that_leaves_its_own_call_out_is_none() -> None:
    assert widen_targets((DELETION,), "/p/src/*") == ()
    assert widen_targets((DELETION, DELETION._replace(what="")), "/p/build/*") == ()
