"""Grants: which deeds an effect is, and which commands a clause covers."""

import pytest

from toolgate.consent.grants import Clause, Command, Deed, Grant, deeds_of, describe_clause, find_covering_grant, narrowest_clause
from toolgate.model.effect import DEFAULT_ORIGIN, Delete, Effect, Move, Operation, Read, Send, Write
from toolgate.model.place import Place
from toolgate.model.word import known_word

FILE, OTHER = (Place(known_word(path), path=path) for path in ("/p/a", "/p/b"))
GLOB = Place(known_word("/p/*"), path="/p", rest="*")
AWAY = FILE._replace(machine="ssh:host")
COMMITTED = (Deed("git.commit", ""),)


@pytest.mark.parametrize(
    ("effect", "deeds"),
    [
        (Write(FILE, None, False, DEFAULT_ORIGIN), (Deed("write", "/p/a"),)),
        (Write(FILE, None, False, DEFAULT_ORIGIN, tree=True), None),
        (Write(GLOB, None, False, DEFAULT_ORIGIN), None),
        (Write(AWAY, None, False, DEFAULT_ORIGIN), None),
        (Delete(FILE, False, DEFAULT_ORIGIN), (Deed("delete", "/p/a"),)),
        (Delete(FILE, True, DEFAULT_ORIGIN), None),
        (Delete(Place(known_word("x")), False, DEFAULT_ORIGIN), None),
        (Move(FILE, OTHER, DEFAULT_ORIGIN), (Deed("delete", "/p/a"), Deed("write", "/p/b"))),
        (Move(FILE, GLOB, DEFAULT_ORIGIN), None),
        (Move(GLOB, FILE, DEFAULT_ORIGIN), None),
        (Operation("git.commit", DEFAULT_ORIGIN, None, (("amend", False),)), COMMITTED),
        (Operation("git.commit", DEFAULT_ORIGIN, None, (("amend", True),)), None),
        (Operation("git.commit", DEFAULT_ORIGIN, None, (("amend", None),)), None),
        (Operation("git.commit", DEFAULT_ORIGIN, known_word("x")), None),
        (Operation("git.push", DEFAULT_ORIGIN), None),
        (Send(known_word("git"), known_word("x"), "commit", DEFAULT_ORIGIN), COMMITTED),
        (Send(known_word("git"), known_word("x"), "message", DEFAULT_ORIGIN), None),
        (Read(FILE, DEFAULT_ORIGIN), None),
    ],
)
def test_the_deeds_of_an_effect(effect: Effect, deeds: tuple[Deed, ...] | None) -> None:
    assert deeds_of(effect) == deeds


CLAUSE = Clause("rm", ("-f", "-v"), (Deed("delete", "/p/build/*"), Deed("git.commit", "")))


def covers(clause: Clause, program: str, options: tuple[str, ...], *deeds: Deed) -> bool:
    return find_covering_grant([Grant("g", 1.0, (clause,))], Command(program, options, deeds)) == "g"


def test_a_clause_covers_its_program_with_its_options_and_targets() -> None:
    deletion = Deed("delete", "/p/build/x")
    assert covers(CLAUSE, "rm", ("-f",), deletion)
    assert covers(CLAUSE, "rm", ("-f", "-v"), deletion, Deed("git.commit", ""))
    assert covers(CLAUSE, "rm", ())
    assert not covers(CLAUSE, "rmdir", ("-f",), deletion)
    assert not covers(CLAUSE, "rm", ("-r",), deletion)
    assert not covers(CLAUSE, "rm", ("-f",), deletion, Deed("delete", "/p/src/x"))
    assert not covers(CLAUSE, "rm", ("-f",), Deed("write", "/p/build/x"))
    assert not covers(CLAUSE, "rm", ("-f",), Deed("git.commit", "main"))


def test_a_clause_of_tests_covers_no_other_command() -> None:
    assert not covers(Clause("make", test=("make", "test")), "make", ())


def test_the_narrowest_clause_names_folders_but_not_the_project() -> None:
    deeds = (Deed("delete", "/p/build/x"), Deed("delete", "/p/build/y"), Deed("write", "/p/a*"), Deed("git.commit", ""))
    assert narrowest_clause(Command("rm", ("-v", "-f", "-f"), deeds), "/p/") == Clause(
        *("rm", ("-f", "-v")), (Deed("delete", "/p/build/*"), Deed("write", "/p/a[*]"), Deed("git.commit", ""))
    )


def test_what_a_clause_allows_is_described() -> None:
    assert list(describe_clause(Clause("make", test=("make", "test")))) == [
        "run this project's own tests: make test, until a session changes what they load"
    ]
    assert list(describe_clause(Clause("ls"))) == ["ls (without options), inside the project"]
    assert list(describe_clause(CLAUSE)) == [
        "rm (with no options but -f -v): delete /p/build/*",
        "rm (with no options but -f -v): git.commit",
    ]
