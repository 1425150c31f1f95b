"""Processes, services and power: commands that end, stop or turn off something."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Maybe, Word, join_words, known_word, maybe_any
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, program_name
from toolgate.temporary_folders import leads_into_temporary_folder

# ---- processes

_SIGNAL = re.compile(r"-(?:(?:SIG)?[A-Z][A-Z0-9+-]+|[0-9]+)\Z")
_EVERY_NAME = re.compile(r"[.^$*()?|+\[\]a-zA-Z-]?[.*+?^$]*\Z")
SESSION_PROCESSES = frozenset(
    "sshd systemd systemd-logind init launchd login loginwindow WindowServer Xorg Xwayland gnome-shell gnome-session"
    " plasmashell kwin_x11 kwin_wayland gdm gdm3 lightdm sddm dbus-daemon NetworkManager SystemUIServer Finder dockerd"
    " containerd kubelet explorer.exe csrss.exe winlogon.exe lsass.exe".split()
)
"""Processes that a machine or a login depends on: ending one ends everything in it."""


def kill(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    words = list(argv[1:])
    if any(word.text in ("-l", "-L", "--list", "--help", "-0") for word in words[:1]):
        return
    if words and words[0].text in ("-s", "-n", "--signal"):
        words = words[2:]
    elif len(words) > 1 and words[0].starts_with("-") is True and words[0].text != "--":
        words.pop(0)
    for word in words:
        if word.text != "--":
            yield Operation("process.kill", context.origin, word, (("everything", _is_every_number(word)), ("by_name", False)))


_ANY_NUMBER = re.compile(r"(?:/proc/)?\[(?:0-9|1-9|\[:digit:\])\][*0-9\[\]-]*")


def _is_every_number(word: Word) -> Maybe:
    """`-1` means every process, and so does a glob of all numbers in /proc, or a range of them."""
    every = word.text is None and _ANY_NUMBER.fullmatch(word.pattern) is not None
    return True if every else word.is_any_of("-1", "1")


def kill_by_name(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    words = [word for word in argv[1:] if word.text is None or not _SIGNAL.match(word.text)]
    if any(word.text in ("-0", "-l", "--list", "-q", "--help", "--version", "-V") for word in argv[1:]) or "-SIG0" in [
        word.text for word in argv
    ]:
        return
    options = KILL_BY_NAME.parse((argv[0], *words))
    user = options.value_of("--euid", "--uid")
    for word in options.operands:
        everything: Maybe = _is_every_name(word.text) or word.text in SESSION_PROCESSES or options.has_flag("--inverse") is True
        yield Operation("process.kill", context.origin, word, (("everything", everything), ("by_name", True)))
    if not options.operands and any(word.text == "1" for word in options.values_of("--parent")):
        yield Operation(
            "process.kill", context.origin, known_word("all that init has started"), (("everything", True), ("by_name", True))
        )
    if not options.operands and (user is not None or options.value_of("--terminal") is not None):
        target = user or known_word("a terminal")
        yield Operation("process.kill", context.origin, known_word("user ") + target, (("everything", True), ("by_name", True)))


def _is_every_name(text: str | None) -> bool:
    return text is not None and (len(text) < 2 or set(text) <= set(".*^$+?")) and _EVERY_NAME.match(text) is not None


def killall5(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if not any(word.text in ("--help", "-V", "--version") for word in argv[1:]):
        yield Operation("process.kill", context.origin, known_word("all"), (("everything", True), ("by_name", False)))


_STRESS = Flags(
    "-c,--cpu= -i,--io= -m,--vm= -d,--hdd= --vm-bytes= --vm-hang= --hdd-bytes= -t,--timeout= -v,--verbose -q,--quiet -n,--dry-run --version -V,--versions"
    " --help --metrics --metrics-brief --class= --sequential= -a,--all= --aggressive --maximize --matrix= --fork= --temp-path="
)
_NO_END = re.compile(r"0+[smhdy]?")
_HEAVY_SHARE = 80  # percent of the memory


def stress_machine(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """stress, stress-ng: a load without an end, or one that takes most of the memory."""
    options = _STRESS.parse(argv)
    if options.has_flag("--help", "--version", "--versions", "--dry-run") is True:
        return
    ends = options.value_of("--timeout")
    share = (options.value_of("--vm-bytes") or EMPTY).text or ""
    takes_most = share.endswith("%") and share[:-1].isdigit() and int(share[:-1]) > _HEAVY_SHARE
    if len(argv) > 1 and (ends is None or _NO_END.fullmatch(ends.text or "") or takes_most):
        yield Operation("memory.fill", context.origin)


def fuser(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-a -c,-m,--mount -f -i,--interactive -I -k,--kill -l,--list-signals -M,--ismountpoint -n,--namespace= -s,--silent -u,--user -v,--verbose -w -4 -6 -V,--version -9 -TERM -KILL -HUP --help"
    ).parse(argv)
    if options.has_flag("--kill") is True:
        for word in options.operands:
            yield Operation(
                "process.kill", context.origin, word, (("everything", options.has_flag("--mount")), ("by_name", False))
            )
    yield PrintedOutput(context.unknown_output(program_name(argv)))


KILL_BY_NAME = Flags(
    "-f,--full -s,--signal= -u,--euid= -U,--uid= -g,--pgroup= -G,--group= -P,--parent= -t,--terminal= -x,-e,--exact -i,-I,--ignore-case -o,--oldest,--older-than"
    " -n,--newest -v,--inverse -w,--wait -y,--younger-than= -r,--regexp -c,--count -F,--pidfile= -L --ns= --nslist= -Z,--context= -d -m -z --user= --process-group"
)

# ---- power

POWER_VERBS = frozenset(
    (
        "poweroff",
        "reboot",
        "halt",
        "kexec",
        "suspend",
        "hibernate",
        "hybrid-sleep",
        "suspend-then-hibernate",
        "soft-reboot",
        "rescue",
        "emergency",
        "exit",
    )
)


def power_off(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if not any(word.text in ("-c", "--help", "--show", "-k", "-w", "--wtmp-only", "--version", "/a", "/?") for word in argv[1:]):
        yield Operation("power.off", context.origin, known_word(program_name(argv)))


def init(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    for word in argv[1:]:
        if word.is_any_of("0", "6", "1", "s", "S", "u") is not False and word.starts_with("-") is False:
            yield Operation("power.off", context.origin, known_word(f"{program_name(argv)} ") + word)


# ---- services

STOP_VERBS = (
    "stop",
    "kill",
    "isolate",
    "bootout",
    "unload",
    "remove",
    "halt",
    "down",
    "force-stop",
    "delete",
    "zap",
    "shutdown",
    "unlink",
)
DISABLE_VERBS = ("disable", "mask", "set-default", "revert", "unenable", "del", "uninstall")
RESTART_VERBS = (
    "restart",
    "try-restart",
    "reload-or-restart",
    "condrestart",
    "force-restart",
    "kickstart",
    "try-reload-or-restart",
    "reexec",
    "daemon-reexec",
)
SERVICE_OPTIONS = Flags(
    "--user --system --global -H,--host= -M,--machine= -t,--type= --state= -p,--property= -a,--all -f,--force -n,--lines= -o,--output= --now --no-pager -q,--quiet"
    " --no-block --runtime --root= --signal= -s,--signal= --failed -l,--full --no-legend --plain --kill-who= --kill-whom= --kill-value= --job-mode= --no-wall --message="
    " --no-reload --no-ask-password --dry-run --stdin --drop-in= -h,--help --version --status-all --wait -T,--show-transaction -r,--recursive -i --check-inhibitors= --when="
)


_UNIT_FOLDERS = ("/usr/lib/systemd/", "/lib/systemd/", "/etc/systemd/")
"""Folders of the units that packages install, or that only root can write."""


def systemctl(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """systemctl: the verb, then the units."""
    options = SERVICE_OPTIONS.parse(argv)
    if options.has_flag("--help", "--version", "--dry-run") is not True and options.operands:
        action = options.operands[0]
        if action.text in POWER_VERBS or (
            action.text == "isolate" and any((w.text or "").partition(".")[0] in POWER_VERBS for w in options.operands[1:])
        ):
            yield Operation("power.off", context.origin, known_word("systemctl ") + action)
        else:
            yield from _control_service(action, options.operands[1:], options, context)
            if action.text in ("enable", "reenable", "link"):
                for unit in options.operands[1:]:
                    if unit.contains("/") is True and not any(unit.starts_with(folder) is True for folder in _UNIT_FOLDERS):
                        yield Operation("schedule.change", context.origin, unit)
            if action.text == "edit":
                folder = "~/.config/systemd/user" if options.has_flag("--user") is True else "/etc/systemd/system"
                for unit in options.operands[1:]:
                    file = known_word(context.home + folder[1:] if folder.startswith("~") else folder) + known_word("/") + unit
                    yield Write(context.resolve_place(file), context.stdin, None, context.origin)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def _control_service(
    action: Word, targets: list[Word], options: ParsedOptions, context: ExecutionContext, *, user: Maybe = None
) -> Iterator[ReportedEffect]:
    yield Operation(
        "service.control",
        context.origin,
        join_words(targets) if targets else None,
        (
            ("stop", action.is_any_of(*STOP_VERBS)),
            ("disable", action.is_any_of(*DISABLE_VERBS)),
            ("restart", action.is_any_of(*RESTART_VERBS)),
            ("user", options.has_flag("--user") if user is None else user),
        ),
    )


def service_before_verb(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """service, rc-service, invoke-rc.d: the service, then the verb."""
    options = SERVICE_OPTIONS.parse(argv)
    if len(options.operands) > 1 and options.has_flag("--help", "--version", "--status-all") is not True:
        yield from _control_service(options.operands[1], [options.operands[0]], options, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def verb_before_service(*skipped: str, user: Maybe = None) -> Program:
    """`sc stop x`, `rc-update del x`, `brew services stop x` after `services`."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = SERVICE_OPTIONS.parse(argv)
        words = [word for word in options.operands if word.text not in skipped]
        if words and options.has_flag("--help", "--version") is not True:
            yield from _control_service(words[0], words[1:], options, context, user=user)
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


