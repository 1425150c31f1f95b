"""Changing modes, owners or access lists of the root, a home folder or the operating system.

Programs that check them stop working, or every account may change system files: hard to notice and hard to undo.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Permission
from toolgate.model.file_mode import is_world_writable
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_all, maybe_any


def check(effect: Permission, _options: None, _context: RuleContext) -> Iterator[Match]:
    place = effect.place
    if place.machine != LOCAL:
        return
    is_whole = maybe_all((effect.recursive, place.can_reach("root", "home", "home-parent", "whole-tree", "system")))
    opened = maybe_all((place.can_reach("home"), is_world_writable(effect.mode.text or "")))
    sure = maybe_any((place.is_in("root", "home-parent", "system"), is_whole, opened))
    if sure is None and effect.recursive is not True:
        return
    if sure is not False:
        yield Match(
            effect,
            f"Changes the permissions of {place.display_text}, which {'is' if sure else 'may be'} a home folder or part of the "
            "operating system.",
            "change single files inside the project." if sure else "write the path out.",
            sure,
        )
