"""Disks and volumes."""

from collections.abc import Iterator

from toolgate.model.effect import Delete, Operation, Prints, Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Word, joined, known

from .options import Flags
from .program import Program, via
from .verbs import forms, found, with_information


def disk(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """mkfs, wipefs, parted, fdisk ...: every operand that is a device is written."""
    for word in argv[1:]:
        if word.starts("/dev/") is not False and word.starts("-") is not True:
            yield Write(seen.place(word), seen.output(via(argv)), False, seen.origin)
    if len(argv) > 1:
        yield from _perhaps(argv[-1], seen)


def _perhaps(target: Word, seen: Seen) -> Iterator[Reported]:
    """Report an unknown operand as a possible device; the name of an image is usually recognisable."""
    if target.starts("/dev/") is None and target.starts("-") is not True and not ({".", "/"} & set(target.tail)):
        yield Operation("disk.destroy", seen.origin, target, (("maybe", True),))


def only_lists(argv: tuple[Word, ...]) -> bool:
    return any(
        word.text
        in ("-l", "--list", "print", "-s", "-p", "--print", "-d", "--dump", "-i", "--info", "-v", "--verify", "--help", "-lm")
        for word in argv[1:]
    )


def partitions(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if only_lists(argv):
        yield Prints(seen.output(via(argv)))
    else:
        yield from disk(argv, seen)


_PARTED = frozenset(
    ("mklabel", "mktable", "mkpart", "mkpartfs", "mkfs", "rm", "resize", "resizepart", "rescue", "set", "toggle", "name")
)


def parted(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`parted [-s] DEVICE [COMMAND...]`; without a command it reads commands interactively."""
    words = [word.text for word in argv[1:]]
    operands = [word for word in words if word is None or not word.startswith("-")]
    if any(word is None or word in _PARTED for word in operands) or (len(operands) == 1 and "-l" not in words):
        yield from disk(argv, seen)
        yield from _perhaps(next((word for word in argv[1:] if word.starts("-") is not True), EMPTY), seen)
    yield Prints(seen.output(via(argv)))


def only_with(*words: str, without: tuple[str, ...] = ()) -> Program:
    """A tool that writes to a device only with one of these words."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        names = {(word.text or "").partition("=")[0] for word in argv[1:]}
        if not names.isdisjoint(words) and names.isdisjoint((*without, "--help")):
            yield from disk(argv, seen)
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


WIPEFS = Flags(
    "-a,--all -b,--backup=? -f,--force -i,--noheadings -J,--json -n,--no-act -O,--output= -o,--offset= -p,--parsable -q,--quiet -t,--types= --lock=? -h,--help -V,--version"
)


def wipefs(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = WIPEFS.read(argv)
    if given.flag("--all", "--offset") is not False and given.flag("--no-act", "--help") is not True:
        yield from disk(argv, seen)
    yield Prints(seen.output(via(argv)))


def destroyer(forms_of: str, options: str = "", *, always: bool = False) -> Program:
    """A tool for volumes, pools or containers of file systems: the forms that destroy one. `always`: any operand does."""
    every = forms({"disk.destroy": forms_of})
    flags = with_information(options, every, "-n,--dry-run --test -t")

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = flags.read(argv)
        if given.flag("--help", "--version", "--dry-run", "--test", "-t") is True:
            return
        if always and given.operands:
            yield Operation("disk.destroy", seen.origin, joined(given.operands))
        for _, target in found(every, given, len(flags.read(argv, stop=True).strange)):
            yield Operation("disk.destroy", seen.origin, target if target.parts else known(via(argv)))
            break
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


def format_drive(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """format takes a drive letter on Windows; without one it is another program."""
    for word in argv[1:]:
        if word.text is not None and len(word.text) == 2 and word.text.endswith(":"):
            yield Operation("disk.destroy", seen.origin, word)


def keychain(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """macOS' `security`: forms that print secrets or delete keychains."""
    texts = [word.text or "" for word in argv[1:]]
    prints = any(text[:1] == "-" and text[1:2] != "-" and ("w" in text or "g" in text) for text in texts)
    if texts[:1] in (["dump-keychain"], ["export"]) or (
        texts[:1] and texts[0].endswith("-password") and "find" in texts[0] and prints
    ):
        yield Read(seen.place(known(f"{seen.home}/Library/Keychains/login.keychain-db")), seen.origin)
    elif texts[:1] == ["delete-keychain"]:
        yield from (Delete(seen.place(_in_keychains(word, seen)), False, seen.origin) for word in argv[2:])
    elif texts[:1] in (["delete-generic-password"], ["delete-internet-password"], ["delete-certificate"], ["delete-identity"]):
        yield Delete(seen.place(known(f"{seen.home}/Library/Keychains/login.keychain-db")), False, seen.origin)
    yield Prints(seen.output(via(argv)))


def _in_keychains(word: Word, seen: Seen) -> Word:
    return word if word.contains("/") is True else known(f"{seen.home}/Library/Keychains/") + word


def trash(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Trashed files can be restored; but trashing the root or the home folder leaves nothing to restore them with."""
    for word in argv[1:]:
        if word.starts("-") is False:
            place = seen.place(word)
            yield Read(place, seen.origin)
            if place.path is not None and (place.path == seen.home or place.path.count("/") == 1):
                yield Delete(place, True, seen.origin)


def resized(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """lvresize: a size with a minus removes data."""
    for option in ("-L", "--size", "-l", "--extents"):
        for n, word in enumerate(argv[1:], 1):
            name, attached, value = word.partition("=")
            value = (
                value
                if attached
                else word.cut(2)
                if word.starts("-L-") or word.starts("-l-")
                else argv[n + 1]
                if n + 1 < len(argv)
                else value
            )
            if (name.text == option or word.starts(f"{option}-") is True) and value.head.startswith("-"):
                yield Operation("disk.destroy", seen.origin, joined(argv))
                return


_POOL = destroyer("destroy|labelclear|clear-label; remove", "-f -n -p -s -w")


def pool(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """zpool: a disk that is added to a pool loses its content."""
    if any(word.text in ("create", "add", "attach", "replace") for word in argv[1:3]) and "-n" not in [
        word.text for word in argv
    ]:
        yield from disk(argv, seen)
    yield from _POOL.effects(argv, seen)


MKFS = (
    "mkfs",
    *(f"mkfs.{kind}" for kind in ("ext2", "ext3", "ext4", "xfs", "btrfs", "vfat", "fat", "ntfs", "f2fs", "exfat", "minix")),
    "mke2fs",
    "newfs",
    "newfs_hfs",
    "newfs_apfs",
    "newfs_msdos",
    "newfs_exfat",
    "mkswap",
    "mkntfs",
)
_DISKUTIL = (
    "eraseDisk|eraseVolume|eraseOptical|partitionDisk|reformat|zeroDisk|randomDisk|secureErase|splitPartition|mergePartitions|erasedisk|erasevolume|eraseall|partitiondisk|zerodisk|randomdisk|secureerase;"
    " apfs|ap|corestorage|cs|appleRAID deleteContainer|deleteVolume|eraseVolume|deleteVolumeGroup|delete|deleteSnapshot"
)
ROWS: dict[str, Program] = {
    **dict.fromkeys((*MKFS, "blkdiscard", "pvcreate", "scrub", "grub-install"), Program(does=disk)),
    "nwipe": destroyer("--autonuke", "--autonuke -m,--method= -r,--rounds= --nogui -l,--logfile=", always=True),
    "debugfs": only_with("-w"),
    "partx": only_with("-d", "--delete", "-a", "--add", "-u", "--update"),
    "ddrescue": Program(Flags("-f,--force -n -r= -b= -d -v -i= -o= -s= -R -S -A -M -C -q --help --version"), "read write write"),
    "wipefs": Program(does=wipefs),
    "cryptsetup": only_with("luksFormat", "luksErase", "erase", "reencrypt", "luksKillSlot", "luksRemoveKey"),
    "badblocks": only_with("-w", "-n", "-wsv", "-svw", "-wvs", "-sw", "-wv", "-ws"),
    "hdparm": only_with(
        "--security-erase",
        "--security-erase-enhanced",
        "--trim-sector-ranges",
        "--write-sector",
        "--make-bad-sector",
        "--security-set-pass",
        "--fwdownload",
    ),
    "nvme": only_with(
        "format", "sanitize", "write", "write-zeroes", "write-uncor", "delete-ns", "dsm", "fw-commit", "device-self-test"
    ),
    **dict.fromkeys(("fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk"), Program(does=partitions)),
    "parted": Program(does=parted),
    **dict.fromkeys(
        ("lvremove", "vgremove", "pvremove", "lvreduce", "vgreduce"),
        destroyer(
            "",
            "-f,--force -y,--yes -v,--verbose -q,--quiet -S,--select= --config= --nolocking --noudevsync --reportformat=",
            always=True,
        ),
    ),
    "lvresize": Program(does=resized),
    "zpool": Program(does=pool),
    "zfs": destroyer("destroy; rollback -r|-R; receive|recv -F", "-r -R -F -f -v -p -d -s -u -o= -x="),
    "lvconvert": destroyer("--merge|--mergesnapshot", "--merge --mergesnapshot -y,--yes -b,--background -i="),
    "ceph": destroyer(
        "osd purge|destroy|rm; osd pool delete|rm|rmpool; fs rm; mon remove|rm",
        "--yes-i-really-mean-it --yes-i-really-really-mean-it -c= -n=",
    ),
    "rbd": destroyer("rm|remove; pool rm; snap purge", "-p,--pool= --image="),
    "sg_format": only_with("--format", "-F"),
    "sg_sanitize": Program(does=disk),
    "btrfs": destroyer("subvolume|subvol|su delete|del; device|dev delete|remove"),
    "mdadm": destroyer(
        "--zero-superblock; --create; --stop; --remove; --fail",
        "-C,--create -S,--stop -r,--remove= -f,--fail= -l,--level= -n,--raid-devices= -Q,--query -D,--detail -E,--examine -s,--scan -A,--assemble",
    ),
    "dmsetup": destroyer("remove_all; remove|wipe_table"),
    "diskutil": destroyer(_DISKUTIL),
    "bootctl": destroyer("remove; unlink *; cleanup", "--esp-path= --boot-path= --no-pager --graceful"),
    "atrm": Program(operation="schedule.change"),
    "efibootmgr": destroyer("--delete-bootnum", "-b,--bootnum= -B,--delete-bootnum -v -o= -c -d= -p= -L= -l= -q -n="),
    "flashrom": destroyer("--write; --erase", "-w,--write= -E,--erase -r,--read= -p,--programmer= -V,--verbose -c= -o="),
    **dict.fromkeys(("format.com", "diskpart"), destroyer("", always=True)),
    "format": Program(does=format_drive),
    "security": Program(does=keychain),
    **dict.fromkeys(("trash", "trash-put", "gio"), Program(does=trash, silent=True)),
}
