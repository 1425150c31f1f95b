"""Programs that run a command from their arguments as another user, on another machine, or later."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolgate.model.effect import Carrier, Connect, Escalate, Interpret, Operation, PrintedOutput, ReportedEffect, Run, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, known_word, unknown_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import (
    INFORMATION_OPTIONS,
    Program,
    combine_programs,
    join_arguments,
    make_carrier,
    take_assignments,
)
from toolgate.programs.launchers.split_string import split_string
from toolgate.programs.network.exposed_servers import server_mode


def sudo(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = SUDO.parse(argv, stop=True)
    rest = list(argv[options.rest :])
    user = options.value_of("--user")
    name = user.display_text if user is not None else "root"
    if options.has_flag("--help", "--version") is True:
        return
    yield Escalate(argv[0].file_name, name, context.origin, is_read_only_sudo(options, rest))
    for option in ("--list", "--validate", "--reset-timestamp", "--remove-timestamp"):
        if options.has_flag(option) is True and (not rest or option == "--list"):  # `-l COMMAND` asks whether it may run
            return
    env = yield from take_assignments(rest, context)
    site = Site(context.site.machine, name, context.site.mounts)
    if options.has_flag("--edit") is True:
        yield from (Run((known_word("tee"), word), context.origin, Carrier("sudoedit"), site) for word in rest)
    elif options.has_flag("--shell", "--login") is True and rest:
        yield Interpret("shell", _escape_for_login_shell(rest), context.origin, via=make_carrier(argv, "-s"), site=site)
    elif rest:
        sure = None if options.strange or options.open else True
        yield Run(tuple(rest), context.origin, make_carrier(argv), site, options.value_of("--chdir"), env=env, sure=sure)


def is_read_only_sudo(options: ParsedOptions, rest: list[Word]) -> bool:
    """Returns whether sudo is only asked what it would allow, or runs a program that only shows the machine's state."""
    changing = ("--edit", "--shell", "--login", "-E", "--preserve-env", "--chroot", "--chdir")
    if options.strange or any(options.has_flag(name) is not False or options.value_of(name) is not None for name in changing):
        return False
    if options.has_flag("--list") is True:
        return True
    if not rest:
        return options.has_flag("--list", "--validate", "--reset-timestamp", "--remove-timestamp") is True
    name, *words = [word.text or "\0" for word in rest]
    if name in _PROGRAMS_WITH_VERBS and words:
        name = f"{name} {words.pop(0)}"
    looking = _READ_ONLY_COMMANDS.get(name)
    if looking is None or (looking.needed is not None and not any(map(looking.needed.fullmatch, words))):
        return False
    while words:
        word = words.pop(0)
        if word in looking.valued:
            words = words[1:]
        elif looking.plain.fullmatch(word) is None:
            return False
    return True


class _ReadOnlyCommand(NamedTuple):
    """Words of a read-only command. `plain`: words with which it only shows something; `valued`: options whose value is the
    next word; `needed`: what one of its words matches."""

    plain: re.Pattern[str]
    valued: tuple[str, ...] = ()
    needed: re.Pattern[str] | None = None


