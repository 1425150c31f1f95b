"""Switching off what protects data, records or access: deletion protection, backups, versioning, retention, audit logs.

Nothing is lost at once, but the next mistake cannot be undone, or leaves no record. Show the user what the setting protects. A
setting that is switched on, or that something new is created with, passes.
"""

from collections.abc import Iterator

from toolgate.locality import may_redirect_addresses
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(change: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if change.get_flag("local") is True and not may_redirect_addresses(context.effects):
        return
    if change.get_flag("dry_run") is True:
        return
    what = change.target.display_text if change.target else "a setting"
    yield Match(change, f"Switches off what protects something at a service: {what}.", "show the user what it protects.")
