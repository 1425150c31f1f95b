"""Containers: the commands in them, their access to this machine, and the removal of containers, images and volumes."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Prints, Read, Reported, Run, Site, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, joined, known, some

from . import FAMILY_OF
from .convention import named, written
from .options import Flags, Given
from .program import Program, via
from .verbs import forms, found, tool, with_information

TOP = Flags(
    "-H,--host= -c,--context= --config= -D,--debug -l,--log-level= --tls --tlsverify --url= --connection= -r,--remote --root= --runroot= -n,--namespace= -a,--address= -v,--version --help"
)
RUN = Flags(
    "-a,--attach= --add-host= --annotation= --blkio-weight= --cap-add= --cap-drop= --cgroup-parent= --cgroupns= --cidfile= --cpus= -c,--cpu-shares= --cpuset-cpus= -d,--detach"
    " --detach-keys= --device= --dns= --entrypoint= -e,--env= --env-file=read --expose= --gpus= --group-add= --health-cmd= -h,--hostname= --init"
    " -i,--interactive --ip= --ipc= -l,--label= --label-file= --link= --log-driver= --log-opt= --mac-address= -m,--memory= --memory-swap= --mount="
    " --name= --network,--net= --no-healthcheck --oom-score-adj= --pid= --pids-limit= --platform= --privileged -p,--publish= -P,--publish-all --pull="
    " -q,--quiet --read-only --restart= --rm --runtime= --security-opt= --shm-size= --stop-signal= --stop-timeout= --sysctl= --tmpfs= -t,--tty --ulimit="
    " -u,--user= --userns= --uts= -v,--volume= --volume-driver= --volumes-from= -w,--workdir= -it -ti --help"
)
BUILD = Flags(
    "-t,--tag= -f,--file= --build-arg= --target= --platform= --secret= --ssh= --cache-from= --cache-to= -o,--output= --progress= --network= --label= --no-cache"
    " --pull -q,--quiet --push --load --rm --force-rm --squash --add-host= --iidfile= --builder= --build-context= -m,--memory= --shm-size= --ulimit= -h,--help"
)
REMOVE = Flags(
    "-f,--force -v,--volumes -l,--link -a,--all -t,--time= -i,--ignore --cidfile= --depend --filter= --no-prune --prune --latest -h,--help"
)
COMPOSE = Flags(
    "-f,--file=read -p,--project-name= --profile= --env-file=read --project-directory= --ansi= --progress= --parallel= --compatibility --all-resources --dry-run"
    " -H,--host= --context= --verbose --no-ansi --tls -v,--version -h,--help"
)
COMPOSE_RUN = Flags(
    "-d,--detach -e,--env= -T,--no-TTY -u,--user= -w,--workdir= --index= --privileged --rm -i,--interactive -t,--tty -v,--volume= -p,--publish= --name= --entrypoint="
    " --no-deps --build --service-ports --use-aliases -l,--label= --quiet-pull --remove-orphans -P --pull= -it -q,--quiet --cap-add= --cap-drop= --env-from-file= -h,--help"
)
COMPOSE_DOWN = Flags("-v,--volumes --rmi= --remove-orphans -t,--timeout= -f,--force -s,--stop --dry-run -h,--help")
PRUNES = forms(
    {
        "container.prune": "system|volume|container|network|pod prune; image|builder|buildx prune -a|--all; system reset",
        "container.delete-volume": "volume rm|remove",
        "container.remove": "swarm leave --force; service scale *=0; node update --availability=drain; kube down; stack|context|service|node|plugin|secret|config rm|remove|down; machine rm --force; pod rm --force|--all",
    }
)
PRUNE = with_information(
    "-a,--all --volumes --filter= -f,--force --keep-storage= --reserved-space= --build --external --builder= -i,--ignore -t,--time= --dry-run --availability=",
    PRUNES,
)
REACHING = (
    "/",
    "/etc",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/boot",
    "/dev",
    "/proc",
    "/sys",
    "/var",
    "/run",
    "/var/run",
    "/root",
    "/home",
    "/private/etc",
    "/Users",
    "/System",
)
"""Folders of this machine that a container does not need: with them it can change anything on it."""
CAPABILITIES = ("ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_RAWIO", "CAP_SYS_ADMIN", "CAP_SYS_MODULE", "CAP_SYS_RAWIO")


def container(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """docker, podman, nerdctl."""
    top = TOP.read(argv, stop=True)
    rest = argv[top.rest :]
    if rest and rest[0].text == "compose":
        yield from compose(rest, seen)
        return
    object_ = rest[0].text if rest else None
    if object_ in ("container", "image") and len(rest) > 1 and rest[1].text != "prune":
        rest = rest[1:]
    verb = rest[0].text if rest else None
    if verb in ("run", "exec", "create"):
        yield from _started(argv, rest, seen)
        return
    if verb in ("rm", "remove", "rmi") and object_ != "volume":
        yield from _removed(rest, "image" if verb == "rmi" or object_ == "image" else "container", seen)
    elif verb == "kill":
        names = Flags("-s,--signal= -a,--all -h,--help").read(rest)
        if names.operands or names.flag("--all") is True:
            target = joined(names.operands) if names.operands else None
            yield Operation("container.kill", seen.origin, target, (("all", names.flag("--all")),))
    elif verb == "cp":
        yield from _copied(rest, seen)
    elif "build" in (verb, rest[1].text if verb in ("buildx", "builder") and len(rest) > 1 else None):
        yield from _built(argv, rest if verb == "build" else rest[1:], seen)
    elif verb in ("save", "export"):
        yield from (written(file, False, seen) for file, _ in named(rest, frozenset(("-o*", "--output"))))
    elif verb is not None:
        yield from _handed_out(object_, rest, seen)
        yield from _pruned(rest, seen)
    yield Prints(seen.output(via(argv)))


def _handed_out(object_: str | None, rest: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """An image is pushed, or a plugin gets all permissions."""
    if rest[0].text == "push":
        yield from _pushed(rest, seen)
    elif object_ == "plugin" and any(word.text == "--grant-all-permissions" for word in rest):
        yield Operation("container.escape", seen.origin, joined(list(rest[:2])))


def _built(argv: tuple[Word, ...], rest: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """The build context is read whole, since all of it may come into the image; a Dockerfile may be piped in."""
    if any(word.text == "-" for word in rest[1:]):
        yield Interpret("dockerfile", seen.stdin, seen.origin, via=via(argv, "build -"))
    given = BUILD.read(rest)
    for folder in given.operands[-1:]:
        if folder.text != "-" and "://" not in folder.head and not folder.starts("git@"):
            yield Read(seen.place(folder), seen.origin, True)


def _pushed(rest: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """An image is published to a registry, unless that is on this machine."""
    for image in Flags("-a,--all-tags -q,--quiet --disable-content-trust=? --platform= --help").read(rest).operands[:1]:
        host = (image.text or "").partition("/")[0]
        if not host.startswith(("localhost", "127.0.0.1", "kind-registry", "registry:", "host.docker.internal")):
            yield Operation("package.publish", seen.origin, image)


def _started(argv: tuple[Word, ...], rest: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`run` and `exec` carry a command into a container; volumes map its files to this machine."""
    given = RUN.read(rest, stop=True)
    words = rest[given.rest :]
    if given.flag("--help") is True or not words:
        return
    mounts = tuple(mount for word in given.all("--volume", "--mount") if (mount := _mounted(word, seen)) is not None)
    user = given.value("--user")
    yield from _escapes(given, mounts, seen)
    entry = given.value("--entrypoint")
    command = ((entry,) if entry is not None else ()) + tuple(words[1:])
    if command:
        running = "running/" if rest[0].text == "exec" else ""
        site = Site(f"container:{running}{words[0].shown}", user.shown if user is not None else "", mounts)
        yield from _entered(words, entry, seen, site)
        folder = given.value("--workdir") or known("/")
        yield Run(command, seen.origin, via(argv, rest[0].shown), site, folder, sure=None if given.strange else True)


