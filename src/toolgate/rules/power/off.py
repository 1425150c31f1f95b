"""Turning the machine off, restarting it or suspending it.

Everything that runs on it ends, this session too, and a remote machine may not come back. Let the person do it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(power: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    if not power.origin.site.machine.startswith("container:"):
        yield Match(
            power, f"`{power.target.display_text if power.target else 'This'}` turns off, restarts or suspends the machine."
        )
