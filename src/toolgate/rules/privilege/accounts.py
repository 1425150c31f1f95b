"""Changing who may use the machine: accounts, groups, passwords, login shells, sudo rules, authorized keys.

It outlasts this session and opens the machine to others, or locks its owner out. Let the person do it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Write
from toolgate.model.rule import RuleContext

AUTHORIZED_KEYS_FILES = ("/.ssh/authorized_keys", "/.ssh/authorized_keys2")


def check(change: Operation | Write, _options: None, _context: RuleContext) -> Iterator[Match]:
    if isinstance(change, Write):
        machine = change.place.machine
        if machine.startswith("ssh:") and f"/{change.place.display_text}".endswith(AUTHORIZED_KEYS_FILES):
            yield Match(change, f"Says who may log in on {machine.removeprefix('ssh:')}.")
        return
    if not change.origin.site.machine.startswith("container:"):
        of = f" ({change.target.display_text})" if change.target and change.target.parts else ""
        yield Match(change, f"Changes the machine's accounts or what they may do{of}.")
