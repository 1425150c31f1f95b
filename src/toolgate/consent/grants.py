"""Grants: commands that a person allowed to have certain effects without a question (docs/prompts.md).

A grant is a lasting approval. It does not match text: a command is covered by its effects, and every clause names the program,
the options it may be given, and the targets of each kind of effect.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolgate.model.effect import Delete, Effect, Move, Operation, Send, Write
from toolgate.model.glob import matches_path
from toolgate.model.place import LOCAL, Place
from toolgate.model.word import literal_pattern


class Deed(NamedTuple):
    """An effect as a grant names it. `target`: a path, or a glob in a clause; empty for an effect without a target."""

    kind: str
    target: str


class Clause(NamedTuple):
    """A part of a grant.

    `program`: the command's name, with its subcommand if any, or the tool's name. `options`: the options it may be given. `test`:
    all words of the project's own test command, which may do whatever the project's tests do.
    """

    program: str
    options: tuple[str, ...] = ()
    deeds: tuple[Deed, ...] = ()
    test: tuple[str, ...] = ()


class Command(NamedTuple):
    """A command that needs a grant, with its effects beyond reading."""

    program: str
    options: tuple[str, ...]
    deeds: tuple[Deed, ...]


class Grant(NamedTuple):
    """The clauses that a person granted. `at`: the time of the grant."""

    id: str
    at: float
    clauses: tuple[Clause, ...]


def deeds_of(effect: Effect) -> tuple[Deed, ...] | None:
    """Returns the deeds that a grant must name for an effect, or None if no grant covers it."""
    match effect:
        case Write(place=place, tree=False) if _is_known(place):
            return (Deed("write", place.path or ""),)
        case Delete(place=place, recursive=False) if _is_known(place):
            return (Deed("delete", place.path or ""),)
        case Move(place=place, to=to) if _is_known(place) and _is_known(to):
            return Deed("delete", place.path or ""), Deed("write", to.path or "")
        case Operation(name="git.commit", target=None, flags=flags) if all(value is False for _, value in flags):
            return (Deed("git.commit", ""),)
        case Send(sink="commit"):
            return (Deed("git.commit", ""),)
        case _:
            return None


def _is_known(place: Place) -> bool:
    return place.machine == LOCAL and place.path is not None and not place.rest


def find_covering_grant(grants: Iterable[Grant], command: Command) -> str | None:
    """Returns the id of a grant that covers the whole command, or None."""
    return next((grant.id for grant in grants for clause in grant.clauses if _covers(clause, command)), None)


def _covers(clause: Clause, command: Command) -> bool:
    fits = not clause.test and clause.program == command.program and set(command.options) <= set(clause.options)
    return fits and all(any(_allows(allowed, deed) for allowed in clause.deeds) for deed in command.deeds)


def _allows(grant_deed: Deed, deed: Deed) -> bool:
    if grant_deed.kind != deed.kind:
        return False
    return grant_deed.target == deed.target or (bool(grant_deed.target) and matches_path(grant_deed.target, deed.target) is True)


def narrowest_clause(command: Command, project: str) -> Clause:
    """Returns the clause that covers a command: each target's folder, or the exact file if that folder is the project itself."""
    deeds = (deed._replace(target=_narrowest_glob(deed.target, project)) for deed in command.deeds)
    return Clause(command.program, tuple(sorted(set(command.options))), tuple(dict.fromkeys(deeds)))


def _narrowest_glob(path: str, project: str) -> str:
    folder = path.rpartition("/")[0]
    return literal_pattern(path) if folder == project.rstrip("/") or not folder else f"{literal_pattern(folder)}/*"


def describe_clause(clause: Clause) -> Iterator[str]:
    """Yields descriptions for people of the calls that a clause allows."""
    if clause.test:
        yield f"run this project's own tests: {' '.join(clause.test)}, until a session changes what they load"
        return
    options = f" (with no options but {' '.join(clause.options)})" if clause.options else " (without options)"
    if not clause.deeds:
        yield f"{clause.program}{options}, inside the project"
    for kind, target in clause.deeds:
        yield f"{clause.program}{options}: {kind}{f' {target}' if target else ''}"
