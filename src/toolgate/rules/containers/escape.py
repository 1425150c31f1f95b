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
    message = f"Gives a container control of this machine: {what}."
    yield Match(escape, message, 'docker run -v "$PWD":/work', advice="give it only the folders and rights that it needs.")
