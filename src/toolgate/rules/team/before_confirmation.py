"""Creating or changing a file before the user has confirmed a proposed team's roster.

In the first phase of creating a team nothing is written. Show the proposal, and wait for the user's confirmation.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext

from .context import calling_agent
from .context.changes import FileChange, exclude_devices, iter_changes

PROPOSAL_PHASE = "init-phase-1"


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    if calling_agent(context).phase != PROPOSAL_PHASE:
        return
    for change in exclude_devices(iter_changes(effect, context)):
        yield Match(
            effect,
            f"Init Phase 1: writing {change.place.display_text} is blocked until the user confirms the team roster. Awaiting "
            "user confirmation.",
        )
        return
