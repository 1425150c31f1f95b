"""Tells whether the containers that a command names are the output of a list."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Run
from toolgate.model.rule import RuleContext

LIST_COMMANDS = ("ps", "ls", "list", "images")


def is_from_list(operation: Operation, context: RuleContext) -> bool:
    """Returns whether the names to remove are the output of a list (`docker rm $(docker ps -q --filter name=web)`)."""
    return any(is_list(words) for words in iter_feeding_commands(operation, context))


def iter_feeding_commands(operation: Operation, context: RuleContext) -> Iterator[list[str]]:
    """Yields the commands whose output names what is removed."""
    if operation.target is not None:
        feeding = context.effects.commands_feeding(operation.target.src) - {operation.origin.command}
        runs = (run for run in context.effects.of_kind(Run) if run.origin.command in feeding)
        yield from ([word.display_text for word in run.argv] for run in runs)


def is_list(argv: list[str]) -> bool:
    return argv[0].rpartition("/")[2] in ("docker", "podman", "nerdctl") and not set(argv).isdisjoint(LIST_COMMANDS)
