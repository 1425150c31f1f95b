"""Deleting, draining or scaling to zero what runs in a cluster.

Others may use it, and its data may be lost with it. `--dry-run=server` shows what would be deleted.
"""

from collections.abc import Iterator

from toolgate.flows.started_services import is_started_here
from toolgate.locality import may_redirect_addresses
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(delete: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if delete.get_flag("local") is True and not may_redirect_addresses(context.effects):
        return
    if delete.get_flag("dry_run") is not True and not is_started_here(delete, context.effects):
        what = context.effects.describe(delete) or "resources"
        does = "Scales to zero" if delete.get_flag("scale") is True else "Deletes, replaces or drains"
        yield Match(
            delete, f"{does} what runs in a cluster: {what}.", instead="list what it would change (kubectl: --dry-run=server)."
        )
