"""Reading another agent's charter or history.

Each agent works from its own files, the decisions, and the files it was given: other agents' instructions and notes mislead it
and fill its context. The coordinator may read all of it, the Scribe every history.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Read
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe

from .context import Agent, Team, find_file_owner, find_team, list_callers, split_segments, touches_globs

PRIVATE_FILES = ("charter.md", "history.md", "history-archive.md")


def check(read_effect: Read, _options: None, context: RuleContext) -> Iterator[Match]:
    place = read_effect.place
    if (
        place.machine != LOCAL
        or place.is_anywhere
        or (place.path is not None and find_team(context).inner_path(place.path) is None)
    ):
        return
    for me in list_callers(context):
        if me.role != "coordinator" and (sure := _is_private(place, me, find_team(context))) is not False:
            yield Match(
                read_effect,
                f"{place.display_text} is another agent's own, or holds such files. {me.display_name} may read its own files, "
                "decisions.md, and what it was handed.",
                sure=sure,
            )


def _is_private(place: Place, agent: Agent, team: Team) -> Maybe:
    handed = tuple(each if each.startswith("/") else f"{top}/{each}" for each in agent.reads for top in team.tops)
    if touches_globs(place, handed) is True:
        return False
    if place.path is None:
        within = split_segments(team.inner_path(place.anchor) or "") if place.anchor is not None else ()
        mine = len(within) > 1 and within[0] == "agents" and agent.has_name(within[1])
        return None if not mine and team.reaches_files(place, "agents/**") is not False else False
    names = split_segments(team.inner_path(place.path) or "")
    if len(names) == 3 and names[0] == "agents" and names[2] in PRIVATE_FILES:
        shared = agent.role == "scribe" and names[2] != "charter.md"
        return not (shared or agent.has_name(find_file_owner("/".join(names))))
    if names in ((), ("agents",)) or (len(names) == 2 and names[0] == "agents" and not agent.has_name(names[1])):
        return None  # the whole folder, unless only names are searched
    return False
