"""Changing scripts of a project that its agent's host runs at every tool call.

They run with the person's rights and are not judged. They are in the repository, so a change shows in a review; scripts that
toolgate itself has put there, and those in the person's own folder, are covered by `gate.tamper` and `gate.hooks`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Mount, Move, Permission, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_all, maybe_any


def check(effect: Write | Delete | Move | Link | Permission | Mount, _options: None, _context: RuleContext) -> Iterator[Match]:
    places = (effect.place, effect.to) if isinstance(effect, Move) else (effect.place,)
    here = (place for place in places if place.machine == LOCAL and not place.is_anywhere)
    sure = maybe_any(maybe_all((place.is_in("agent-hooks"), place.is_in("project"))) for place in here)
    if sure is not False:
        message = f"Changes {places[-1].display_text}, which the agent's host runs at every tool call."
        yield Match(effect, message, "show the user the change, and let them make it.", sure)
