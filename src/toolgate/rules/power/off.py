"""Turning the machine off, restarting it or suspending it.

Everything that runs on it ends, this session too, and a remote machine may not come back. Let the person do it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(power: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if not power.origin.site.machine.startswith("container:"):
        message = f"Turns off, restarts or suspends this machine: {context.effects.quote_command(power)}."
        yield Match(power, message, "tell the user why it is needed.")
