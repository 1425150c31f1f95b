"""What the call itself creates before it uses and removes it: containers, volumes, local clusters, servers and databases. Nobody
else relies on them.

Relief requires that an earlier command of the call creates the same kind of thing under the same name; a name that says
production is never the call's own.
"""

from collections.abc import Iterable, Iterator

from toolgate.flows.command_runs import list_option_values
from toolgate.flows.test_containers import CONTAINER_PROGRAMS, RUNNING_CONTAINER, is_test_container
from toolgate.locality import is_in_production, is_local_context, may_redirect_addresses
from toolgate.model.address import all_lead_here
from toolgate.model.effect import Effects, Environment, Operation, Run, Write
from toolgate.model.word import Word
from toolgate.temporary_folders import is_in_temporary_folder, leads_into_temporary_folder

_CLUSTERS = ("kind", "k3d", "minikube", "colima", "limactl", "multipass")
_DATABASE_CLIENTS = ("dropdb", "psql", "pg_restore")
_TEMPORARY_SERVERS = ("pg_virtualenv", "pg_tmp", "pifpaf")
"""Programs that run a command beside a server of its own, which ends with it."""
_CLUSTERS_OF_ONE_VERB = ("multipass", "limactl", "colima")
_KUBERNETES = ("kind", "k3d", "minikube")
_CREATING_VERBS = ("create", "start", "launch", "run", "up", "install")
_OBJECT_KINDS = ("volume", "pod", "network")
_NAME_OPTIONS = ("--name", "-n", "--profile", "-p")
_PORT_OPTIONS = ("--port", "-p")
_HOST_OPTIONS = ("-h", "-u", "--sni")


def is_started_here(operation: Operation, effects: Effects) -> bool:
    """Returns whether an operation concerns what an earlier command of the same call creates, or a container of tests."""
    earlier = [run for run in effects.of_kind(Run) if run.argv and run.origin.command < operation.origin.command]
    machine = operation.origin.site.machine
    if is_test_container(operation, effects) or any(each.program in _TEMPORARY_SERVERS for each in operation.origin.via):
        return True
    if machine.startswith(RUNNING_CONTAINER):
        return _is_started_container(machine.removeprefix(RUNNING_CONTAINER), earlier, effects)
    run = next((each for each in effects.of_kind(Run) if each.origin.command == operation.origin.command and each.argv), None)
    if run is None:
        return False
    hosts = list_option_values(("-h", "--host"), run.argv)
    if any(is_in_temporary_folder(host) for host in hosts):
        return True  # the folder of a server's socket
    if any(each.argv[0].file_name == "initdb" for each in earlier) and any(host.text == "/tmp" for host in hosts):
        return True
    program = run.argv[0].file_name
    starts = [each for each in earlier if each.argv[0].file_name == program and _has_word(each.argv[1:8], _CREATING_VERBS)]
    if program in CONTAINER_PROGRAMS:
        built = [each for each in earlier if each.argv[0].file_name == program and _has_word(each.argv[1:3], ("build", "tag"))]
        return _is_created_object(run.argv, starts) or _is_created_project(run.argv, starts) or _is_created_image(run.argv, built)
    if program in _CLUSTERS:
        names = _names_of_cluster(run.argv)
        return bool(names) and any(names == _names_of_cluster(start.argv) for start in starts)
    if program in _DATABASE_CLIENTS and not any(is_in_production(word.outline) for word in run.argv):
        created = [each.argv for each in earlier if each.argv[0].file_name == "createdb"]
        if program == "dropdb":
            return _plain_words(run.argv) in map(_plain_words, created)
        return any(_names_database(run.argv, argv) for argv in created)
    if program in ("kubectl", "helm"):
        chosen = list_option_values(("--context", "--kube-context", "--kubeconfig"), run.argv)
        return _is_created_in_cluster(run.argv, starts) or (not chosen and _is_current_cluster(earlier, effects))
    return _is_started_server(run, earlier)


def _is_started_server(client: Run, earlier: list[Run]) -> bool:
    """Returns whether a client of a database talks to a server that the call has started: Redis on the same port, or another one
    on a folder for temporary files, where the client names its port."""
    program = client.argv[0].file_name
    started = [each for each in earlier if each.argv[0].file_name == _SERVERS.get(program)]
    if program == "redis-cli":
        ports = list_option_values(_PORT_OPTIONS, client.argv)
        is_same = any(ports == list_option_values(_PORT_OPTIONS, each.argv) for each in started)
        return is_same and not list_option_values(_HOST_OPTIONS, client.argv)
    words = [word.outline for word in client.argv[1:]]
    return any(_is_temporary_server(each.argv, words) for each in started) and _stays_here(words)


