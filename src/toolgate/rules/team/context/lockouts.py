"""Reads the lockouts of a team, from its file and the store together."""

from collections.abc import Mapping

from toolgate.consent.lockouts import LOCKOUTS, from_lines, merged
from toolgate.model.errors import StoreError
from toolgate.model.place import Place
from toolgate.model.rule import Context
from toolgate.model.state import Key, Scope
from toolgate.model.word import Maybe, some

from . import Team, once, text, touches

FILE = "lockout.json"


def lockouts(own: Team, context: Context) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """Returns artifact -> names, of the file and the store together, and what is wrong with one of them."""
    return once(context.world, ("lockouts", own.root), lambda: _lockouts(own, context))


def _lockouts(own: Team, context: Context) -> tuple[Mapping[str, tuple[str, ...]], str]:
    in_the_file, problem = from_lines(text(context, FILE))
    try:
        return merged(in_the_file, context.remembered(Key(Scope("team", own.root), LOCKOUTS))), problem
    except StoreError as error:
        return merged(in_the_file, {}), str(error)


def is_about(entry: str, place: Place, own: Team, *, whole: Maybe) -> Maybe:
    """Returns whether the entry names the place: inside the project as the entry is written; in another checkout, wherever that
    is, by its end."""
    if entry.startswith("/"):
        return touches(place, (entry,), whole=whole)
    here = some(touches(place, (f"{top}/{entry}",), whole=whole) for top in own.tops)
    if place.path is None or own.relative(place.path) is not None:
        return here
    return some((here, touches(place, (f"/**/{entry}",), whole=whole)))
