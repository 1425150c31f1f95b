"""Containers: the commands in them, their access to this machine, and the removal of containers, images and volumes."""

import re
from collections.abc import Iterator

from toolgate.locality import is_for_tests, is_in_development, is_in_production
from toolgate.model.effect import Carrier, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Run, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Maybe, Word, join_words, known_word, maybe_any
from toolgate.programs import FAMILY_OF
from toolgate.programs.argv.conventions import build_write, find_outputs
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, make_carrier, program_name
from toolgate.programs.argv.subcommands import build_flags, match_forms, parse_forms, program_of_forms

from .compose_volumes import keeps_no_volume, keeps_test_volumes
from .container_copies import copy_container_files

GLOBAL_OPTIONS = Flags(
    "-H,--host= -c,--context= --config= -D,--debug -l,--log-level= --tls --tlsverify --url= --connection= -r,--remote --root= --runroot= -n,--namespace= -a,--address= -v,--version --help"
)
RUN_OPTIONS = Flags(
    "-a,--attach= --add-host= --annotation= --blkio-weight= --cap-add= --cap-drop= --cgroup-parent= --cgroupns= --cidfile= --cpus= -c,--cpu-shares= --cpuset-cpus= -d,--detach"
    " --detach-keys= --device= --dns= --entrypoint= -e,--env= --env-file=read --expose= --gpus= --group-add= --health-cmd= -h,--hostname= --init"
    " -i,--interactive --ip= --ipc= -l,--label= --label-file= --link= --log-driver= --log-opt= --mac-address= -m,--memory= --memory-swap= --mount="
    " --name= --network,--net= --no-healthcheck --oom-score-adj= --pid= --pids-limit= --platform= --privileged -p,--publish= -P,--publish-all --pull="
    " -q,--quiet --read-only --restart= --rm --runtime= --security-opt= --shm-size= --stop-signal= --stop-timeout= --sysctl= --tmpfs= -t,--tty --ulimit="
    " -u,--user= --userns= --uts= -v,--volume= --volume-driver= --volumes-from= -w,--workdir= -it -ti --help"
)
BUILD_OPTIONS = Flags(
    "-t,--tag= -f,--file= --build-arg= --target= --platform= --secret= --ssh= --cache-from= --cache-to= -o,--output= --progress= --network= --label= --no-cache"
    " --pull -q,--quiet --push --load --rm --force-rm --squash --add-host= --iidfile= --builder= --build-context= -m,--memory= --shm-size= --ulimit= -h,--help"
)
REMOVE_OPTIONS = Flags(
    "-f,--force -v,--volumes -l,--link -a,--all -t,--time= -i,--ignore --cidfile= --depend --filter= --no-prune --prune --latest -h,--help"
)
COMPOSE_OPTIONS = Flags(
    "-f,--file=read -p,--project-name= --profile= --env-file=read --project-directory= --ansi= --progress= --parallel= --compatibility --all-resources --dry-run"
    " -H,--host= --context= --verbose --no-ansi --tls -v,--version -h,--help"
)
COMPOSE_RUN_OPTIONS = Flags(
    "-d,--detach -e,--env= -T,--no-TTY -u,--user= -w,--workdir= --index= --privileged --rm -i,--interactive -t,--tty -v,--volume= -p,--publish= --name= --entrypoint="
    " --no-deps --build --service-ports --use-aliases -l,--label= --quiet-pull --remove-orphans -P --pull= -it -q,--quiet --cap-add= --cap-drop= --env-from-file= -h,--help"
)
COMPOSE_DOWN_OPTIONS = Flags("-v,--volumes --rmi= --remove-orphans -t,--timeout= -f,--force -s,--stop --dry-run -h,--help")
PRUNE_FORMS = parse_forms(
    {
        "container.prune": "system|volume|container|network|pod prune; image|builder|buildx prune -a|--all; system reset",
        "container.delete-volume": "volume rm|remove",
        "container.remove": "swarm leave --force; service scale *=0; node update --availability=drain; kube down; stack|context|service|node|plugin|secret|config rm|remove|down; machine rm --force; pod rm --force|--all",
    }
)
PRUNE_OPTIONS = build_flags(
    "-a,--all --volumes --filter= -f,--force --keep-storage= --reserved-space= --build --external --builder= -i,--ignore -t,--time= --dry-run --availability=",
    PRUNE_FORMS,
)
SENSITIVE_FOLDERS = (
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


def container(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """docker, podman, nerdctl."""
    top = GLOBAL_OPTIONS.parse(argv, stop=True)
    rest = argv[top.rest :]
    if rest and rest[0].text == "compose":
        yield from compose(rest, context)
        return
    object_ = rest[0].text if rest else None
    if object_ in ("container", "image") and len(rest) > 1 and rest[1].text != "prune":
        rest = rest[1:]
    verb = rest[0].text if rest else None
    if verb in ("run", "exec", "create"):
        yield from _start_container(argv, rest, context)
        return
    if verb in ("rm", "remove", "rmi") and object_ != "volume":
        yield from _remove_containers(rest, "image" if verb == "rmi" or object_ == "image" else "container", context)
    elif verb == "kill":
        names = Flags("-s,--signal= -a,--all -h,--help").parse(rest)
        if names.operands or names.has_flag("--all") is True:
            target = join_words(names.operands) if names.operands else None
            yield Operation("container.kill", context.origin, target, (("all", names.has_flag("--all")),))
    elif verb == "cp":
        yield from _copy_files(rest, context)
    elif verb == "buildx" and any(word.text == "bake" for word in rest[1:2]) and any(word.text == "--push" for word in rest):
        yield Operation("package.publish", context.origin, join_words(rest[:2]))
    elif "build" in (verb, rest[1].text if verb in ("buildx", "builder") and len(rest) > 1 else None):
        yield from _build_image(argv, rest if verb == "build" else rest[1:], context)
    elif verb in ("save", "export"):
        yield from (build_write(file, False, context) for file, _ in find_outputs(rest, frozenset(("-o*", "--output"))))
    elif verb is not None:
        yield from _push_or_grant(object_, rest, context)
        yield from _prune(rest, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def _push_or_grant(object_: str | None, rest: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """An image is pushed, or a plugin gets all permissions."""
    if rest[0].text == "push":
        yield from _push_image(rest, context)
    elif object_ == "plugin" and any(word.text == "--grant-all-permissions" for word in rest):
        yield Operation("container.escape", context.origin, join_words(list(rest[:2])))


def _build_image(argv: tuple[Word, ...], rest: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """The build context is read whole, since all of it may come into the image; a Dockerfile may be piped in."""
    if any(word.text == "-" for word in rest[1:]):
        yield Interpret("dockerfile", context.stdin, context.origin, via=make_carrier(argv, "build -"))
    options = BUILD_OPTIONS.parse(rest)
    outputs = [word.text or "" for word in options.values_of("--output")]
    if options.has_flag("--push") is True or any("push=true" in text or "type=registry" in text for text in outputs):
        for image in options.values_of("--tag"):
            yield from _publish_image(image, context)
    for folder in options.operands[-1:]:
        if folder.text != "-" and "://" not in folder.head and not folder.starts_with("git@"):
            yield Read(context.resolve_place(folder), context.origin, True)


def _push_image(rest: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """An image is published to a registry, unless that is on this machine."""
    for image in Flags("-a,--all-tags -q,--quiet --disable-content-trust=? --platform= --help").parse(rest).operands[:1]:
        yield from _publish_image(image, context)


def _publish_image(image: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    host, slash, _ = image.head.partition("/")
    host = host if slash or image.text is not None else ""  # the name of the registry is known
    if not host.startswith(("localhost", "127.0.0.1", "kind-registry", "registry:", "host.docker.internal")):
        yield Operation("package.publish", context.origin, image)


def _start_container(argv: tuple[Word, ...], rest: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`run` and `exec` carry a command into a container; volumes map its files to this machine."""
    options = RUN_OPTIONS.parse(rest, stop=True)
    words = rest[options.rest :]
    if options.has_flag("--help") is True or not words:
        return
    mounts = tuple(
        mount for word in options.values_of("--volume", "--mount") if (mount := _parse_mount(word, context)) is not None
    )
    user = options.value_of("--user")
    yield from _find_escapes(options, mounts, context)
    entry = options.value_of("--entrypoint")
    command = ((entry,) if entry is not None else ()) + tuple(words[1:])
    if command:
        running = "running/" if rest[0].text == "exec" else ""
        site = Site(f"container:{running}{words[0].display_text}", user.display_text if user is not None else "", mounts)
        yield from _run_as_image_program(words, entry, context, site)
        folder = options.value_of("--workdir") or known_word("/")
        yield Run(
            command,
            context.origin,
            make_carrier(argv, rest[0].display_text),
            site,
            folder,
            sure=None if options.strange else True,
        )


def _run_as_image_program(
    words: tuple[Word, ...], entry: Word | None, context: ExecutionContext, site: Site
) -> Iterator[ReportedEffect]:
    """The name of an image may be that of a program with effects outside the container: the words after it are that program's
    (`hashicorp/terraform destroy`)."""
    name = (words[0].text or "").partition("@")[0].rpartition("/")[2].partition(":")[0]
    if (
        entry is None
        and len(words) > 1
        and FAMILY_OF.get(name) in _REMOTE_FAMILIES
        and FAMILY_OF.get(words[1].text or "") is None
    ):
        yield Run((known_word(name), *words[1:]), context.origin, make_carrier(words), site, sure=None)


_REMOTE_FAMILIES = tuple(f"infrastructure.{name}" for name in ("clusters", "cloud_providers", "aws", "forges", "platforms"))


def _find_escapes(
    options: ParsedOptions, mounts: tuple[tuple[str, str], ...], context: ExecutionContext
) -> Iterator[ReportedEffect]:
    """Yields the options that give a container control of this machine: privileges, host namespaces, disks, the container
    socket."""
    if options.has_flag("--privileged") is True:
        yield Operation("container.escape", context.origin, known_word("--privileged"))
    for name in ("--pid", "--userns", "--uts"):
        if any(word.text == "host" for word in options.values_of(name)):
            yield Operation("container.escape", context.origin, known_word(f"{name}=host"))
    for word in options.values_of("--cap-add"):
        if (word.text or "").upper() in CAPABILITIES:
            yield Operation("container.escape", context.origin, known_word("--cap-add=") + word)
    for word in options.values_of("--device"):
        if word.starts_with("/dev/sd") is True or word.starts_with("/dev/nvme") is True or word.starts_with("/dev/mem") is True:
            yield Operation("container.escape", context.origin, known_word("--device=") + word)
    for _, here in mounts:
        if (
            here.rstrip("/") in (*SENSITIVE_FOLDERS, context.home, f"{context.home}/.ssh", f"{context.home}/.gnupg")
            or here == "/"
            or here.endswith(("/docker.sock", "/podman.sock", "/containerd.sock"))
        ):
            yield Operation("container.escape", context.origin, known_word(here))


_SOURCE_KEYS, _TARGET_KEYS = ("source", "src"), ("target", "dst", "destination")
_match_volume_name = re.compile(r"[A-Za-z0-9][\w.-]*").fullmatch


def _parse_mount(word: Word, context: ExecutionContext) -> tuple[str, str] | None:
    """Parses `-v here:there[:ro]` or `--mount type=..,source=..,target=..` to (path in the container, path here or a volume's
    name)."""
    fields = {key.text: value for key, is_set, value in (part.partition("=") for part in word.split_at(",")) if is_set}
    here, there = (next((fields[key] for key in keys if key in fields), None) for keys in (_SOURCE_KEYS, _TARGET_KEYS))
    if here is None:
        here, _, rest = word.partition(":")
        there = rest.partition(":")[0]
    if there is None or not there.parts:
        return None
    if here.text is not None and _match_volume_name(here.text):
        return there.outline, here.text
    path = context.resolve_place(here).path if here.text is None or here.text[:1] in ("/", ".", "~") else None
    return None if path is None else (there.outline, path)


def _remove_containers(rest: tuple[Word, ...], kind: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = REMOVE_OPTIONS.parse(rest)
    if options.has_flag("--help") is True:
        return
    flags: tuple[tuple[str, Maybe], ...] = (
        ("force", options.has_flag("--force")),
        ("volumes", options.has_flag("--volumes") if kind == "container" else False),
        ("all", options.has_flag("--all", "--prune")),
        ("image", kind == "image"),
        ("named", kind == "container" and options.has_flag("--all", "--prune") is False),
    )
    if options.operands or options.has_flag("--all", "--prune") is True:
        yield Operation("container.remove", context.origin, join_words(options.operands) if options.operands else None, flags)


def _copy_files(rest: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags("-a,--archive -L,--follow-link -q,--quiet --overwrite --pause --help").parse(rest)
    if len(options.operands) == 2 and options.has_flag("--help") is not True:
        yield from copy_container_files(options.operands[0], options.operands[1], context)


def _prune(rest: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = PRUNE_OPTIONS.parse(rest, start=0)
    if options.has_flag("--help", "--dry-run") is True:
        return
    for form, target in match_forms(PRUNE_FORMS, options):
        if form.operation == "container.prune":
            cache = target.starts_with("builder") is True or target.starts_with("buildx") is True
            if cache and options.has_flag("--all") is not True:
                return  # a build recreates it
            if any(word.starts_with("label=") is True for word in options.values_of("--filter")):
                return  # only what was marked
            volumes = maybe_any([options.has_flag("--volumes"), target.starts_with("volume"), target.starts_with("system reset")])
            yield Operation("container.prune", context.origin, target, (("volumes", volumes),))
        elif form.operation == "container.delete-volume":
            names = options.operands[2:]
            flags = (("disposable", bool(names) and all(is_for_tests(name.text or "") for name in names)),)
            yield Operation("container.delete-volume", context.origin, join_words(names) if names else None, flags)
        else:
            yield Operation("container.remove", context.origin, target, (("force", True), ("all", False)))
        return


def compose(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`docker compose` and docker-compose."""
    top = COMPOSE_OPTIONS.parse(argv, stop=True)
    rest = argv[top.rest :]
    verb = rest[0].text if rest else None
    for file in top.values_of("--file"):
        if file.text != "-":
            yield Read(context.resolve_place(file), context.origin)
    if verb in ("run", "exec"):
        options = COMPOSE_RUN_OPTIONS.parse(rest, stop=True)
        words = rest[options.rest :]
        if options.has_flag("--help") is True or not words:
            return
        mounts = tuple(mount for word in options.values_of("--volume") if (mount := _parse_mount(word, context)) is not None)
        yield from _find_escapes(options, mounts, context)
        entry = options.value_of("--entrypoint")
        command = ((entry,) if entry is not None else ()) + tuple(words[1:])
        if command:
            running = "running/" if verb == "exec" else ""
            site = Site(f"container:{running}{words[0].display_text}", "", mounts)
            sure = None if options.strange else True
            yield Run(
                command,
                context.origin,
                Carrier("compose", verb),
                site,
                options.value_of("--workdir") or known_word("/"),
                env=_name_files(list(top.values_of("--file"))),
                sure=sure,
            )
        return
    if verb in ("down", "rm"):
        options = COMPOSE_DOWN_OPTIONS.parse(rest)
        silent = maybe_any([options.has_flag("--help", "--dry-run"), top.has_flag("--dry-run")]) is True
        if options.has_flag("--volumes") is True and not silent:
            project = top.value_of("--project-name") or context.get_variable("COMPOSE_PROJECT_NAME")
            files = list(top.values_of("--file"))
            is_for_test = project is not None and is_for_tests(project.text or "")
            is_disposable = is_for_test or keeps_no_volume(files, context) or keeps_test_volumes(files, context)
            flags = (("disposable", is_disposable),)
            target = join_words(options.operands) if options.operands else None
            yield Operation("container.delete-volume", context.origin, target, flags)
        if options.value_of("--rmi") is not None and not silent:
            yield Operation(
                "container.remove", context.origin, known_word("the project's images"), (("force", True), ("image", True))
            )
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def _name_files(files: list[Word]) -> tuple[tuple[str, Word], ...]:
    """Returns the variable that names compose files, by which it is known whose a service is."""
    return (("COMPOSE_FILE", join_words(files, ":")),) if files else ()


_COMPOSE = Program(does=compose)
_CONTAINER = Program(does=container)
_CLUSTER_FORMS = {
    "infrastructure.destroy": "delete|rm|remove|purge|destroy; cluster|clusters delete|rm|remove; node|nodes delete|rm"
}
_CLUSTERS = program_of_forms(_CLUSTER_FORMS, "-n,--name= -p,--profile= -f,--force -a,--all -v,--verbosity= -q,--quiet")


def _is_no_production(name: str) -> bool:
    return not is_in_production(name)


def local_cluster(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """kind, minikube, k3d: a cluster on this machine. The default one, and one that is named for development or tests, is made
    again from its files, as is every one of kind and k3d, which are for tests, unless its name says that others rely on it."""
    options = Flags("-n,--name= -p,--profile= -f,--force -a,--all").parse(argv)
    named = [*options.values_of("--name", "--profile"), *(options.operands[2:] if (argv[0].text or "").endswith("k3d") else ())]
    is_default = not named and program_name(argv) in ("kind", "minikube", "k3d")
    is_throwaway = _is_no_production if program_name(argv) in ("kind", "k3d") else is_in_development
    in_development = is_default or (bool(named) and all(word.text and is_throwaway(word.text) for word in named))
    if not in_development or options.has_flag("--all") is True:
        yield from _CLUSTERS.effects_of_call(argv, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


ROWS: dict[str, Program] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "crictl"), _CONTAINER),
    **dict.fromkeys(
        ("skopeo", "crane", "gcrane", "regctl"),
        program_of_forms(
            {"cloud.delete": "delete; rm; * delete|rm"},
            "--creds= --authfile= --tls-verify=? -f,--force --dest-creds= --platform=",
        ),
    ),
    "machinectl": program_of_forms({"container.delete-volume": "remove|rm; image-remove; clean"}, "-q,--quiet -M= --all"),
    **dict.fromkeys(("docker-compose", "podman-compose"), _COMPOSE),
    **dict.fromkeys(("kind", "minikube", "k3d", "colima", "limactl", "multipass"), Program(does=local_cluster)),
    **dict.fromkeys(
        ("k3s-uninstall.sh", "k3s-agent-uninstall.sh", "k3s-killall.sh", "rke2-uninstall.sh"),
        Program(operation="infrastructure.destroy"),
    ),
}
