"""Destroying volumes, pools, partitions or boot data.

All file systems on them are lost at once and cannot be recovered. `lsblk`, `lvs` and `zfs list` show them.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(destroy: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    here = destroy.origin.site.machine == "local" and destroy.get_flag("maybe") is not True
    what = context.effects.describe(destroy) or "a volume"
    yield Match(
        destroy,
        f"Destroys a disk, a volume or boot data: {what}. Everything on it would be lost.",
        instead="list the devices, and let the user name the one that is meant.",
        sure=True if here else None,
    )
