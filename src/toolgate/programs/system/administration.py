"""Administration of the machine: accounts, firewall, kernel, mounts."""

from collections.abc import Iterator

from toolgate.model.effect import Mount, Operation, Permission, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name

from .processes import verb_before_service

SYSTEM_MOUNTS = frozenset(
    (
        "/",
        "/etc",
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/boot",
        "/var",
        "/home",
        "/root",
        "/opt",
        "/proc",
        "/sys",
        "/dev",
        "/Users",
        "/System",
        "/Library",
    )
)
_INFORMATION_OPTIONS = frozenset(("--help", "-h", "--version", "-V", "-?"))


def changing_program(operation: str, *silent: str, only: tuple[str, ...] = (), needs: bool = False) -> Program:
    """A program that changes something on every call. `silent`: words with which it only informs; `only`: words of which one is
    needed for a change; `needs`: it does nothing without an operand."""
    tells = _INFORMATION_OPTIONS | frozenset(silent)

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        texts = [word.text or "" for word in argv[1:]]
        names = {text.partition("=")[0] for text in texts}
        operands = [word for word in argv[1:] if word.starts_with("-") is not True]
        if names.isdisjoint(tells) and (not only or not names.isdisjoint(only)) and (operands or not needs):
            yield Operation(operation, context.origin, join_words(argv[1:]) if argv[1:] else known_word(program_name(argv)))
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


# ---- kernel


