"""Giving a container control of this machine: privileges, processes, disks, the root folder, the service's socket.

Whatever runs in it can then change everything here, as root. Mount the project's folder, and add the one capability that is
needed.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(escape: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    what = escape.target.display_text if escape.target else "its options"
    yield Match(escape, f"With {what} this container can change all of this machine.", instead='docker run -v "$PWD":/work')
