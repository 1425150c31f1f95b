"""Containers and volumes that only tests use: by their own names, or by the filters that list them."""

from toolgate.flows.command_runs import list_runs
from toolgate.locality import is_for_tests
from toolgate.model.effect import Effects, Operation, Run
from toolgate.model.word import Word

CONTAINER_PROGRAMS = ("docker", "podman", "nerdctl")
RUNNING_CONTAINER = "container:running/"
"""The machine of what runs in a container that was started before, followed by its name."""
_CARRIERS = (*CONTAINER_PROGRAMS, "compose", "docker-compose", "podman-compose")


def is_test_container(operation: Operation, effects: Effects) -> bool:
    """Returns whether an operation happens in a container of tests, or removes nothing but such containers and volumes."""
    machine = operation.origin.site.machine
    if machine.startswith(RUNNING_CONTAINER):
        is_local = any(carrier.program in _CARRIERS for carrier in operation.origin.via)
        return is_local and is_for_tests(machine.removeprefix(RUNNING_CONTAINER))
    runs = [run for run in list_runs(operation.origin.command, effects) if run.argv[0].file_name in CONTAINER_PROGRAMS]
    return bool(runs) and (all(map(_removes_named_for_tests, runs)) or _is_listed_for_tests(operation, effects))


def _removes_named_for_tests(run: Run) -> bool:
    at = next((n for n, word in enumerate(run.argv[:4]) if word.text in ("rm", "remove")), 0)
    names = [word for word in run.argv[at + 1 :] if at and word.starts_with("-") is False]
    return bool(names) and all(word.text is not None and is_for_tests(word.text) for word in names)


def _is_listed_for_tests(operation: Operation, effects: Effects) -> bool:
    """Returns whether all names come from lists of what tests have marked or named: `docker ps -aq --filter
    label=org.testcontainers=true`."""
    sources = operation.target.src if operation.target is not None else frozenset()
    lists = [run for number in sources for run in list_runs(number, effects)]
    return bool(lists) and all(run.argv[0].file_name in CONTAINER_PROGRAMS and _lists_for_tests(run.argv) for run in lists)


def _lists_for_tests(argv: tuple[Word, ...]) -> bool:
    values = [argv[n + 1] for n, word in enumerate(argv[:-1]) if word.text in ("--filter", "-f")]
    values += [value for word in argv for name, attached, value in (word.partition("="),) if attached and name.text == "--filter"]
    return any(map(_selects_tests, values))


def _selects_tests(selection: Word) -> bool:
    key, _, value = selection.outline.partition("=")
    return key in ("name", "label") and is_for_tests(value.replace("testcontainers", "tests"))
