"""Mounting over a folder of the system, or removing one of its mounts or swap areas.

The files there are hidden or gone for every program at once. Mount into a folder of your own, and name what is to be unmounted.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(mount: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    if mount.get_flag("system") is True and not mount.origin.site.machine.startswith("container:"):
        target = mount.target.display_text if mount.target else "the system"
        how = "Unmounts" if mount.get_flag("takes_away") is True else "Mounts over"
        yield Match(mount, f"{how} {target}, which the system needs.", "let the user do it.")