_LOG = r"/var/log(?!.*\.\.)[\w./@-]*"
_PROGRAMS_WITH_VERBS = ("systemctl", "ufw", "nft")
_READ_ONLY_COMMANDS = {
    "true": _ReadOnlyCommand(re.compile(r"\0")),
    "lsof": _ReadOnlyCommand(re.compile(r"-[aiPntulU]+|-[pcu][\w,]+|[\w/.:@][\w./:@,-]*"), ("-i", "-p", "-c", "-u")),
    "ss": _ReadOnlyCommand(re.compile(r"-[46aehilmnoprstuwxHO]+|[a-z][\w.:=]*")),
    "netstat": _ReadOnlyCommand(re.compile(r"-[46aceilnoprstuvWg]+")),
    "dmesg": _ReadOnlyCommand(
        re.compile(r"-[HTwkuxLPret]+|--(?:human|ctime|follow|kernel|userspace|decode|level=[\w,]+)"), ("-l", "--level")
    ),
    "lsblk": _ReadOnlyCommand(re.compile(r"-[afmbdlpnJP]+|/dev/\w+"), ("-o", "--output")),
    "journalctl": _ReadOnlyCommand(
        re.compile(
            r"-[abefklmqrx]+|-[nbopu][\w.@-]+|[A-Z_]+=[\w./-]+|--(?:unit|since|until|lines|output|boot|priority|identifier|grep)=.*"
            r"|--(?:no-pager|reverse|follow|dmesg|catalog|all|quiet|utc|list-boots|disk-usage|no-hostname|no-tail|boot)"
        ),
        (
            *("-n", "-o", "-p", "-u", "-S", "-U", "-t", "-g"),
            *("--unit", "--since", "--until", "--lines", "--output", "--priority"),
        ),
    ),
    **{
        f"systemctl {verb}": _ReadOnlyCommand(re.compile(r"-l|--(?:no-pager|full|all|failed)|\w[\w.@*-]*"), ("-n", "--lines"))
        for verb in ("status", "is-active", "is-enabled", "is-failed", "list-units", "list-unit-files", "list-timers")
    },
    **dict.fromkeys(
        ("iptables", "ip6tables"),
        _ReadOnlyCommand(
            re.compile(r"-[LSnvx]+|--(?:list|list-rules|numeric|verbose|line-numbers)|[A-Z][\w-]*"), ("-t", "--table")
        ),
    ),
    **dict.fromkeys(
        ("cat", "tail", "head", "zcat", "grep", "zgrep", "wc", "ls", "stat", "du"),
        _ReadOnlyCommand(re.compile(rf"-[a-eg-zA-Z0-9]+|-f|(?![-./~]|.*\.\.)[^\0]+|{_LOG}"), ("-n",), re.compile(_LOG)),
    ),
    "ufw status": _ReadOnlyCommand(re.compile(r"verbose|numbered")),
    "ufw show": _ReadOnlyCommand(re.compile(r"[a-z-]+")),
    "nft list": _ReadOnlyCommand(re.compile(r"[\w-]+")),
}
"""Programs that show the machine's state."""


SUDO = Flags(
    "-A,--askpass -B,--bell -b,--background -C,--close-from= -D,--chdir= -E --preserve-env=? -e,--edit -g,--group= -H,--set-home"
    " -h,--host= -i,--login -K,--remove-timestamp -k,--reset-timestamp -l,--list -N,--no-update -n,--non-interactive -P,--preserve-groups"
    " -p,--prompt= -R,--chroot= -r,--role= -S,--stdin -s,--shell -T,--command-timeout= -t,--type= -U,--other-user= -u,--user= -v,--validate"
    " --help -V,--version"
)


def _escape_for_login_shell(words: list[Word]) -> Word:
    """Joins words to one command line as `sudo -i` does: each remains a word, but `$` is expanded by the shell."""
    return join_arguments(
        [word if word.text is None else known_word(_SHELL_SPECIAL.sub(r"\\\1", word.text), word.src) for word in words]
    )


_SHELL_SPECIAL = re.compile(r"([^A-Za-z0-9_$\-])")


def su(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-c,--command= --session-command= -f,--fast -g,--group= -G,--supp-group= -l,--login -m,-p,--preserve-environment -P,--pty"
        " -s,--shell= -w,--whitelist-environment= --help -V,--version"
    ).parse(argv)
    if options.has_flag(*INFORMATION_OPTIONS) is True:
        return
    users = [word for word in options.operands if word.text != "-"]
    name = users[0].display_text if users else "root"
    yield Escalate("su", name, context.origin)
    site = Site(context.site.machine, name, context.site.mounts)
    for code in options.values_of("--command", "--session-command"):
        yield Interpret("shell", code, context.origin, tuple(users[1:]), via=Carrier("su", "-c"), site=site)
    if not options.values:
        yield Interpret("shell", context.stdin, context.origin, via=Carrier("su"), site=site)


