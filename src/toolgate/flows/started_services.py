"""What the call itself creates before it uses and removes it: containers, volumes, local clusters, servers and databases. Nobody
else relies on them.

Relief requires that an earlier command of the call creates the same kind of thing under the same name; a name that says
production is never the call's own.
"""

from collections.abc import Iterable

from toolgate.locality import is_in_production
from toolgate.model.effect import Effects, Operation, Run
from toolgate.model.word import Word
from toolgate.temporary_folders import is_in_temporary_folder

_CONTAINERS = ("docker", "podman", "nerdctl")
_CLUSTERS = ("kind", "k3d", "minikube", "colima", "limactl", "multipass")
_CREATING_VERBS = ("create", "start", "launch", "run", "up")
_OBJECT_KINDS = ("volume", "pod", "network")
_NAME_OPTIONS = ("--name", "-n", "--profile", "-p")
_PORT_OPTIONS = ("--port", "-p")
_HOST_OPTIONS = ("-h", "-u", "--sni")
_RUNNING_CONTAINER = "container:running/"


def is_started_here(operation: Operation, effects: Effects) -> bool:
    """Returns whether an operation concerns something that an earlier command of the same call creates."""
    earlier = [run for run in effects.of_kind(Run) if run.argv and run.origin.command < operation.origin.command]
    machine = operation.origin.site.machine
    if machine.startswith(_RUNNING_CONTAINER):
        return _is_started_container(machine.removeprefix(_RUNNING_CONTAINER), earlier, effects)
    run = next((each for each in effects.of_kind(Run) if each.origin.command == operation.origin.command and each.argv), None)
    if run is None:
        return False
    program = run.argv[0].file_name
    starts = [each for each in earlier if each.argv[0].file_name == program and _has_word(each.argv[1:8], _CREATING_VERBS)]
    if program in _CONTAINERS:
        return _is_created_object(run.argv, starts) or _is_created_project(run.argv, starts)
    if program in _CLUSTERS:
        names = _names_of_cluster(run.argv)
        return bool(names) and any(names == _names_of_cluster(start.argv) for start in starts)
    if program == "dropdb":
        created = [_plain_words(each.argv) for each in earlier if each.argv[0].file_name == "createdb"]
        return _plain_words(run.argv) in created and not any(is_in_production(word.outline) for word in run.argv)
    servers = [each for each in earlier if each.argv[0].file_name == "redis-server"]
    ports = _values_of(_PORT_OPTIONS, run.argv)
    if program != "redis-cli" or _values_of(_HOST_OPTIONS, run.argv):
        return False
    return any(ports == _values_of(_PORT_OPTIONS, each.argv) for each in servers)


def _is_started_container(name: str, earlier: list[Run], effects: Effects) -> bool:
    """Returns whether a container has the name that the call gave it, or is named by what its start printed."""
    starts = [run for run in earlier if run.argv[0].file_name in _CONTAINERS and _has_word(run.argv[1:3], ("run", "create"))]
    if any(word.text == name for run in starts for word in _values_of(_NAME_OPTIONS, run.argv)):
        return True
    commands = {run.origin.command for run in starts}
    entered = [run for run in earlier if run.argv[0].file_name in _CONTAINERS and _has_word(run.argv[1:3], ("exec",))]
    return bool(entered) and all(
        any(word.src and not commands.isdisjoint(effects.commands_feeding(word.src)) for word in run.argv[2:]) for run in entered
    )


def _is_created_object(argv: tuple[Word, ...], starts: list[Run]) -> bool:
    """Returns whether all that `rm`, `volume rm` or `pod rm` names was created under that name."""
    at = next((n for n, word in enumerate(argv[:4]) if word.text in ("rm", "remove")), 0)
    names = [word for word in argv[at + 1 :] if at and word.starts_with("-") is False]
    kind = next((word.text for word in argv[1:at] if word.text in _OBJECT_KINDS), "container")
    created: list[Word] = []
    for start in starts:
        if kind == next((word.text for word in start.argv[1:3] if word.text in _OBJECT_KINDS), "container"):
            created += _values_of(_NAME_OPTIONS, start.argv) or start.argv[-1:]
    return bool(names) and all(name in created for name in names)


def _is_created_project(argv: tuple[Word, ...], starts: list[Run]) -> bool:
    """Returns whether it is a compose project whose file is in a new temporary folder."""
    files = [word for word in _values_of(("-f", "--file"), argv) if is_in_temporary_folder(word)]
    return argv[1].text == "compose" and bool(files) and any(argv[1:6] == start.argv[1:6] for start in starts)


def _has_word(words: Iterable[Word], texts: tuple[str, ...]) -> bool:
    return any(word.text in texts for word in words)


def _names_of_cluster(argv: tuple[Word, ...]) -> list[Word]:
    """Returns the names in options, or else the operands behind the two words of the command."""
    operands = [word for word in argv[1:] if word.starts_with("-") is False]
    return _values_of(_NAME_OPTIONS, argv) or operands[2:3]


def _plain_words(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the connection and the name that a database is created or dropped with."""
    return tuple(word for word in argv[1:] if word.text not in ("--if-exists", "-f", "--force", "-e", "--echo"))


def _values_of(options: tuple[str, ...], argv: tuple[Word, ...]) -> list[Word]:
    """Returns the values of these options, as the next word or behind `=`."""
    found: list[Word] = []
    for n, word in enumerate(argv):
        name, attached, value = word.partition("=")
        if name.text in options and (attached or n + 1 < len(argv)):
            found.append(value if attached else argv[n + 1])
    return found
