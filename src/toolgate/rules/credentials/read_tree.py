"""Reading a whole folder with keys, tokens or password stores among other files: a home folder, a browser's profile.

The keys are read with the rest, or archived, or mounted into a container. Name the folder that is meant, or exclude the folders
with keys (`tar --exclude`).
"""

from collections.abc import Iterator

from toolgate.flows.sources import holds_credentials
from toolgate.model.decision import Match
from toolgate.model.effect import Read
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext


def check(read_effect: Read, _options: None, _context: RuleContext) -> Iterator[Match]:
    place = read_effect.place
    if not read_effect.tree or place.machine != LOCAL or place.is_anywhere or place.is_in("credentials") is True:
        return
    if holds_credentials(read_effect) is True or place.is_in("personal") is True:
        yield Match(
            read_effect,
            f"Reads all of {place.display_text}, with the keys and tokens in it.",
            instead="name the folder that you need.",
        )