def sg(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`sg GROUP [-c] CODE` runs code as a member of another group."""
    if len(argv) > 2:
        yield Interpret("shell", argv[-1], context.origin, via=Carrier("sg"))


def _options_before_split(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the options before `-S TEXT`, with which the text's words are read, too."""
    for n, word in enumerate(argv):
        if (match := _SPLIT_OPTION(word.head)) is not None:
            return (*argv[1:n], *((known_word(match[1]),) if match[1] else ()))
    return ()


_SPLIT_OPTION = re.compile(r"(?:(-[i0v]+)|-)S|--s").match


def env(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-i,--ignore-environment -u,--unset= -P= -0,--null -C,--chdir= -S,--split-string= -v,--debug --block-signal=? --default-signal=?"
        " --ignore-signal=? --list-signal-handling --help --version"
    ).parse(argv, stop=True)
    rest = list(argv[options.rest :])
    clean = options.has_flag("--ignore-environment") is True
    if rest and rest[0].text == "-":
        clean, rest = True, rest[1:]
    gone = tuple((name.text, EMPTY) for name in options.values_of("--unset") if name.text)
    variables = gone + (yield from take_assignments(rest, context))
    split = options.value_of("--split-string")
    if split is not None:  # read as a shell would, too: people expect that of it
        yield Interpret("shell", join_arguments([split, *rest]), context.origin, via=Carrier("env", "-S"))
        if split.text is not None:
            words = split_string(split.text, lambda name: context.get_variable(name) or unknown_word(f"${name}"))
            yield from env((argv[0], *_options_before_split(argv), *words, *argv[options.rest :]), context)
    elif rest:
        sure = None if options.strange or options.open else True
        yield Run(
            tuple(rest), context.origin, Carrier("env"), None, options.value_of("--chdir"), env=variables, clean=clean, sure=sure
        )
    else:
        yield Operation("environment.print", context.origin)
        yield PrintedOutput(unknown_word("env", context.unknown_output("env").src))


def flock(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-c,--command= -e,-x,--exclusive -F,--no-fork -n,--nonblock -o,--close -s,--shared -u,--unlock -w,--timeout= -E= --verbose"
    ).parse(argv, stop=True)
    rest = argv[options.rest + 1 :]
    if rest and rest[0].text in ("-c", "--command") and len(rest) > 1:
        yield Interpret("shell", rest[1], context.origin, via=Carrier("flock", "-c"))
    elif rest:
        yield Run(tuple(rest), context.origin, Carrier("flock"))


def watch(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-b -c,--color -d,--differences=? -e,--errexit -g,--chgexit -n,--interval= -p -t,--no-title -w -x,--exec -q="
    ).parse(argv, stop=True)
    rest = list(argv[options.rest :])
    if options.has_flag("--exec") is True:
        yield Run(tuple(rest), context.origin, Carrier("watch"))
    elif rest:
        yield Interpret("shell", join_arguments(rest), context.origin, via=Carrier("watch"))
        if any(word.text is None or _SHELL_SPECIAL.search(word.text) for word in rest[1:]):
            yield Run(tuple(rest), context.origin, Carrier("watch"))  # procps joins the words; others run them unchanged


def busybox(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if len(argv) > 1 and argv[1].starts_with("-") is False:
        yield Run(argv[1:], context.origin, make_carrier(argv))


def chroot(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags("--groups= --userspec= --skip-chdir").parse(argv, stop=True)
    rest = argv[options.rest :]
    if len(rest) > 1:
        root = context.resolve_place(rest[0]).path or rest[0].display_text
        site = context.site if root == "/" else Site(f"chroot:{root}", "root", (("/", root),))
        yield Run(tuple(rest[1:]), context.origin, Carrier("chroot"), site, known_word("/"))


def unshare(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-m,--mount=? -u,--uts=? -i,--ipc=? -n,--net=? -p,--pid=? -U,--user=? -C,--cgroup=? -f,--fork -r,--map-root-user -c,--map-current-user"
        " --mount-proc=? --kill-child=? -R,--root= -w,--wd= -S,--setuid= -G,--setgid= --propagation= --setgroups= -t,--target= -a,--all -F,--no-fork"
    ).parse(argv, stop=True)
    rest = argv[options.rest :]
    if rest:
        yield Run(
            tuple(rest), context.origin, make_carrier(argv), cwd=options.value_of("--wd"), sure=None if options.strange else True
        )


def ssh(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Without a command, ssh starts a remote shell that reads standard input."""
    options = SSH.parse(argv, stop=True)
    rest = list(argv[options.rest :])
    later = SSH.parse(tuple(rest), stop=True)  # options may follow the host, too
    for option in (*options.values_of("-o"), *later.values_of("-o")):
        name, _, command = option.partition("=")
        if (name.text or "").strip().lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            yield Interpret("shell", command, context.origin, via=Carrier("ssh", f"-o {name.text}"))
    if rest and (options.value_of("-R") or later.value_of("-R")) is not None:
        yield Operation("network.expose", context.origin, rest[0])
    if not rest:
        return
    words = rest[later.rest :]
    is_closed = options.has_flag("-n") is True or later.has_flag("-n") is True
    reads = not is_closed and (not words or _READS_INPUT(join_arguments(words).outline) is not None)
    yield Connect(rest[0], context.origin, sends=context.stdin if reads else EMPTY)
    if words:
        yield Interpret(
            "shell", join_arguments(words), context.origin, via=Carrier("ssh"), site=Site(f"ssh:{rest[0].display_text}")
        )
        yield PrintedOutput(context.unknown_output(f"the output of {rest[0].display_text}"))
    else:
        yield Interpret("shell", context.stdin, context.origin, via=Carrier("ssh"), site=Site(f"ssh:{rest[0].display_text}"))


_READS_INPUT = re.compile(
    r"(?:^|[;&|({\s])(?:cat|tee|tar|dd|sh|bash|zsh|python3?|perl|ruby|node|psql|mysql|mariadb|mongosh|redis-cli|xargs|read|gzip|gunzip|zstd|openssl"
    r"|docker|podman|kubectl|sudo|su|nc|head|tail|grep|sed|awk|sort|base64|sha256sum|rsync|git-receive-pack)\b|-(?:\s|$)|[^\x00-\x7f]"
).search
"""Matches a remote command that may read standard input; a loop over hosts gives each command the rest of the list."""

SSH = Flags(
    "-4 -6 -A -a -B= -b= -C -c= -D= -E=write -e= -F=read -f -G -g -I= -i= -J= -K -k -L= -l= -M -m= -N -n -O= -o= -P= -p= -Q= -q -R= -S= -s -T -t"
    " -V -v -W= -w= -X -x -Y -y"
)


_TIMER_OPTIONS = (
    "--on-calendar",
    "--on-boot",
    "--on-startup",
    "--on-unit-active",
    "--on-unit-inactive",
    "--timer-property",
)


def systemd_run(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """systemd-run runs a command as a unit, perhaps in another folder."""
    options = SYSTEMD_RUN.parse(argv, stop=True)
    if next(options.values_of(*_TIMER_OPTIONS), None) is not None:
        yield Operation("schedule.change", context.origin)
    folders = [
        word.partition("=")[2] for word in options.values_of("--property") if word.starts_with("WorkingDirectory=") is True
    ]
    if rest := argv[options.rest :]:
        folder = next(iter((*options.values_of("--working-directory"), *folders)), None)
        yield Run(
            tuple(rest),
            context.origin,
            Carrier("systemd-run"),
            cwd=folder,
            sure=None if options.strange or options.open else True,
        )


SYSTEMD_RUN = Flags(
    "--user --system --scope -u,--unit= -p,--property= --description= --slice= -r --send-sighup --service-type= --uid= --gid= --nice="
    " --working-directory= -E,--setenv= -t,--pty -P,--pipe -S -q --on-active= --on-boot= --on-startup= --on-calendar= --on-unit-active= --on-unit-inactive= --timer-property= -d,--same-dir -G --wait --no-block --help --version"
)


def capsh(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """capsh passes the words after `--` or `==` to bash."""
    for n, word in enumerate(argv):
        if word.text in ("--", "=="):
            yield Run((known_word("bash"), *argv[n + 1 :]), context.origin, Carrier("capsh"))
            return


def tracer(spec: str) -> Program:
    """A tracer starts a command, or attaches to the processes of `-p`."""
    carries = _simple_carrier(spec)

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        for process in carries.flags.parse(argv, stop=True).values_of("-p"):
            yield Operation("process.attach", context.origin, process)
        yield from carries.effects_of_call(argv, context)

    return Program(carries.flags, does=report_effects)


def _simple_carrier(spec: str, operands: str = "command") -> Program:
    return Program(Flags(spec + " --help --version"), operands)


ROWS: dict[str, Program] = {
    "sudo": Program(does=sudo),
    "sudoedit": Program(operands="touch*"),
    "doas": Program(Flags("-a= -C= -L -n -s -u,--user= --help"), "command", user="root"),
    "pkexec": Program(Flags("-u,--user= --disable-internal-agent --keep-cwd --help --version"), "command", user="root"),
    "run0": Program(
        Flags("-u,--user= -g,--group= -D,--chdir= --unit= --property= --slice= --setenv= --help --version"),
        "command",
        user="root",
    ),
    "su": Program(does=su),
    "sg": Program(does=sg),
    "runuser": Program(does=su),
    "env": Program(does=env),
    "printenv": Program(operation="environment.print"),
    "nice": _simple_carrier("-n,--adjustment="),
    "ionice": _simple_carrier("-c,--class= -n,--classdata= -t,--ignore -p,--pid="),
    "chrt": _simple_carrier("-b -f -i -o -r -R -T= -P= -D= -a -m -v -p", "data command"),
    "taskset": _simple_carrier("-a,--all-tasks -c,--cpu-list -p,--pid", "data command"),
    "nohup": _simple_carrier(""),
    "xcrun": _simple_carrier(
        "-sdk= --sdk= -toolchain= --toolchain= -f,-find,--find -r,-run,--run -n,--no-cache -k,--kill-cache -v,--verbose -l,--log"
    ),
    "timeout": _simple_carrier("-f,--foreground -k,--kill-after= -p,--preserve-status -s,--signal= -v,--verbose", "data command"),
    "stdbuf": _simple_carrier("-i,--input= -o,--output= -e,--error="),
    "setsid": _simple_carrier("-c,--ctty -f,--fork -w,--wait"),
    # zsh knows the word `time` everywhere, bash only where a pipeline begins: `| time x=1 cmd`
    "time": _simple_carrier(
        "-a,--append -f,--format= -o,--output=write -p,--portability -q,--quiet -v,--verbose", "assignments* command"
    ),
    "strace": tracer(
        "-f -ff -F -e= -o=write -p= -s= -t -tt -ttt -T -v -c -C -y -yy -q -qq -x -xx -k -u= -E= -P= -O= -S= -a= -I= -b= -X= -D -Z -z"
    ),
    "ltrace": tracer("-f -e= -o=write -p= -s= -S -t -T -c -C -n= -u= -a= -A= -D= -l= -x= -i -r"),
    "catchsegv": _simple_carrier(""),
    "unbuffer": _simple_carrier("-p"),
    "caffeinate": _simple_carrier("-d -i -m -s -u -t= -w="),
    "xvfb-run": _simple_carrier("-a,--auto-servernum -e= -f= -n,--server-num= -l -p= -s,--server-args= -w="),
    "dbus-run-session": _simple_carrier("--config-file= --dbus-daemon="),
    "fakeroot": _simple_carrier("-l= -f= -u -i= -s= -b="),
    "systemd-run": Program(does=systemd_run),
    "capsh": Program(does=capsh),
    "flock": Program(does=flock),
    "watch": Program(does=watch),
    "busybox": combine_programs(server_mode("httpd", "-h"), Program(does=busybox)),
    "toybox": Program(does=busybox),
    "chroot": Program(does=chroot),
    "unshare": Program(does=unshare),
    "nsenter": Program(does=unshare),
    "ssh": Program(does=ssh),
}
