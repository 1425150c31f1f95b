"""Writing a person's e-mail address into the files of a team of agents.

These files are committed. Addresses of example domains, robots and `noreply@` pass.
"""

from collections.abc import Iterator

from toolgate.designs import TEAM_FOLDERS
from toolgate.model.decision import Match
from toolgate.model.effect import Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.redaction.finder import find_in_word


def check(write: Write, _options: None, _context: RuleContext) -> Iterator[Match]:
    if write.content is None or not _is_team_file(write.place):
        return
    if any(hit.kind == "email" for hit in find_in_word(write.content)):
        yield Match(
            write, f"Writes an e-mail address to {write.place.display_text}.", instead="write the person's name or handle."
        )


def _is_team_file(place: Place) -> bool:
    names = (place.path or f"{place.anchor or ''}/{place.rest}").split("/")
    return place.machine == LOCAL and any(name.lower() in TEAM_FOLDERS for name in names[:-1])
