"""Changing who may use the machine: accounts, groups, passwords, login shells, what sudo allows.

It outlasts this session and opens the machine to others, or closes it to its owner. Let the person do it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(change: Operation, _options: None, _context: Context) -> Iterator[Match]:
    if not change.origin.site.machine.startswith("container:"):
        yield Match(change, "This changes the machine's accounts or what they may do.", instead="id")
