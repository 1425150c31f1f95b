"""Services of this machine that the call itself starts: containers, local clusters and servers. Nobody else relies on them."""

from collections.abc import Iterable, Iterator

from toolgate.model.effect import Effects, Operation, Run
from toolgate.model.word import Word

_CONTAINERS = ("docker", "podman", "nerdctl")
_CLUSTERS = ("kind", "k3d", "minikube", "colima", "limactl", "multipass")
_NAME_OPTIONS = ("--name", "-n", "--profile", "-p")
_PORT_OPTIONS = ("--port", "-p")
_HOST_OPTIONS = ("-h", "-u", "--sni")
_RUNNING_CONTAINER = "container:running/"


def is_started_here(operation: Operation, effects: Effects) -> bool:
    """Returns whether an operation concerns a service that an earlier command of the same call starts under the same name, or on
    the same port."""
    earlier = [run for run in effects.of_kind(Run) if run.argv and run.origin.command < operation.origin.command]
    machine = operation.origin.site.machine
    if machine.startswith(_RUNNING_CONTAINER):
        name = machine.removeprefix(_RUNNING_CONTAINER)
        return any(name in _values_of(_NAME_OPTIONS, run.argv) for run in _starts(earlier, _CONTAINERS, ("run", "create")))
    run = next((each for each in effects.of_kind(Run) if each.origin.command == operation.origin.command and each.argv), None)
    if run is None:
        return False
    if run.argv[0].file_name in _CLUSTERS:
        names = _names_of_cluster(run.argv)
        starts = _starts(earlier, (run.argv[0].file_name,), ("create", "start", "launch"))
        return bool(names) and any(names == _names_of_cluster(start.argv) for start in starts)
    if _values_of(_HOST_OPTIONS, run.argv):
        return False
    ports = _values_of(_PORT_OPTIONS, run.argv)
    servers = [each for each in earlier if each.argv[0].file_name == "redis-server"]
    return run.argv[0].file_name == "redis-cli" and any(ports == _values_of(_PORT_OPTIONS, each.argv) for each in servers)


def _starts(runs: Iterable[Run], programs: tuple[str, ...], verbs: tuple[str, ...]) -> Iterator[Run]:
    for run in runs:
        if run.argv[0].file_name in programs and any(word.text in verbs for word in run.argv[1:4]):
            yield run


def _names_of_cluster(argv: tuple[Word, ...]) -> list[str]:
    """Returns the names in options, or else the operands behind the two words of the command."""
    operands = [word.text or "" for word in argv[1:] if word.starts_with("-") is False]
    return _values_of(_NAME_OPTIONS, argv) or operands[2:3]


def _values_of(options: tuple[str, ...], argv: tuple[Word, ...]) -> list[str]:
    """Returns the known values of these options, as the next word or behind `=`."""
    found: list[str] = []
    for n, word in enumerate(argv):
        name, attached, value = word.partition("=")
        if name.text in options:
            following = argv[n + 1].text if n + 1 < len(argv) else None
            found += [text] if (text := value.text if attached else following) else []
    return found
