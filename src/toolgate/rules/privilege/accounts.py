"""Changing who may use the machine: accounts, groups, passwords, login shells, sudo rules, authorized keys.

It outlasts this session and opens the machine to others, or locks its owner out. Let the person do it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Write
from toolgate.model.rule import RuleContext

AUTHORIZED_KEYS_FILES = ("/.ssh/authorized_keys", "/.ssh/authorized_keys2")

_ADVICE = "tell the user which change is needed."


def check(change: Operation | Write, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(change, Write):
        machine = change.place.machine
        if machine.startswith("ssh:") and f"/{change.place.word.outline}".endswith(AUTHORIZED_KEYS_FILES):
            message = f"Changes who may log in on {machine.removeprefix('ssh:')} ({change.place.display_text})."
            yield Match(change, message, _ADVICE)
        return
    if not change.origin.site.machine.startswith("container:"):
        message = f"Changes this machine's accounts, or what they may do: {context.effects.quote_command(change)}."
        yield Match(change, message, _ADVICE)
