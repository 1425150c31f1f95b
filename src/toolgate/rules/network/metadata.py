"""Requesting a cloud's metadata address, which returns the machine's own credentials.

Programs that need them request them through the provider's library; a command that does so by hand prints them.
"""

from collections.abc import Iterator

from toolgate.model.address import host_of
from toolgate.model.decision import Match
from toolgate.model.effect import Connect
from toolgate.model.rule import RuleContext

METADATA_ADDRESSES = (
    *("169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254"),
    *("metadata.google.internal", "metadata.azure.com"),
)


def check(connection: Connect, _options: None, _context: RuleContext) -> Iterator[Match]:
    target = connection.target.text or connection.target.head  # the path is often in a variable
    if host_of(target) in METADATA_ADDRESSES:
        message = f"Asks {host_of(target)}, which hands out this machine's own credentials."
        yield Match(connection, message, "let the provider's own client fetch them.")