def _entered(words: tuple[Word, ...], entry: Word | None, seen: Seen, site: Site) -> Iterator[Reported]:
    """The name of an image may be that of a program with effects outside the container: the words after it are that program's
    (`hashicorp/terraform destroy`)."""
    name = (words[0].text or "").partition("@")[0].rpartition("/")[2].partition(":")[0]
    if entry is None and len(words) > 1 and FAMILY_OF.get(name) in _REACHING_OUT and FAMILY_OF.get(words[1].text or "") is None:
        yield Run((known(name), *words[1:]), seen.origin, via(words), site, sure=None)


_REACHING_OUT = ("infrastructure", "cloud", "amazon", "forges", "platforms")


def _escapes(given: Given, mounts: tuple[tuple[str, str], ...], seen: Seen) -> Iterator[Reported]:
    """Yield the options that give a container control of this machine: privileges, host namespaces, disks, the container
    socket."""
    if given.flag("--privileged") is True:
        yield Operation("container.escape", seen.origin, known("--privileged"))
    for name in ("--pid", "--userns", "--uts"):
        if any(word.text == "host" for word in given.all(name)):
            yield Operation("container.escape", seen.origin, known(f"{name}=host"))
    for word in given.all("--cap-add"):
        if (word.text or "").upper() in CAPABILITIES:
            yield Operation("container.escape", seen.origin, known("--cap-add=") + word)
    for word in given.all("--device"):
        if word.starts("/dev/sd") is True or word.starts("/dev/nvme") is True or word.starts("/dev/mem") is True:
            yield Operation("container.escape", seen.origin, known("--device=") + word)
    for _, here in mounts:
        if (
            here.rstrip("/") in (*REACHING, seen.home, f"{seen.home}/.ssh", f"{seen.home}/.gnupg")
            or here == "/"
            or here.endswith(("/docker.sock", "/podman.sock", "/containerd.sock"))
        ):
            yield Operation("container.escape", seen.origin, known(here))


