"""Changing scripts that a host runs by itself at every tool call.

A hook runs with the person's rights and is not judged. Let the person change them. For a project's own scripts, which are in its
repository for everyone to see, a person is asked (`gate.project-hooks`).
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Mount, Move, Permission, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_any


def check(effect: Write | Delete | Move | Link | Permission | Mount, _options: None, _context: RuleContext) -> Iterator[Match]:
    places = (effect.place, effect.to) if isinstance(effect, Move) else (effect.place,)
    sure = maybe_any(
        place.is_in("agent-hooks")
        for place in places
        if place.machine == LOCAL and not place.is_anywhere and place.is_in("project") is not True
    )
    if sure is not False:
        yield Match(
            effect,
            f"Changes {places[-1].display_text}, in a folder of scripts that the agent's host runs at every tool call.",
            "show the user the change, and let them make it.",
            sure,
        )
