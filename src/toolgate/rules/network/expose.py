"""Making something on this machine reachable from outside: reverse tunnels and services that publish a local port.

The service behind the tunnel, and all it can read, is open to everyone who knows the address.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(operation: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    through = operation.target.display_text if operation.target else "a tunnel"
    message = f"Makes a port of this machine reachable from outside, through {through}."
    yield Match(operation, message, "listen on localhost only, or let the user open it.")