def _is_temporary_server(argv: tuple[Word, ...], words: list[str]) -> bool:
    folders = list_option_values(("--data-dir", "--dbpath"), argv)
    ports = [word.outline.rpartition(":")[2] for word in list_option_values(("--port", "--listen-client-urls"), argv)]
    is_named = all(any(port in word for word in words) for port in ports)
    return bool(folders) and all(map(is_in_temporary_folder, folders)) and is_named


def _stays_here(words: list[str]) -> bool:
    """Returns whether a client names no server but those of this machine."""
    plain = (word for word in words if ":" in word and not any(mark in word for mark in "({ "))
    addresses = [part for word in plain for part in word.rpartition("=")[2].split(",")]
    return not addresses or all_lead_here(addresses)


_SERVERS = {"redis-cli": "redis-server", "etcdctl": "etcd", "mongosh": "mongod", "mongo": "mongod"}
"""Clients, with the server that a call may start for them."""


def _is_started_container(name: str, earlier: list[Run], effects: Effects) -> bool:
    """Returns whether a container has the name that the call gave it, or is named by what its start printed."""
    own = [run for run in earlier if run.argv[0].file_name in CONTAINER_PROGRAMS]
    starts = [run for run in own if _has_word(run.argv[1:3], ("run", "create"))]
    if any(word.text == name for run in starts for word in list_option_values(_NAME_OPTIONS, run.argv)):
        return True
    commands = {run.origin.command for run in starts}
    entered = [run for run in own if _has_word(run.argv[1:3], ("exec",))]
    return bool(entered) and all(
        any(word.src and not commands.isdisjoint(effects.commands_feeding(word.src)) for word in run.argv[2:]) for run in entered
    )


def _is_created_object(argv: tuple[Word, ...], starts: list[Run]) -> bool:
    """Returns whether all that `rm`, `volume rm` or `pod rm` names was created under that name."""
    at = next((n for n, word in enumerate(argv[:4]) if word.text in ("rm", "remove")), 0)
    names = [word for word in argv[at + 1 :] if at and word.starts_with("-") is not True]
    kind = next((word.text for word in argv[1:at] if word.text in _OBJECT_KINDS), "container")
    created: list[Word] = []
    for start in starts:
        if kind == next((word.text for word in start.argv[1:3] if word.text in _OBJECT_KINDS), "container"):
            created += list_option_values(_NAME_OPTIONS, start.argv) or start.argv[-1:]
    printing = {start.origin.command for start in starts}  # `V=$(docker volume create)`
    return bool(names) and all(name in created or (bool(name.src) and name.src <= printing) for name in names)


def _is_created_image(argv: tuple[Word, ...], built: list[Run]) -> bool:
    """Returns whether all images that `rmi` or `image rm` names were built or tagged under that name."""
    at = next((n for n, word in enumerate(argv[:3]) if word.text in ("rmi", "rm", "remove")), 0)
    names = [word for word in argv[at + 1 :] if word.starts_with("-") is False]
    is_removal = argv[1].text in ("rmi", "image") if len(argv) > 1 else False
    tags = [tag for each in built for tag in (*list_option_values(("-t", "--tag"), each.argv), *each.argv[-1:])]
    return is_removal and bool(names) and all(name in tags for name in names)


def _is_created_project(argv: tuple[Word, ...], starts: list[Run]) -> bool:
    """Returns whether it is a compose project that an earlier `up` starts, all of whose files are in a folder for temporary
    files."""
    files = list_option_values(("-f", "--file"), argv)
    are_temporary = all(map(leads_into_temporary_folder, files))
    return argv[1].text == "compose" and bool(files) and are_temporary and any(argv[1:6] == start.argv[1:6] for start in starts)


def _has_word(words: Iterable[Word], texts: tuple[str, ...]) -> bool:
    return any(word.text in texts for word in words)


def _names_of_cluster(argv: tuple[Word, ...]) -> list[Word]:
    """Returns the names in options, or else the operands behind the two words of the command."""
    operands = [word for word in argv[1:] if word.starts_with("-") is False]
    at = 1 if argv[0].file_name in _CLUSTERS_OF_ONE_VERB else 2
    return list_option_values(_NAME_OPTIONS, argv) or operands[at : at + 1]


