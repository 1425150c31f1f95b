"""Administration of the machine: accounts, firewall, kernel, mounts."""

from collections.abc import Iterator

from toolgate.model.effect import Mount, Operation, Permission, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .options import Flags
from .processes import verb_first
from .program import Program, via

SYSTEM = frozenset(
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
_TELLS = frozenset(("--help", "-h", "--version", "-V", "-?"))


def changes(operation: str, *silent: str, only: tuple[str, ...] = (), needs: bool = False) -> Program:
    """A program that changes something on every call. `silent`: words with which it only informs; `only`: words of which one is
    needed for a change; `needs`: it does nothing without an operand."""
    tells = _TELLS | frozenset(silent)

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        texts = [word.text or "" for word in argv[1:]]
        names = {text.partition("=")[0] for text in texts}
        operands = [word for word in argv[1:] if word.starts("-") is not True]
        if names.isdisjoint(tells) and (not only or not names.isdisjoint(only)) and (operands or not needs):
            yield Operation(operation, seen.origin, joined(argv[1:]) if argv[1:] else known(via(argv)))
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


# ---- kernel


def sysctl(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-a,--all -A -X -b,--binary -N,--names -n,--values -e,--ignore -q,--quiet -r,--pattern= -w,--write -p,--load=? -f --system --dry-run -d -h,--help -V,--version"
    ).read(argv)
    assigned = [word for word in given.operands if word.contains("=") is True]
    if given.flag("--help", "--dry-run") is not True and (assigned or given.flag("--write", "--load", "-f", "--system") is True):
        yield Operation("kernel.change", seen.origin, joined(assigned or given.operands or [known("its settings")]))
    yield Prints(seen.output(via(argv)))


def set_capabilities(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`setcap CAPABILITIES FILE ...`, in pairs; `-r FILE` removes them."""
    given = Flags("-q -v -n= -r -f -h,--help").read(argv)
    if given.flag("-r", "-v", "--help") is False:
        for mode, file in zip(given.operands[::2], given.operands[1::2], strict=False):
            yield Permission(seen.place(file), mode, False, seen.origin)


# ---- mounts


def mount(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-a,--all -B,--bind -M,--move -R,--rbind -t,--types= -o,--options= -O= -r,--read-only -w,--rw -v,--verbose -n -f,--fake -l -L= -U= -F -i -s -T= --make-private"
        " --make-rprivate --make-shared --make-slave --source= --target= --mkdir=? -h,--help -V,--version"
    ).read(argv)
    target = given.value("--target") or (given.operands[-1] if given.operands else None)
    source = given.value("--source") or (given.operands[0] if len(given.operands) > 1 else None)
    options = tuple(given.all("--options"))
    if (
        target is not None
        and given.flag("--help", "--fake") is not True
        and (source is not None or any(word.contains("remount") is True for word in options))
    ):
        binds = given.flag("--bind", "--rbind", "--move") is not False or any(
            word.contains("bind") is not False for word in options
        )
        yield Operation(
            "disk.mount",
            seen.origin,
            target,
            (("system", seen.place(target).path in (*SYSTEM, seen.home)), ("takes_away", False)),
        )
        yield Mount(seen.place(target), seen.origin, seen.place(source) if binds and source is not None else None)
    yield Prints(seen.output(via(argv)))


def mount_by_users(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """sshfs, bindfs and similar: `PROGRAM SOURCE TARGET [-o OPTIONS]`."""
    given = _USERS.read(argv)
    if given.operands and given.flag("--help", "--version") is not True:
        yield Mount(seen.place(given.operands[-1]), seen.origin)


def unmount_by_users(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """fusermount -u."""
    for word in _USERS_AWAY.read(argv).all("-u"):
        yield Mount(seen.place(word), seen.origin)


_FUSE = "sshfs bindfs unionfs unionfs-fuse mergerfs gocryptfs encfs rofs archivemount fuse-overlayfs"
_USERS = Flags("-o= -p= -F= -r -f -d -s -C -h,--help -V,--version -u= -g= -m,--map= --mirror= --perms= -a")
_USERS_AWAY = Flags("-u= -q -z -o= -V,--version -h,--help")


def unmount(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """umount, swapoff."""
    given = Flags(
        "-a,--all -A,--all-targets -c -d -f,--force -i -l,--lazy -n -O= -R,--recursive -r -t,--types= -v,--verbose -q -L= -U= --fake -h,--help -V,--version"
    ).read(argv)
    if given.flag("--help", "--fake") is True:
        return
    for word in given.operands:
        yield Operation("disk.mount", seen.origin, word, (("system", seen.place(word).path in SYSTEM), ("takes_away", True)))
        yield Mount(seen.place(word), seen.origin)
    if given.flag("--all") is True:
        yield Operation("disk.mount", seen.origin, known("everything"), (("system", True), ("takes_away", True)))


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
_RULES = (
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
_MODPROBE_LOOKS = ("-n", "--dry-run", "--show", "-c", "--showconfig", "-D", "--show-depends", "--dump-modversions", "-l")
_NET_ACCOUNTS = changes("account.change", only=("/add", "/delete", "/del", "/active:no", "/active:yes", "/ADD", "/DELETE"))
_NET_SERVICES = verb_first()


def net(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Windows' `net user ..` and `net localgroup ..` change accounts; `net stop` stops a service."""
    if len(argv) > 2 and (argv[1].text or "").lower() in ("stop", "pause"):
        yield from _NET_SERVICES.effects((argv[0], known("stop"), *argv[2:]), seen)
    else:
        yield from _NET_ACCOUNTS.effects(argv, seen)


ROWS: dict[str, Program] = {
    **dict.fromkeys(_ACCOUNTS, changes("account.change", "-D", "--defaults")),
    "passwd": changes("account.change", "-S", "--status", "-Sa"),
    "chage": changes("account.change", "-l", "--list", needs=True),
    "visudo": changes("account.change", "-c", "--check", "-x"),
    "chsh": changes("account.change", "-l", "--list-shells"),
    **dict.fromkeys(("net", "net.exe", "net1"), Program(does=net)),
    "dscl": changes(
        "account.change",
        only=("-create", "-delete", "-append", "-passwd", "-change", "-merge", "create", "delete", "passwd", "append"),
    ),
    "sysadminctl": changes("account.change", only=("-addUser", "-deleteUser", "-resetPasswordFor", "-newPassword")),
    **dict.fromkeys(
        ("iptables", "ip6tables", "iptables-legacy", "iptables-nft", "ebtables", "arptables"),
        changes("firewall.change", "-L", "-S", "-C", only=_RULES),
    ),
    **dict.fromkeys(("iptables-restore", "ip6tables-restore"), changes("firewall.change", "-t", "--test")),
    "nft": changes(
        "firewall.change",
        "-c",
        "--check",
        only=("flush", "delete", "destroy", "reset", "add", "insert", "replace", "-f", "--file"),
    ),
    "ufw": changes("firewall.change", "status", "show", "version", "app", "--dry-run", needs=True),
    "firewall-cmd": changes("firewall.change", only=_FIREWALLD),
    "pfctl": changes("firewall.change", "-n", "-s", "-sr", "-sa", only=("-d", "-F", "-f", "-e", "-Fa", "-k")),
    "setenforce": changes("firewall.change", "1", "Enforcing", needs=True),
    **dict.fromkeys(("aa-teardown", "aa-disable"), changes("firewall.change")),
    "aa-complain": changes("firewall.change", needs=True),
    "netsh": changes("firewall.change", "show", only=("advfirewall", "firewall", "portproxy")),
    "csrutil": changes("firewall.change", only=("disable", "clear", "authenticated-root")),
    "spctl": changes("firewall.change", only=("--master-disable", "--global-disable", "--disable")),
    "setcap": Program(does=set_capabilities, silent=True),
    "sysctl": Program(does=sysctl),
    "insmod": changes("kernel.change", needs=True),
    "modprobe": changes("kernel.change", *_MODPROBE_LOOKS, needs=True),
    "rmmod": changes("kernel.change", needs=True),
    "kexec": changes("kernel.change"),
    "mount": Program(does=mount),
    **dict.fromkeys(("umount", "swapoff"), Program(does=unmount, silent=True)),
    **dict.fromkeys(_FUSE.split(), Program(does=mount_by_users, silent=True)),
    **dict.fromkeys(("fusermount", "fusermount3"), Program(does=unmount_by_users, silent=True)),
}
