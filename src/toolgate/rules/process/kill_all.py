"""Ending every process, every process of a user, or what logins and the system stand on.

With them go the work of others, this session and often the machine. End one process by its number, or by a name of its own.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(kill: Operation, _options: None, _context: Context) -> Iterator[Match]:
    sure = kill.flag("everything")
    if sure is True and not kill.origin.site.machine.startswith("container:"):
        target = kill.target.shown if kill.target else "all"
        yield Match(kill, f"This ends processes far beyond your own work ({target}).", instead="pkill -f 'the whole name'")
