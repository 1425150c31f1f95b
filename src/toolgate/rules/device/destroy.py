"""Destroying volumes, pools, partitions or boot data.

All file systems on them are lost at once and cannot be recovered. `lsblk`, `lvs` and `zfs list` show them.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(destroy: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    here = destroy.origin.site.machine == "local" and destroy.get_flag("maybe") is not True
    what = destroy.target.display_text if destroy.target else "a volume"
    yield Match(
        destroy,
        f"Destroys {what}: every file system on it would be lost.",
        instead="list the devices, and let the user say which one is meant",
        sure=True if here else None,
    )
