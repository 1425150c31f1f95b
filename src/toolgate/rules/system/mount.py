"""Mounting over a folder of the system, or removing one of its mounts or swap areas.

The files there are hidden or gone for every program at once. Mount into a folder of your own, and name what is to be unmounted.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(mount: Operation, _options: None, _context: Context) -> Iterator[Match]:
    if mount.flag("system") is True and not mount.origin.site.machine.startswith("container:"):
        target = mount.target.shown if mount.target else "the system"
        how = "takes away" if mount.flag("takes_away") is True else "mounts over"
        yield Match(mount, f"This {how} {target}, which the system stands on.")
