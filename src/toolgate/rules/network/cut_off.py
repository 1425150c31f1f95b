"""Removing the machine's network access: an interface, an address, a route.

Every connection over it ends at once, including that of a person who works on the machine remotely and could then not restore it.
Look first: `ip addr`, `ip route`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(cut: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if not cut.origin.site.machine.startswith("container:"):
        what = context.effects.describe(cut) or "a network interface"
        yield Match(cut, f"May cut this machine off from the network: {what}.", "let the user do it, at the machine itself.")
