"""Tells whether the containers that a command names are the output of a list."""

from toolgate.model.effect import Operation, Run
from toolgate.model.rule import RuleContext
from toolgate.model.word import Word

LIST_COMMANDS = ("ps", "ls", "list", "images")


def is_from_list(operation: Operation, context: RuleContext) -> bool:
    """Returns whether the names to remove are the output of a list (`docker rm $(docker ps -q --filter name=web)`)."""
    return any(map(is_list, find_feeding_commands(operation, context)))


def find_feeding_commands(operation: Operation, context: RuleContext) -> list[tuple[Word, ...]]:
    """Returns the commands whose output names what is removed."""
    if operation.target is None:
        return []
    feeding = context.effects.commands_feeding(operation.target.src) - {operation.origin.command}
    return [run.argv for run in context.effects.of_kind(Run) if run.origin.command in feeding]


def is_list(argv: tuple[Word, ...]) -> bool:
    return argv[0].file_name in ("docker", "podman", "nerdctl") and any(word.text in LIST_COMMANDS for word in argv)
