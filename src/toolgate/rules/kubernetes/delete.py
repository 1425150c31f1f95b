"""Deleting, draining or scaling to zero what runs in a cluster.

Others may use it, and its data may be lost with it. `--dry-run=server` shows what would be deleted.
"""

from collections.abc import Iterator

from toolgate.locality import leads_elsewhere
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(delete: Operation, _options: None, context: Context) -> Iterator[Match]:
    if delete.flag("local") is True and not leads_elsewhere(context.effects):
        return
    if delete.flag("dry_run") is not True:
        target = delete.target.shown if delete.target else "resources"
        does = "scales to nothing" if delete.flag("scale") is True else "deletes, replaces or drains"
        yield Match(delete, f"This {does} what runs in a cluster: {target}.", instead="the same command with --dry-run=server")
