"""Deleting, draining or scaling to zero what runs in a cluster.

Others may use it, and its data may be lost with it. `--dry-run=server` shows what would be deleted.
"""

from collections.abc import Iterator

from toolgate.locality import may_redirect_addresses
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(delete: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if delete.get_flag("local") is True and not may_redirect_addresses(context.effects):
        return
    if delete.get_flag("dry_run") is not True:
        target = delete.target.display_text if delete.target else "resources"
        does = "scales to nothing" if delete.get_flag("scale") is True else "deletes, replaces or drains"
        yield Match(delete, f"This {does} what runs in a cluster: {target}.", instead="the same command with --dry-run=server")
