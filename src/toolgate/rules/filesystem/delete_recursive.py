"""Deleting a folder and all that is in it, wherever it lies.

Off by itself: a build folder is made to be deleted. For teams that want every `rm -rf` to be somebody's decision.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete
from toolgate.model.rule import Context


def check(delete: Delete, _options: None, _context: Context) -> Iterator[Match]:
    if delete.recursive is not False:
        yield Match(delete, f"This deletes {delete.place.shown} and all that is in it.", sure=delete.recursive)
