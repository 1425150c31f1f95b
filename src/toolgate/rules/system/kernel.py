"""Changing the running kernel: its settings, its modules, or replacing it.

A mistake stops the whole machine at once, and a module may do anything. `sysctl -a` and `lsmod` only show the state.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(change: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if not change.origin.site.machine.startswith("container:"):
        yield Match(
            change,
            f"Changes the running kernel: {context.effects.describe(change)}.",
            instead="sysctl -a",
            advice="let the user do it.",
        )
