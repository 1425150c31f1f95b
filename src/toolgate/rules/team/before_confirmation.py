"""Creating or changing a file before the user has confirmed a proposed team's roster.

In the first phase of creating a team nothing is written. Show the proposal, and wait for the user's confirmation.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import Context

from .context import agent
from .context.changes import Changing, changes, outside_of_devices

PHASE = "init-phase-1"


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    if agent(context).phase != PHASE:
        return
    for change in outside_of_devices(changes(effect, context)):
        yield Match(
            effect,
            f"Init Phase 1: writing {change.place.shown} is blocked until the user confirms the team roster. Awaiting user "
            "confirmation.",
        )
        return
