"""Deleting a folder and everything in it, in any place.

Off by default: a build folder is made to be deleted. For teams that want a person to decide on every `rm -rf`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete
from toolgate.model.rule import RuleContext


def check(delete: Delete, _options: None, _context: RuleContext) -> Iterator[Match]:
    if delete.recursive is not False:
        message = f"Deletes {delete.place.display_text} and everything in it."
        yield Match(delete, message, "name the files that should go.", delete.recursive)
