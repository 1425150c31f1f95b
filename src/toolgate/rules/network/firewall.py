"""Changing the firewall, or switching off program confinement (SELinux, AppArmor).

A flushed table opens every port, and a wrong rule locks out people who work on the machine remotely. Look first: `iptables -S`,
`ufw status`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(change: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if not change.origin.site.machine.startswith("container:"):
        message = f"Changes this machine's firewall, or a protection of its system: {context.effects.describe(change)}."
        yield Match(change, message, "iptables -S", advice="list the rules, and show the user the change.")
