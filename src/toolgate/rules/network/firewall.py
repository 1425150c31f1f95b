"""Changing the firewall, or switching off program confinement (SELinux, AppArmor).

A flushed table opens every port, and a wrong rule locks out people who work on the machine remotely. Look first: `iptables -S`,
`ufw status`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(change: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    if not change.origin.site.machine.startswith("container:"):
        what = change.target.display_text if change.target else ""
        yield Match(change, f"Changes the machine's firewall or a guard of its kernel ({what}).", instead="iptables -S")
