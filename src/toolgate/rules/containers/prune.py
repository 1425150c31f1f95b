"""Removing all unused containers, images, networks or volumes, or killing all running containers.

Stopped containers count as unused, other projects' too. Name the container to remove (`docker rm web`), or look first: `docker
system df -v`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext

from .context import find_feeding_commands, is_list

FILTER_OPTIONS = ("-f", "--filter", "-l", "--latest", "-n", "--last")

_ADVICE = "name the containers, images or volumes that are meant."


def check(operation: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if operation.name == "container.prune":
        volumes = ", with volumes and all data in them" if operation.get_flag("volumes") is True else ""
        what = context.effects.describe(operation) or "prune"
        reason = f"Removes everything that is unused right now, of every project{volumes}: {what}."
        yield Match(operation, reason, instead="docker system df -v", advice=_ADVICE)
    elif operation.get_flag("all") is True or _is_from_full_list(operation, context):
        what = "images" if operation.get_flag("image") is True else "containers"
        does = "Ends" if operation.name == "container.kill" else "Removes"
        yield Match(operation, f"{does} all {what} on this machine, of every project.", instead="docker ps -a", advice=_ADVICE)


def _is_from_full_list(operation: Operation, context: RuleContext) -> bool:
    """Returns whether the names to remove come from an unfiltered list (`docker rm $(docker ps -aq)`)."""
    commands = find_feeding_commands(operation, context)
    if any(argv[0].file_name in ("grep", "rg", "head", "tail", "sed") for argv in commands):
        return False
    return any(is_list(argv) and not any(word.partition("=")[0].text in FILTER_OPTIONS for word in argv) for argv in commands)
