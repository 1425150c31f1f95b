"""Loading another host's server with requests, or trying its passwords and weaknesses.

Its users lose the service, its owner may block or sue you, and a provider may close your account. Measure a server of this
machine or of a private network; load another one only with its owner's consent.
"""

from collections.abc import Iterator

from toolgate.flows.destinations import find_destination
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(flood: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    if flood.target is not None and find_destination(flood.target).kind not in ("loopback", "near"):
        message = f"Loads or attacks a server of others: {flood.target.display_text}."
        yield Match(flood, message, "measure a server of this machine, or let the user start it.")
