"""The machine itself: disks, services, jobs, processes, power."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .options import Flags
from .program import Program, via


def disk(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """mkfs, wipefs, parted, fdisk ...: every operand that is a device is written."""
    for word in argv[1:]:
        if word.starts("/dev/") is not False and word.starts("-") is not True:
            yield Write(seen.place(word), seen.output(via(argv)), False, seen.origin)


def only_lists(argv: tuple[Word, ...]) -> bool:
    return any(word.text in ("-l", "--list", "print", "-s") for word in argv[1:])


def partitions(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if only_lists(argv):
        yield Prints(seen.output(via(argv)))
    else:
        yield from disk(argv, seen)


def crontab(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-u= -l -r -e -i -s -x=").read(argv)
    if given.flag("-l") is True:
        yield Prints(seen.output("crontab -l"))
        return
    remove, edit = given.flag("-r"), given.flag("-e")
    yield Operation(
        "schedule.change", seen.origin, given.operands[0] if given.operands else None, (("remove", remove), ("edit", edit))
    )
    if given.operands and given.operands[0].text != "-":
        yield Read(seen.place(given.operands[0]), seen.origin)


def service(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "--user --system -H,--host= -M,--machine= -t,--type= --state= -p,--property= -a,--all -f,--force -n,--lines= -o,--output= --now --no-pager -q,--quiet"
        " --no-block --runtime --root= --signal= -s= --failed -l --no-legend --plain --kill-who= --full"
    ).read(argv)
    action = given.operands[0] if given.operands else None
    if action is not None:
        target = given.operands[1] if len(given.operands) > 1 else None
        yield Operation("service.control", seen.origin, target, ((f"{action.shown}", True), ("user", given.flag("--user"))))
    yield Prints(seen.output(via(argv)))


def kill(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    words = [word for word in argv[1:] if word.starts("-") is not True or ((word.text or "")[1:].isdigit() and word.text == "-1")]
    for word in words:
        yield Operation("process.kill", seen.origin, word, (("everything", word.equals("-1", "1")),))


def kill_by_name(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-f,--full -9 -15 -s,--signal= -u,--euid= -U= -g= -G= -P= -t= -x,--exact -i,--ignore-case -o -n -v -e -I -q -w -y= -TERM -KILL -HUP -INT"
    ).read(argv)
    for word in given.operands:
        yield Operation("process.kill", seen.origin, word, (("by_name", True),))


def power(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if not any(word.text in ("-c", "--help", "--show") for word in argv[1:]):
        yield Operation("power.off", seen.origin, known(via(argv)))


def mount(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-a -B,--bind -t,--types= -o,--options= -r -w -v -n -f --move -R,--rbind -l -L= -U=").read(argv)
    if len(given.operands) > 1:
        yield Operation("disk.mount", seen.origin, given.operands[-1])


def trash(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    yield from (Read(seen.place(word), seen.origin) for word in argv[1:] if word.starts("-") is False)


MKFS = (
    "mkfs",
    *(f"mkfs.{kind}" for kind in ("ext2", "ext3", "ext4", "xfs", "btrfs", "vfat", "fat", "ntfs", "f2fs", "exfat", "minix")),
    "mke2fs",
    "mkswap",
    "mkntfs",
)
ROWS: dict[str, Program] = {
    **dict.fromkeys(
        (*MKFS, "wipefs", "blkdiscard", "cryptsetup", "pvcreate", "vgremove", "lvremove", "zpool", "badblocks", "hdparm", "nvme"),
        Program(does=disk),
    ),
    **dict.fromkeys(("fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted"), Program(does=partitions)),
    "crontab": Program(does=crontab),
    "systemctl": Program(does=service),
    "kill": Program(does=kill, silent=True),
    **dict.fromkeys(("pkill", "killall"), Program(does=kill_by_name, silent=True)),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff"), Program(does=power)),
    "mount": Program(does=mount),
    **dict.fromkeys(("trash", "trash-put", "gio"), Program(does=trash, silent=True)),
}