_VOLUME = re.compile(r"[A-Za-z0-9][\w.-]*").fullmatch


def _mounted(word: Word, seen: Seen) -> tuple[str, str] | None:
    """Parse `-v here:there[:ro]` or `--mount type=..,source=..,target=..` to (path in the container, path here or a volume's
    name)."""
    if word.contains("source=") is True or word.contains("src=") is True:
        fields = dict(part.split("=", 1) for part in word.shown.split(",") if "=" in part)
        here, there = (
            fields.get("source") or fields.get("src"),
            fields.get("target") or fields.get("dst") or fields.get("destination"),
        )
        if not here or not there:
            return None
        return there, here if here[:1] not in "/.~" else seen.place(known(here)).path or here
    here_word, _, rest = word.partition(":")
    there_word, _, _ = rest.partition(":")
    if here_word.text is not None and _VOLUME(here_word.text) and there_word.text:
        return there_word.text, here_word.text
    path = seen.place(here_word).path if here_word.text is None or here_word.text[:1] in ("/", ".", "~") else None
    return (there_word.text, path) if path is not None and there_word.text else None


def _removed(rest: tuple[Word, ...], what: str, seen: Seen) -> Iterator[Reported]:
    given = REMOVE.read(rest)
    if given.flag("--help") is True:
        return
    flags: tuple[tuple[str, Maybe], ...] = (
        ("force", given.flag("--force")),
        ("volumes", given.flag("--volumes") if what == "container" else False),
        ("all", given.flag("--all", "--prune")),
        ("image", what == "image"),
        ("named", what == "container" and given.flag("--all", "--prune") is False),
    )
    if given.operands or given.flag("--all", "--prune") is True:
        yield Operation("container.remove", seen.origin, joined(given.operands) if given.operands else None, flags)


