"""Changing modes, owners or access lists of the root, a home folder or the operating system.

Programs that check them stop working, or every account may change system files: hard to notice and hard to undo.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Permission
from toolgate.model.mode import opens_to_all
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context
from toolgate.model.word import every, some


def check(effect: Permission, _options: None, _context: Context) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL:
        return
    whole = every((effect.recursive, place.reaches("root", "home", "home-parent", "whole-tree", "system")))
    opened = every((place.reaches("home"), opens_to_all(effect.mode.text or "")))
    sure = some((place.is_in("root", "home-parent", "system"), whole, opened))
    if sure is None and effect.recursive is not True:
        return
    if sure is not False:
        yield Match(
            effect,
            f"This changes permissions of {place.shown}, which {'is' if sure else 'may be'} the system's or a whole home folder.",
            sure=sure,
        )
