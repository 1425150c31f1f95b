"""Writing a person's e-mail address into the files of a team of agents (`.squad/`, `.ai-team/`).

These files are committed. Addresses of example domains, robots and `noreply@` pass.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import Context
from toolgate.redaction.finder import in_word

FOLDERS = (".squad", ".ai-team")


def check(write: Write, _options: None, _context: Context) -> Iterator[Match]:
    if write.content is None or not _is_a_teams(write.place):
        return
    if any(hit.kind == "email" for hit in in_word(write.content)):
        yield Match(write, f"This writes an e-mail address to {write.place.shown}.", instead="write the person's name or handle")


def _is_a_teams(place: Place) -> bool:
    names = (place.path or f"{place.anchor or ''}/{place.rest}").split("/")
    return place.machine == LOCAL and any(name.lower() in FOLDERS for name in names[:-1])