def _copied(rest: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-a,--archive -L,--follow-link -q,--quiet --overwrite --pause --help").read(rest)
    if len(given.operands) == 2 and given.flag("--help") is not True:
        source, target = given.operands
        if source.text != "-" and not source.partition(":")[1]:
            yield Read(seen.place(source), seen.origin)
        if target.text != "-" and not target.partition(":")[1]:
            yield Write(seen.place(target), seen.output(f"what {source.shown} holds"), None, seen.origin)


def _pruned(rest: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = PRUNE.read(rest, start=0)
    if given.flag("--help", "--dry-run") is True:
        return
    for form, target in found(PRUNES, given):
        if form.operation == "container.prune":
            cache = target.starts("builder") is True or target.starts("buildx") is True
            if cache and given.flag("--all") is not True:
                return  # a build recreates it
            volumes = some([given.flag("--volumes"), target.starts("volume"), target.starts("system reset")])
            yield Operation("container.prune", seen.origin, target, (("volumes", volumes),))
        elif form.operation == "container.delete-volume":
            yield Operation("container.delete-volume", seen.origin, joined(given.operands[2:]) if given.operands[2:] else None)
        else:
            yield Operation("container.remove", seen.origin, target, (("force", True), ("all", False)))
        return


def compose(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`docker compose` and docker-compose."""
    top = COMPOSE.read(argv, stop=True)
    rest = argv[top.rest :]
    verb = rest[0].text if rest else None
    for file in top.all("--file"):
        if file.text != "-":
            yield Read(seen.place(file), seen.origin)
    if verb in ("run", "exec"):
        given = COMPOSE_RUN.read(rest, stop=True)
        words = rest[given.rest :]
        if given.flag("--help") is True or not words:
            return
        mounts = tuple(mount for word in given.all("--volume") if (mount := _mounted(word, seen)) is not None)
        yield from _escapes(given, mounts, seen)
        entry = given.value("--entrypoint")
        command = ((entry,) if entry is not None else ()) + tuple(words[1:])
        if command:
            running = "running/" if verb == "exec" else ""
            site = Site(f"container:{running}{words[0].shown}", "", mounts)
            sure = None if given.strange else True
            yield Run(command, seen.origin, f"compose {verb}", site, given.value("--workdir") or known("/"), sure=sure)
        return
    if verb in ("down", "rm"):
        given = COMPOSE_DOWN.read(rest)
        silent = some([given.flag("--help", "--dry-run"), top.flag("--dry-run")]) is True
        if given.flag("--volumes") is True and not silent:
            yield Operation("container.delete-volume", seen.origin, joined(given.operands) if given.operands else None)
        if given.value("--rmi") is not None and not silent:
            yield Operation("container.remove", seen.origin, known("the project's images"), (("force", True), ("image", True)))
    yield Prints(seen.output(via(argv)))


_COMPOSE = Program(does=compose)
_CONTAINER = Program(does=container)
_CLUSTER = {"infrastructure.destroy": "delete|rm|remove|purge|destroy; cluster|clusters delete|rm|remove; node|nodes delete|rm"}
ROWS: dict[str, Program] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "crictl"), _CONTAINER),
    **dict.fromkeys(
        ("skopeo", "crane", "gcrane", "regctl"),
        tool(
            {"cloud.delete": "delete; rm; * delete|rm"},
            "--creds= --authfile= --tls-verify=? -f,--force --dest-creds= --platform=",
        ),
    ),
    "machinectl": tool({"container.delete-volume": "remove|rm; image-remove; clean"}, "-q,--quiet -M= --all"),
    **dict.fromkeys(("docker-compose", "podman-compose"), _COMPOSE),
    **dict.fromkeys(
        ("kind", "minikube", "k3d", "colima", "limactl", "multipass"),
        tool(_CLUSTER, "-n,--name= -p,--profile= -f,--force -a,--all -v,--verbosity= -q,--quiet"),
    ),
    **dict.fromkeys(
        ("k3s-uninstall.sh", "k3s-agent-uninstall.sh", "k3s-killall.sh", "rke2-uninstall.sh"),
        Program(operation="infrastructure.destroy"),
    ),
}
