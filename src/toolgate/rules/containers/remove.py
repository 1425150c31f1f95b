"""Removing containers though they run, images though they are used, services, stacks and contexts.

What a container holds outside its volumes is lost with it. `docker stop` keeps it; `docker rm` of a stopped one passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


@dataclass(frozen=True, slots=True)
class Options:
    """`only_forced`: what is stopped may be removed without a word."""

    only_forced: bool = True


def check(remove: Operation, options: Options, _context: Context) -> Iterator[Match]:
    force = remove.flag("force") is True
    if force or (not options.only_forced and remove.flag("image") is not True):
        target = remove.target.shown if remove.target else "all of them"
        how = " by force, even while in use" if force else ""
        yield Match(remove, f"This removes {target}{how}.", instead="docker stop")
