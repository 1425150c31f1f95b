"""Removing containers though they run, images though they are used, services, stacks and contexts.

What a container holds outside its volumes is lost with it. `docker stop` keeps it; `docker rm` of a stopped one passes.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(remove: Operation, _options: None, _context: Context) -> Iterator[Match]:
    if remove.flag("force") is True:
        target = remove.target.shown if remove.target else "all of them"
        yield Match(remove, f"This removes {target} by force, even while in use.", instead="docker stop")
