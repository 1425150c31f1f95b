"""Reads the lockouts of a team, from its file and the store together."""

from collections.abc import Mapping

from toolgate.consent.lockouts import LOCKOUTS_DOCUMENT, merge_lockouts, parse_lines
from toolgate.model.errors import StoreError
from toolgate.model.place import Place
from toolgate.model.rule import RuleContext
from toolgate.model.store import Key, Scope
from toolgate.model.word import Maybe, maybe_any

from . import Team, compute_once, read_team_file, touches_globs

LOCKOUT_FILE = "lockout.json"


def read_lockouts(team: Team, context: RuleContext) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """Returns artifact -> names, of the file and the store together, and what is wrong with one of them."""
    return compute_once(context.world, ("lockouts", team.root), lambda: _merge_lockouts(team, context))


def _merge_lockouts(team: Team, context: RuleContext) -> tuple[Mapping[str, tuple[str, ...]], str]:
    in_the_file, problem = parse_lines(read_team_file(context, LOCKOUT_FILE))
    try:
        return merge_lockouts(in_the_file, context.load_document(Key(Scope("team", team.root), LOCKOUTS_DOCUMENT))), problem
    except StoreError as error:
        return merge_lockouts(in_the_file, {}), str(error)


def matches_entry(entry: str, place: Place, team: Team, *, whole: Maybe) -> Maybe:
    """Returns whether the entry names the place: inside the project as the entry is written; in another checkout, wherever that
    is, by its end."""
    if entry.startswith("/"):
        return touches_globs(place, (entry,), whole=whole)
    is_inside = maybe_any(touches_globs(place, (f"{top}/{entry}",), whole=whole) for top in team.tops)
    if place.path is None or team.project_path(place.path) is not None:
        return is_inside
    return maybe_any((is_inside, touches_globs(place, (f"/**/{entry}",), whole=whole)))
