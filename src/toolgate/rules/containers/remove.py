"""Removing images that are in use, services, stacks and contexts.

Running services may depend on them. A container that is removed by its name passes: it can be recreated from its image, and its
volumes stay.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.started_services import is_started_here
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext

from .context import is_from_list


@dataclass(frozen=True, slots=True)
class Options:
    """`only_forced`: removing a container by name, or anything unused, passes."""

    only_forced: bool = True


def check(remove: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    force = remove.get_flag("force") is True
    if remove.get_flag("image") is not True and is_from_list(remove, context):
        return  # containers by name; all of them are pruned
    if is_started_here(remove, context.effects):
        return
    if (force and remove.get_flag("named") is not True) or (not options.only_forced and remove.get_flag("image") is not True):
        target = remove.target.display_text if remove.target else "all of them"
        how = " by force, even while in use" if force else ""
        container = remove.get_flag("image") is not True and remove.target is not None and " " not in target
        message = f"Removes containers, images or services{how}: {context.effects.describe(remove) or target}."
        instead = f"docker stop {target}" if container else ""
        yield Match(remove, message, instead, advice="stop what uses it first, then remove it without force.")