def _is_current_cluster(earlier: list[Run], effects: Effects) -> bool:
    """Returns whether the call creates a cluster, which becomes the current one, or chooses one of this machine, and changes to
    no other."""
    if may_redirect_addresses(effects):
        return False
    contexts = [name for each in earlier if (name := _chosen_context(each.argv)) is not None]
    if contexts:
        return is_local_context(contexts[-1].text or "")
    creations = [each for each in earlier if each.argv[0].file_name in _KUBERNETES and _has_word(each.argv[1:3], _CREATING_VERBS)]
    printing = [each for each in earlier if each.argv[0].file_name in _KUBERNETES and _has_word(each.argv[1:4], ("kubeconfig",))]
    begins = max((each.origin.command for each in creations), default=0)
    chosen = [
        each.value for each in effects.of_kind(Environment) if each.name == "KUBECONFIG" and each.origin.command > begins
    ]  # a creation writes to the file that was chosen before
    named = [value for each in creations for value in list_option_values(("--kubeconfig",), each.argv)]
    named += _find_written_files({each.origin.command for each in printing}, effects)
    is_chosen = all(value in named for value in chosen) and bool(chosen) if named else not chosen
    return bool(creations or printing) and is_chosen


def _chosen_context(argv: tuple[Word, ...]) -> Word | None:
    """Returns the context that a command makes the current one: `kubectl config use-context NAME`, `kubectx NAME`."""
    operands = [word for word in argv[1:] if word.starts_with("-") is False]
    if argv[0].file_name == "kubectx":
        return operands[0] if operands else None
    is_choice = argv[0].file_name == "kubectl" and [word.text for word in operands[:2]] in _CHOICES_OF_CONTEXT
    return operands[2] if is_choice and len(operands) > 2 else None


_CHOICES_OF_CONTEXT = (["config", "use-context"], ["config", "use"])


def _find_written_files(commands: set[int], effects: Effects) -> list[Word]:
    """Returns the files that hold nothing but what these commands print."""
    writes = (each for each in effects.of_kind(Write) if each.content is not None and each.content.src)
    return [each.place.word for each in writes if each.content is not None and each.content.src <= commands]


def _is_created_in_cluster(argv: tuple[Word, ...], starts: list[Run]) -> bool:
    """Returns whether all that a deletion names was created under that name: `kubectl create namespace x`, `helm install x`."""
    named = list(_list_objects(argv, ("delete", "uninstall")))
    starts = [each for each in starts if not any(word.starts_with("--dry-run") is True for word in each.argv)]
    created = [each for start in starts for each in _list_objects(start.argv, ("create", "install", "run"))]
    is_own = bool(named) and all(each in created for each in named)
    return is_own and not any(is_in_production(word.outline) for word in argv)


def _list_objects(argv: tuple[Word, ...], verbs: tuple[str, ...]) -> Iterator[tuple[object, ...]]:
    """Yields the kind and the name of each object that a command of a cluster names, with the options that say where."""
    where = tuple(tuple(list_option_values(options, argv)) for options in _PLACES_IN_CLUSTERS)
    options = {value for values in where for value in values}
    at = next((n for n, word in enumerate(argv[1:8], 1) if word.text in verbs), 0)
    words = [word for word in argv[at + 1 :] if at and word.starts_with("-") is False and word not in options]
    kind = "release" if argv[0].file_name == "helm" else "pods" if argv[at].text == "run" else ""
    if not kind and words:
        kind, *_ = (words.pop(0).text or "").split(".")
    kind = _SHORT_KINDS.get(kind, kind)
    is_creation = argv[at].text in ("create", "install", "run")
    yield from ((kind, name, where) for name in (words[:1] if is_creation else words))


_PLACES_IN_CLUSTERS = (("-n", "--namespace"), ("--context", "--kube-context"), ("--kubeconfig",))
_SHORT_KINDS = {
    **dict.fromkeys(("ns", "namespace"), "namespaces"),
    **dict.fromkeys(("po", "pod"), "pods"),
    **dict.fromkeys(("cm", "configmap"), "configmaps"),
    **dict.fromkeys(("deploy", "deployment"), "deployments"),
    **dict.fromkeys(("svc", "service"), "services"),
    **{name: f"{name}s" for name in ("secret", "job", "cronjob", "role", "rolebinding", "clusterrole", "clusterrolebinding")},
}


def _names_database(argv: tuple[Word, ...], creation: tuple[Word, ...]) -> bool:
    """Returns whether a client works on the database that a `createdb` names last, on the same host."""
    operands = (word for word in argv[1:] if word.starts_with("-") is False)
    named = list_option_values(("-d", "--dbname"), argv) or list(operands)
    is_same_server = all(
        list_option_values(options, argv) == list_option_values(options, creation)
        for options in (("-h", "--host"), _PORT_OPTIONS)
    )
    return creation[-1] in named and is_same_server


def _plain_words(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the connection and the name that a database is created or dropped with."""
    return tuple(word for word in argv[1:] if word.text not in ("--if-exists", "-f", "--force", "-e", "--echo"))