def sysctl(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-a,--all -A -X -b,--binary -N,--names -n,--values -e,--ignore -q,--quiet -r,--pattern= -w,--write -p,--load=? -f --system --dry-run -d -h,--help -V,--version"
    ).parse(argv)
    assigned = [word for word in options.operands if word.contains("=") is True]
    if options.has_flag("--help", "--dry-run") is not True and (
        assigned or options.has_flag("--write", "--load", "-f", "--system") is True
    ):
        yield Operation("kernel.change", context.origin, join_words(assigned or options.operands or [known_word("its settings")]))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def setcap(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`setcap CAPABILITIES FILE ...`, in pairs; `-r FILE` removes them."""
    options = Flags("-q -v -n= -r -f -h,--help").parse(argv)
    if options.has_flag("-r", "-v", "--help") is not True:
        for mode, file in zip(options.operands[::2], options.operands[1::2], strict=False):
            yield Permission(context.resolve_place(file), mode, False, context.origin)


# ---- mounts


def mount(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    parsed_options = Flags(
        "-a,--all -B,--bind -M,--move -R,--rbind -t,--types= -o,--options= -O= -r,--read-only -w,--rw -v,--verbose -n -f,--fake -l -L= -U= -F -i -s -T= --make-private"
        " --make-rprivate --make-shared --make-slave --source= --target= --mkdir=? -h,--help -V,--version"
    ).parse(argv)
    target = parsed_options.value_of("--target") or (parsed_options.operands[-1] if parsed_options.operands else None)
    source = parsed_options.value_of("--source") or (parsed_options.operands[0] if len(parsed_options.operands) > 1 else None)
    options = tuple(parsed_options.values_of("--options"))
    if (
        target is not None
        and parsed_options.has_flag("--help", "--fake") is not True
        and (source is not None or any(word.contains("remount") is True for word in options))
    ):
        binds = parsed_options.has_flag("--bind", "--rbind", "--move") is not False or any(
            word.contains("bind") is not False for word in options
        )
        yield Operation(
            "disk.mount",
            context.origin,
            target,
            (("system", context.resolve_place(target).path in (*SYSTEM_MOUNTS, context.home)), ("takes_away", False)),
        )
        yield Mount(
            context.resolve_place(target), context.origin, context.resolve_place(source) if binds and source is not None else None
        )
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def mount_fuse(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """sshfs, bindfs and similar: `PROGRAM SOURCE TARGET [-o OPTIONS]`."""
    options = _FUSE_OPTIONS.parse(argv)
    if options.operands and options.has_flag("--help", "--version") is not True:
        yield Mount(context.resolve_place(options.operands[-1]), context.origin)


def fusermount(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """fusermount -u."""
    for word in _FUSERMOUNT_OPTIONS.parse(argv).values_of("-u"):
        yield Mount(context.resolve_place(word), context.origin)


_FUSE_PROGRAMS = "sshfs bindfs unionfs unionfs-fuse mergerfs gocryptfs encfs rofs archivemount fuse-overlayfs"
_FUSE_OPTIONS = Flags("-o= -p= -F= -r -f -d -s -C -h,--help -V,--version -u= -g= -m,--map= --mirror= --perms= -a")
_FUSERMOUNT_OPTIONS = Flags("-u= -q -z -o= -V,--version -h,--help")


def unmount(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """umount, swapoff."""
    options = Flags(
        "-a,--all -A,--all-targets -c -d -f,--force -i -l,--lazy -n -O= -R,--recursive -r -t,--types= -v,--verbose -q -L= -U= --fake -h,--help -V,--version"
    ).parse(argv)
    if options.has_flag("--help", "--fake") is True:
        return
    for word in options.operands:
        yield Operation(
            "disk.mount",
            context.origin,
            word,
            (("system", context.resolve_place(word).path in SYSTEM_MOUNTS), ("takes_away", True)),
        )
        yield Mount(context.resolve_place(word), context.origin)
    if options.has_flag("--all") is True:
        yield Operation("disk.mount", context.origin, known_word("everything"), (("system", True), ("takes_away", True)))


_ACCOUNTS = (
    "useradd",
    "adduser",
    "usermod",
    "userdel",
    "deluser",
    "groupadd",
    "addgroup",
    "groupdel",
    "delgroup",
    "groupmod",
    "gpasswd",
    "chpasswd",
    "vipw",
    "vigr",
    "newusers",
    "chfn",
)
_FIREWALL_RULE_OPTIONS = (
    "-A",
    "--append",
    "-I",
    "--insert",
    "-D",
    "--delete",
    "-R",
    "--replace",
    "-F",
    "--flush",
    "-X",
    "--delete-chain",
    "-P",
    "--policy",
)
_FIREWALLD = (
    "--panic-on", "--set-default-zone", "--add-service", "--remove-service", "--add-port", "--remove-port", "--add-rich-rule", "--remove-rich-rule", "--add-source",
    "--remove-source", "--add-interface", "--remove-interface", "--delete-zone", "--new-zone", "--set-target", "--complete-reload", "--reset-to-defaults",
)  # fmt: skip
_MODPROBE_READ_OPTIONS = ("-n", "--dry-run", "--show", "-c", "--showconfig", "-D", "--show-depends", "--dump-modversions", "-l")
_NET_ACCOUNTS = changing_program(
    "account.change", only=("/add", "/delete", "/del", "/active:no", "/active:yes", "/ADD", "/DELETE")
)
_NET_SERVICES = verb_before_service()


def net(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Windows' `net user ..` and `net localgroup ..` change accounts; `net stop` stops a service."""
    if len(argv) > 2 and (argv[1].text or "").lower() in ("stop", "pause"):
        yield from _NET_SERVICES.effects_of_call((argv[0], known_word("stop"), *argv[2:]), context)
    elif [word.text for word in argv[1:3]] in (["usershare", "add"], ["share", "add"]):
        yield Operation("network.expose", context.origin, known_word("a share for the network"))
    else:
        yield from _NET_ACCOUNTS.effects_of_call(argv, context)


ROWS: dict[str, Program] = {
    **dict.fromkeys(_ACCOUNTS, changing_program("account.change", "-D", "--defaults")),
    "passwd": changing_program("account.change", "-S", "--status", "-Sa"),
    "chage": changing_program("account.change", "-l", "--list", needs=True),
    "visudo": changing_program("account.change", "-c", "-cf", "-cqf", "-qcf", "--check", "-x"),
    "chsh": changing_program("account.change", "-l", "--list-shells"),
    **dict.fromkeys(("net", "net.exe", "net1"), Program(does=net)),
    "dscl": changing_program(
        "account.change",
        only=("-create", "-delete", "-append", "-passwd", "-change", "-merge", "create", "delete", "passwd", "append"),
    ),
    "sysadminctl": changing_program("account.change", only=("-addUser", "-deleteUser", "-resetPasswordFor", "-newPassword")),
    **dict.fromkeys(
        ("iptables", "ip6tables", "iptables-legacy", "iptables-nft", "ebtables", "arptables"),
        changing_program("firewall.change", "-L", "-S", "-C", only=_FIREWALL_RULE_OPTIONS),
    ),
    **dict.fromkeys(("iptables-restore", "ip6tables-restore"), changing_program("firewall.change", "-t", "--test")),
    "nft": changing_program(
        "firewall.change",
        "-c",
        "--check",
        only=("flush", "delete", "destroy", "reset", "add", "insert", "replace", "-f", "--file"),
    ),
    "ufw": changing_program("firewall.change", "status", "show", "version", "app", "--dry-run", needs=True),
    "firewall-cmd": changing_program("firewall.change", only=_FIREWALLD),
    "pfctl": changing_program("firewall.change", "-n", "-s", "-sr", "-sa", only=("-d", "-F", "-f", "-e", "-Fa", "-k")),
    "setenforce": changing_program("firewall.change", "1", "Enforcing", needs=True),
    **dict.fromkeys(("aa-teardown", "aa-disable"), changing_program("firewall.change")),
    "aa-complain": changing_program("firewall.change", needs=True),
    "netsh": changing_program("firewall.change", "show", only=("advfirewall", "firewall", "portproxy")),
    "csrutil": changing_program("firewall.change", only=("disable", "clear", "authenticated-root")),
    "spctl": changing_program("firewall.change", only=("--master-disable", "--global-disable", "--disable")),
    "setcap": Program(does=setcap, silent=True),
    "sysctl": Program(does=sysctl),
    "insmod": changing_program("kernel.change", needs=True),
    "modprobe": changing_program("kernel.change", *_MODPROBE_READ_OPTIONS, needs=True),
    "rmmod": changing_program("kernel.change", needs=True),
    "kexec": changing_program("kernel.change"),
    "mount": Program(does=mount),
    **dict.fromkeys(("umount", "swapoff"), Program(does=unmount, silent=True)),
    **dict.fromkeys(_FUSE_PROGRAMS.split(), Program(does=mount_fuse, silent=True)),
    **dict.fromkeys(("fusermount", "fusermount3"), Program(does=fusermount, silent=True)),
}