def launchctl(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags("-w -F -S= -D= -k -p -s --help").parse(argv)
    if options.operands:
        targets = options.operands[1:]
        if options.operands[0].text in ("load", "bootstrap", "submit"):
            yield Operation("schedule.change", context.origin, join_words(targets) if targets else None)
        if options.operands[0].text in ("bootout", "kill") and any(_SESSION.fullmatch(word.outline) for word in targets):
            yield Operation("process.kill", context.origin, targets[0], (("everything", True), ("by_name", False)))
        own = (
            maybe_any(word.contains(mark) for word in targets for mark in ("gui/", "user/", "~/", "/Users/", context.home))
            is True
        )
        yield from _control_service(options.operands[0], targets, options, context, user=own)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


_SESSION = re.compile(r"(?:gui|user|login)/[^/]+/?")
"""A whole session of launchd (`gui/501`), and no service in it (`gui/501/com.acme.agent`)."""


def loginctl(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = SERVICE_OPTIONS.parse(argv)
    verb = options.operands[0].text if options.operands else None
    if verb == "enable-linger":
        yield Operation("schedule.change", context.origin, known_word("loginctl enable-linger"))
    if verb in POWER_VERBS:
        yield Operation("power.off", context.origin, known_word("loginctl ") + options.operands[0])
    elif verb in ("terminate-session", "terminate-user", "terminate-seat", "kill-session", "kill-user"):
        yield Operation(
            "process.kill", context.origin, join_words(options.operands[1:]), (("everything", True), ("by_name", False))
        )
    yield PrintedOutput(context.unknown_output(program_name(argv)))


_KILL_BY_NAME = Program(does=kill_by_name, silent=True)
_INIT = Program(does=init, silent=True)


def pm2(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """pm2: ending all of its processes at once, or itself."""
    words = [word.text or "" for word in argv[1:]]
    ends_all = words[:1] == ["kill"] or (words[:1] in (["delete"], ["del"], ["stop"]) and "all" in words[1:2])
    homes = context.get_variables("PM2_HOME")  # every home has processes of its own
    if ends_all and not any(map(leads_into_temporary_folder, homes)):
        yield Operation("process.kill", context.origin, known_word("all of pm2's"), (("everything", True), ("by_name", False)))
    yield PrintedOutput(context.unknown_output("pm2"))


def rtcwake(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """rtcwake suspends the machine until a time."""
    options = Flags("-m,--mode= -s,--seconds= -t,--time= -d,--device= -a -l -u -v -n,--dry-run -h,--help -V,--version").parse(
        argv
    )
    mode = options.value_of("--mode")
    if options.has_flag("--dry-run", "--help", "--version") is not True and (
        mode is None or mode.text not in ("no", "show", "on", "disable")
    ):
        yield Operation("power.off", context.origin, known_word("rtcwake"))


ROWS: dict[str, Program] = {
    "kill": Program(does=kill, silent=True),
    "pm2": Program(does=pm2),
    "rtcwake": Program(does=rtcwake),
    **dict.fromkeys(("pkill", "killall", "skill"), _KILL_BY_NAME),
    **dict.fromkeys(("stress", "stress-ng"), Program(does=stress_machine, silent=True)),
    "killall5": Program(does=killall5, silent=True),
    "fuser": Program(does=fuser),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff", "pm-suspend", "pm-hibernate"), Program(does=power_off)),
    **dict.fromkeys(("init", "telinit"), _INIT),
    "systemctl": Program(does=systemctl),
    **dict.fromkeys(("service", "rc-service", "invoke-rc.d", "update-rc.d", "chkconfig"), Program(does=service_before_verb)),
    **dict.fromkeys(
        ("initctl", "sc", "sc.exe", "rc-update", "sv", "s6-svc", "supervisorctl", "monit"),
        verb_before_service("default", "boot", "sysinit"),
    ),
    "launchctl": Program(does=launchctl),
    "loginctl": Program(does=loginctl),
}
