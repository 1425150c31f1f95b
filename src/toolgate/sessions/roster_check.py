"""Finds what a team's roster does not say in a form that is read: then somebody has no role, and the user should hear of it."""

from toolgate.model.world import World
from toolgate.rules.team.context import READ_LIMIT, find_team_of_folder
from toolgate.rules.team.context.roster import read_roster

KNOWN_FORMS = "write a table with the columns Name and Role, or lines such as `- Ada: Reviewer`"


def describe_unread_roster(start: str, world: World) -> str:
    """Returns what is not read in a roster, with its file and line; empty where there is none, or all of it is read."""
    for folder in find_team_of_folder(start, world).folders:
        text = world.read(f"{folder}/team.md", READ_LIMIT)
        if isinstance(text, str) and text:
            roster = read_roster(text)
            if not roster.members:
                return f"{folder}/team.md:{roster.heading}: names no members; {KNOWN_FORMS}"
            if roster.unread:
                return f"{folder}/team.md:{roster.unread[0]}: names no member in a form that is read; {KNOWN_FORMS}"
            return ""
    return ""
