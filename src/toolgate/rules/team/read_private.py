"""Reading another agent's charter or history.

Each agent works from its own files, the decisions, and the files it was given: other agents' instructions and notes mislead it
and fill its context. The coordinator may read all of it, the Scribe every history.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Read
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import Context
from toolgate.model.word import Maybe

from .context import Agent, Team, callers, owner, parts, team, touches

PRIVATE = ("charter.md", "history.md", "history-archive.md")


def check(read: Read, _options: None, context: Context) -> Iterator[Match]:
    place = read.place
    if place.machine != LOCAL or place.anywhere or (place.path is not None and team(context).inner(place.path) is None):
        return
    for me in callers(context):
        if me.role != "coordinator" and (sure := _is_private(place, me, team(context))) is not False:
            yield Match(
                read,
                f"{place.shown} is another agent's own, or holds such files. {me.shown} may read its own files, decisions.md, "
                "and what it was handed.",
                sure=sure,
            )


def _is_private(place: Place, me: Agent, own: Team) -> Maybe:
    handed = tuple(each if each.startswith("/") else f"{top}/{each}" for each in me.reads for top in own.tops)
    if touches(place, handed) is True:
        return False
    if place.path is None:
        within = parts(own.inner(place.anchor) or "") if place.anchor is not None else ()
        mine = len(within) > 1 and within[0] == "agents" and me.is_called(within[1])
        return None if not mine and own.reaches(place, "agents/**") is not False else False
    names = parts(own.inner(place.path) or "")
    if len(names) == 3 and names[0] == "agents" and names[2] in PRIVATE:
        shared = me.role == "scribe" and names[2] != "charter.md"
        return not (shared or me.is_called(owner("/".join(names))))
    if names in ((), ("agents",)) or (len(names) == 2 and names[0] == "agents" and not me.is_called(names[1])):
        return None  # the whole folder, unless only names are searched
    return False
