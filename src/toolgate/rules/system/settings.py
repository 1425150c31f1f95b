"""Setting the machine's clock, time zone or name.

Certificates, logs, schedules and other machines depend on them. A test that needs another time or zone can be given one of its
own: `TZ=UTC`, `faketime`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(change: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    if not change.origin.site.machine.startswith("container:"):
        what = change.target.display_text if change.target else "a setting"
        yield Match(change, f"Sets {what} for the whole machine.", instead="timedatectl status")
