"""Programs that run what stands in their arguments: as somebody else, elsewhere, later, or for each of many."""

from collections.abc import Iterator

from toolgate.model.effect import Connect, Environment, Escalate, Interpret, Prints, Read, Reported, Run, Site
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Hole, Word, known, unknown

from .options import Flags
from .program import Program, is_assignment, text_of, via


def sudo(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = SUDO.read(argv, stop=True)
    rest = list(argv[given.rest :])
    user = given.value("--user")
    name = user.shown if user is not None else "root"
    if given.flag("--help", "--version") is True:
        return
    yield Escalate(argv[0].shown.rpartition("/")[2], name, seen.origin)
    for option in ("--list", "--validate", "--reset-timestamp", "--remove-timestamp"):
        if given.flag(option) is True and not rest:
            return
    env: list[tuple[str, Word]] = []
    while rest and is_assignment(rest[0]):
        left, _, value = rest.pop(0).partition("=")
        env.append((left.shown, value))
        yield Environment(left.shown, value, seen.origin)
    site = Site(seen.site.machine, name, seen.site.mounts)
    if given.flag("--edit") is True:
        yield from (Run((known("tee"), word), seen.origin, "sudoedit", site) for word in rest)
    elif given.flag("--shell", "--login") is True and rest:
        yield Interpret("shell", text_of(rest), seen.origin, via=via(argv, "-s"), site=site)
    elif rest:
        sure = None if given.strange or given.open else True
        yield Run(tuple(rest), seen.origin, via(argv), site, given.value("--chdir"), env=tuple(env), sure=sure)


SUDO = Flags(
    "-A,--askpass -B,--bell -b,--background -C,--close-from= -D,--chdir= -E --preserve-env=? -e,--edit -g,--group= -H,--set-home"
    " -h,--host= -i,--login -K,--remove-timestamp -k,--reset-timestamp -l,--list -N,--no-update -n,--non-interactive -P,--preserve-groups"
    " -p,--prompt= -R,--chroot= -r,--role= -S,--stdin -s,--shell -T,--command-timeout= -t,--type= -U,--other-user= -u,--user= -v,--validate"
    " --help -V,--version"
)


def su(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-c,--command= --session-command= -f,--fast -g,--group= -G,--supp-group= -l,--login -m,-p,--preserve-environment -P,--pty"
        " -s,--shell= -w,--whitelist-environment= --help -V,--version"
    ).read(argv)
    users = [word for word in given.operands if word.text != "-"]
    name = users[0].shown if users else "root"
    yield Escalate("su", name, seen.origin)
    site = Site(seen.site.machine, name, seen.site.mounts)
    for code in given.all("--command", "--session-command"):
        yield Interpret("shell", code, seen.origin, tuple(users[1:]), via="su -c", site=site)
    if not given.values:
        yield Interpret("shell", seen.stdin, seen.origin, via="su", site=site)


def env(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-i,--ignore-environment -u,--unset= -0,--null -C,--chdir= -S,--split-string= -v,--debug --block-signal=? --default-signal=?"
        " --ignore-signal=? --list-signal-handling --help --version"
    ).read(argv, stop=True)
    rest = list(argv[given.rest :])
    clean = given.flag("--ignore-environment") is True
    if rest and rest[0].text == "-":
        clean, rest = True, rest[1:]
    assigned: list[tuple[str, Word]] = []
    while rest and is_assignment(rest[0]):
        left, _, value = rest.pop(0).partition("=")
        assigned.append((left.shown, value))
        yield Environment(left.shown, value, seen.origin)
    split = given.value("--split-string")
    if split is not None:
        yield Interpret("shell", text_of([split, *rest]), seen.origin, via="env -S")
    elif rest:
        sure = None if given.strange or given.open else True
        yield Run(tuple(rest), seen.origin, "env", None, given.value("--chdir"), env=tuple(assigned), clean=clean, sure=sure)
    else:
        yield Prints(unknown("env", seen.output("env").src))


def xargs(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-0,--null -a,--arg-file=read -d,--delimiter= -E= -e=? --eof=? -I= -i,--replace=? -J= -L= -l=? --max-lines=? -n,--max-args= -o,--open-tty"
        " -P,--max-procs= -p,--interactive --process-slot-var= -R= -r,--no-run-if-empty -S= -s,--max-chars= -t,--verbose -x,--exit"
        " --show-limits --help --version"
    ).read(argv, stop=True)
    rest = tuple(argv[given.rest :]) or (known("echo"),)
    file = given.value("--arg-file")
    source = seen.read(file) if file is not None else seen.stdin
    sure = None if given.strange or given.open else True
    mark = given.value("-I", "-J", "--replace")
    if mark is not None or given.flag("--replace") is True:
        text = (mark.text if mark is not None else None) or "{}"
        for item in _items(source, given.flag("--null") is True, whole_lines=True):
            yield Run(tuple(word.substituted(text, item) for word in rest), seen.origin, "xargs", stdin=EMPTY, sure=sure)
    else:
        more = tuple(_items(source, given.flag("--null") is True, whole_lines=given.value("--delimiter") is not None))
        yield Run(rest + more, seen.origin, "xargs", stdin=EMPTY, sure=sure)


_ITEMS = 64


def _items(source: Word, null: bool, *, whole_lines: bool) -> list[Word]:
    """The arguments on standard input: known ones as they are, else one hole for all of them."""
    text = source.text
    if text is not None:
        items = text.split("\0" if "\0" in text else "\n") if null or whole_lines else text.split()
        if len(items) <= _ITEMS:
            return [known(item, source.src) for item in items if item.strip()]
    lines = [line for line in source.lines() if line.parts]
    if lines and len(lines) <= _ITEMS and all(_is_path_like(line) for line in lines):
        return [Word(line.parts, splits=not line.head, src=source.src) for line in lines]
    return [Word((Hole("**", "standard input"),), splits=True, src=source.src)]


def _is_path_like(line: Word) -> bool:
    """A half known line whose holes hold no further lines: what find and ls print."""
    return (
        line.text is not None or bool(line.head) or any(isinstance(p, Hole) and not p.like.startswith("**") for p in line.parts)
    )


def parallel(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-j,--jobs= -k,--keep-order -n,--max-args= -a,--arg-file=read -I= --delay= --timeout= --dry-run --bar --eta -0,--null -q,--quote"
    ).read(argv, stop=True)
    rest = list(argv[given.rest :])
    markers = [n for n, word in enumerate(rest) if word.text in (":::", ":::+", "::::")]
    command = rest[: markers[0]] if markers else rest
    items = (
        [word for word in rest[markers[0] :] if word.text not in (":::", ":::+", "::::")]
        if markers
        else _items(seen.stdin, False, whole_lines=True)
    )
    for item in items or [EMPTY]:
        if not command:
            yield Interpret("shell", item, seen.origin, via="parallel")
            continue
        named = any(word.contains("{") is not False for word in command)
        words = [word.substituted("{}", item).substituted("{.}", item) for word in command] + ([] if named else [item])
        yield Interpret("shell", text_of(words), seen.origin, via="parallel")


def flock(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-c,--command= -e,-x,--exclusive -F,--no-fork -n,--nonblock -o,--close -s,--shared -u,--unlock -w,--timeout= -E= --verbose"
    ).read(argv, stop=True)
    rest = argv[given.rest + 1 :]
    if rest and rest[0].text in ("-c", "--command") and len(rest) > 1:
        yield Interpret("shell", rest[1], seen.origin, via="flock -c")
    elif rest:
        yield Run(tuple(rest), seen.origin, "flock")


def watch(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-b -c,--color -d,--differences=? -e,--errexit -g,--chgexit -n,--interval= -p -t,--no-title -w -x,--exec -q="
    ).read(argv, stop=True)
    rest = list(argv[given.rest :])
    if given.flag("--exec") is True:
        yield Run(tuple(rest), seen.origin, "watch")
    elif rest:
        yield Interpret("shell", text_of(rest), seen.origin, via="watch")


def busybox(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if len(argv) > 1 and argv[1].starts("-") is False:
        yield Run(argv[1:], seen.origin, via(argv))


def chroot(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("--groups= --userspec= --skip-chdir").read(argv, stop=True)
    rest = argv[given.rest :]
    if len(rest) > 1:
        root = seen.place(rest[0]).path or rest[0].shown
        site = seen.site if root == "/" else Site(f"chroot:{root}", "root", (("/", root),))
        yield Run(tuple(rest[1:]), seen.origin, "chroot", site, known("/"))


def unshare(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-m,--mount=? -u,--uts=? -i,--ipc=? -n,--net=? -p,--pid=? -U,--user=? -C,--cgroup=? -f,--fork -r,--map-root-user -c,--map-current-user"
        " --mount-proc=? --kill-child=? -R,--root= -w,--wd= -S,--setuid= -G,--setgid= --propagation= --setgroups= -t,--target= -a,--all -F,--no-fork"
    ).read(argv, stop=True)
    rest = argv[given.rest :]
    if rest:
        yield Run(tuple(rest), seen.origin, via(argv), cwd=given.value("--wd"), sure=None if given.strange else True)


def at(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """at and batch run what standard input or a file holds, later."""
    given = Flags("-f=read -q= -t= -m -M -l -d -r -c -v").read(argv)
    if given.flag("-l", "-d", "-r", "-c") is True:
        return
    file = given.value("-f")
    if file is not None:
        yield Read(seen.place(file), seen.origin)
    yield Interpret("shell", seen.read(file) if file is not None else seen.stdin, seen.origin, via=via(argv))


def container(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """docker and podman: `run` and `exec` carry a command into a container; a volume brings it back here."""
    top = Flags("-H,--host= -c,--context= --config= -D,--debug -l,--log-level= --tls --tlsverify").read(argv, stop=True)
    rest = argv[top.rest :]
    if rest and rest[0].text == "container":
        rest = rest[1:]
    if not rest or rest[0].text not in ("run", "exec", "create"):
        return
    given = CONTAINER.read(rest, stop=True)
    words = rest[given.rest :]
    if not words:
        return
    mounts = tuple(mount for word in given.all("--volume", "--mount") if (mount := _mounted(word, seen)) is not None)
    site = Site(
        f"container:{words[0].shown}", given_user.shown if (given_user := given.value("--user")) is not None else "", mounts
    )
    if given.flag("--privileged") is True:
        yield Escalate(via(argv, "--privileged"), "root", seen.origin)
    entry = given.value("--entrypoint")
    command = ((entry,) if entry is not None else ()) + tuple(words[1:])
    if command:
        yield Run(
            command,
            seen.origin,
            via(argv, rest[0].shown),
            site,
            given.value("--workdir") or known("/"),
            sure=None if given.strange else True,
        )


def _mounted(word: Word, seen: Seen) -> tuple[str, str] | None:
    """(path in the container, path here) of `-v here:there[:ro]` or `--mount type=bind,source=..,target=..`."""
    if word.contains("source=") is True or word.contains("src=") is True:
        fields = dict(part.split("=", 1) for part in word.shown.split(",") if "=" in part)
        here, there = (
            fields.get("source") or fields.get("src"),
            fields.get("target") or fields.get("dst") or fields.get("destination"),
        )
        return None if not here or not there else (there, seen.place(known(here)).path or here)
    here_word, _, rest = word.partition(":")
    there_word, _, _ = rest.partition(":")
    path = seen.place(here_word).path if here_word.text is None or here_word.text[:1] in ("/", ".", "~") else None
    return (there_word.text, path) if path is not None and there_word.text else None


CONTAINER = Flags(
    "-a,--attach= --add-host= --annotation= --blkio-weight= --cap-add= --cap-drop= --cgroup-parent= --cidfile= --cpus= -c,--cpu-shares= -d,--detach"
    " --detach-keys= --device= --dns= --entrypoint= -e,--env= --env-file=read --expose= --gpus= --group-add= --health-cmd= -h,--hostname= --init"
    " -i,--interactive --ip= --ipc= -l,--label= --label-file= --link= --log-driver= --log-opt= --mac-address= -m,--memory= --memory-swap= --mount="
    " --name= --network,--net= --no-healthcheck --oom-score-adj= --pid= --pids-limit= --platform= --privileged -p,--publish= -P,--publish-all --pull="
    " -q,--quiet --read-only --restart= --rm --runtime= --security-opt= --shm-size= --stop-signal= --stop-timeout= --sysctl= --tmpfs= -t,--tty --ulimit="
    " -u,--user= --userns= --uts= -v,--volume= --volume-driver= --volumes-from= -w,--workdir= -it -ti"
)


def ssh(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:

    given = Flags(
        "-4 -6 -A -a -B= -b= -C -c= -D= -E=write -e= -F=read -f -G -g -I= -i= -J= -K -k -L= -l= -M -m= -N -n -O= -o= -P= -p= -Q= -q -R= -S= -s -T -t"
        " -V -v -W= -w= -X -x -Y -y"
    ).read(argv, stop=True)
    rest = list(argv[given.rest :])
    for option in given.all("-o"):
        name, _, command = option.partition("=")
        if (name.text or "").strip().lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            yield Interpret("shell", command, seen.origin, via=f"ssh -o {name.text}")
    if not rest:
        return
    yield Connect(rest[0], seen.origin, sends=seen.stdin)
    if len(rest) > 1:
        # options may stand after the host too
        words = rest[1:]
        yield Interpret("shell", text_of(words), seen.origin, via="ssh", site=Site(f"ssh:{rest[0].shown}"))
    else:
        yield Interpret("shell", seen.stdin, seen.origin, via="ssh", site=Site(f"ssh:{rest[0].shown}"))


def _simple(spec: str, operands: str = "command") -> Program:
    return Program(Flags(spec + " --help --version"), operands)


ROWS: dict[str, Program] = {
    "sudo": Program(does=sudo),
    "sudoedit": Program(operands="touch*"),
    "doas": Program(Flags("-a= -C= -L -n -s -u,--user="), "command", user="root"),
    "pkexec": Program(Flags("-u,--user= --disable-internal-agent --keep-cwd --help --version"), "command", user="root"),
    "run0": Program(
        Flags("-u,--user= -g,--group= -D,--chdir= --unit= --property= --slice= --setenv= --help --version"),
        "command",
        user="root",
    ),
    "su": Program(does=su),
    "runuser": Program(does=su),
    "env": Program(does=env),
    "nice": _simple("-n,--adjustment="),
    "ionice": _simple("-c,--class= -n,--classdata= -t,--ignore -p,--pid="),
    "chrt": _simple("-b -f -i -o -r -R -T= -P= -D= -a -m -v -p", "data command"),
    "taskset": _simple("-a,--all-tasks -c,--cpu-list -p,--pid", "data command"),
    "nohup": _simple(""),
    "timeout": _simple("-f,--foreground -k,--kill-after= -p,--preserve-status -s,--signal= -v,--verbose", "data command"),
    "stdbuf": _simple("-i,--input= -o,--output= -e,--error="),
    "setsid": _simple("-c,--ctty -f,--fork -w,--wait"),
    "time": _simple("-a,--append -f,--format= -o,--output=write -p,--portability -q,--quiet -v,--verbose"),
    "strace": _simple(
        "-f -ff -F -e= -o=write -p= -s= -t -tt -ttt -T -v -c -C -y -yy -q -qq -x -xx -k -u= -E= -P= -O= -S= -a= -I= -b= -X= -D -Z -z"
    ),
    "ltrace": _simple("-f -e= -o=write -p= -s= -S -t -T -c -C -n= -u= -a= -A= -D= -l= -x= -i -r"),
    "catchsegv": _simple(""),
    "unbuffer": _simple("-p"),
    "caffeinate": _simple("-d -i -m -s -u -t= -w="),
    "xvfb-run": _simple("-a,--auto-servernum -e= -f= -n,--server-num= -l -p= -s,--server-args= -w="),
    "dbus-run-session": _simple("--config-file= --dbus-daemon="),
    "fakeroot": _simple("-l= -f= -u -i= -s= -b="),
    "systemd-run": _simple(
        "--user --system --scope -u,--unit= -p,--property= --description= --slice= -r --send-sighup --service-type= --uid= --gid= --nice="
        " --working-directory= -E,--setenv= -t,--pty -P,--pipe -S -q --on-active= --on-boot= --on-calendar= --timer-property= -d,--same-dir -G --wait --no-block"
    ),
    "xargs": Program(does=xargs),
    "gxargs": Program(does=xargs),
    "parallel": Program(does=parallel),
    "flock": Program(does=flock),
    "watch": Program(does=watch),
    "busybox": Program(does=busybox),
    "toybox": Program(does=busybox),
    "chroot": Program(does=chroot),
    "unshare": Program(does=unshare),
    "nsenter": Program(does=unshare),
    "at": Program(does=at),
    "batch": Program(does=at),
    "docker": Program(does=container),
    "podman": Program(does=container),
    "nerdctl": Program(does=container),
    "ssh": Program(does=ssh),
}
