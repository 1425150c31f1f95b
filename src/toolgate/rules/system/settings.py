"""Setting the machine's clock, time zone or name.

Certificates, logs, schedules and other machines depend on them. A test that needs another time or zone can be given one of its
own: `TZ=UTC`, `faketime`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(change: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if not change.origin.site.machine.startswith("container:"):
        message = f"Changes a setting of the whole machine: {context.effects.describe(change)}."
        yield Match(change, message, "timedatectl status", advice="let the user set it.")
