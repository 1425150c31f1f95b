"""Finds a team's roster that names no members: then nobody has a role, and the user should hear of it."""

from toolgate.model.world import World
from toolgate.rules.team.context import READ_LIMIT, find_team_of_folder
from toolgate.rules.team.context.roster import HEADING, ROSTER_HEADING, parse_roster


def describe_unread_roster(start: str, world: World) -> str:
    """Returns what is wrong with a roster that names no members, with its file and line; empty where there is none, or it is
    read."""
    for folder in find_team_of_folder(start, world).folders:
        text = world.read(f"{folder}/team.md", READ_LIMIT)
        if isinstance(text, str) and text:
            if parse_roster(text):
                return ""
            where = f"{folder}/team.md:{_find_roster_line(text)}"
            return f"{where}: names no members; write a table with the columns Name and Role, or lines such as `- Ada: Reviewer`"
    return ""


def _find_roster_line(text: str) -> int:
    """Returns the line at which members are expected: that of a roster's heading, else the first."""
    for number, line in enumerate(text.splitlines(), 1):
        heading = HEADING.match(line[:200])
        if heading and ROSTER_HEADING.search(heading[1]) and not line.startswith("# "):
            return number
    return 1
