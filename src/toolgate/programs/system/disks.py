"""Disks and volumes."""

from collections.abc import Iterator

from toolgate.model.effect import Delete, Operation, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, combine_programs, program_name
from toolgate.programs.argv.subcommands import build_flags, match_forms, parse_forms


def write_devices(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """mkfs, wipefs, parted, fdisk ...: every operand that is a device is written."""
    for word in argv[1:]:
        if word.starts_with("/dev/") is not False and word.starts_with("-") is not True:
            yield Write(context.resolve_place(word), context.unknown_output(program_name(argv)), False, context.origin)
    if len(argv) > 1:
        yield from _maybe_device(argv[-1], context)


def make_file_system(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """mkfs, mkswap: every file system on the device is lost."""
    for word in argv[1:]:
        if word.starts_with("/dev/"):
            yield Operation("disk.destroy", context.origin, word)
    yield from write_devices(argv, context)


def _maybe_device(target: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reports an unknown operand as a possible device; the name of an image is usually recognisable."""
    if target.starts_with("/dev/") is None and target.starts_with("-") is not True and not ({".", "/"} & set(target.tail)):
        yield Operation("disk.destroy", context.origin, target, (("maybe", True),))


def is_read_only(argv: tuple[Word, ...]) -> bool:
    return any(
        word.text
        in ("-l", "--list", "print", "-s", "-p", "--print", "-d", "--dump", "-i", "--info", "-v", "--verify", "--help", "-lm")
        for word in argv[1:]
    )


def partition_table(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if is_read_only(argv):
        yield PrintedOutput(context.unknown_output(program_name(argv)))
    else:
        yield from write_devices(argv, context)


_PARTED_CHANGES = frozenset(
    ("mklabel", "mktable", "mkpart", "mkpartfs", "mkfs", "rm", "resize", "resizepart", "rescue", "set", "toggle", "name")
)


def parted(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`parted [-s] DEVICE [COMMAND...]`; without a command it reads commands interactively."""
    words = [word.text for word in argv[1:]]
    operands = [word for word in words if word is None or not word.startswith("-")]
    if any(word is None or word in _PARTED_CHANGES for word in operands) or (len(operands) == 1 and "-l" not in words):
        yield from write_devices(argv, context)
        yield from _maybe_device(next((word for word in argv[1:] if word.starts_with("-") is not True), EMPTY), context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def write_only_with(*words: str, writing_words: tuple[str, ...] = ()) -> Program:
    """A tool that writes to a device only with one of these words."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        names = {(word.text or "").partition("=")[0] for word in argv[1:]}
        if not names.isdisjoint(words) and names.isdisjoint((*writing_words, "--help")):
            yield from write_devices(argv, context)
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


WIPEFS = Flags(
    "-a,--all -b,--backup=? -f,--force -i,--noheadings -J,--json -n,--no-act -O,--output= -o,--offset= -p,--parsable -q,--quiet -t,--types= --lock=? -h,--help -V,--version"
)


def wipefs(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = WIPEFS.parse(argv)
    if options.has_flag("--all", "--offset") is not False and options.has_flag("--no-act", "--help") is not True:
        yield from write_devices(argv, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def volume_program(forms_of: str, options: str = "", *, always: bool = False) -> Program:
    """A tool for volumes, pools or containers of file systems: the forms that destroy one. `always`: any operand does."""
    every = parse_forms({"disk.destroy": forms_of})
    flags = build_flags(options, every, "-n,--dry-run --test -t")

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed_options = flags.parse(argv)
        if parsed_options.has_flag("--help", "--version", "--dry-run", "--test", "-t") is True:
            return
        if always and parsed_options.operands:
            yield Operation("disk.destroy", context.origin, join_words(parsed_options.operands))
        for _, target in match_forms(every, parsed_options, len(flags.parse(argv, stop=True).strange)):
            yield Operation("disk.destroy", context.origin, target if target.parts else known_word(program_name(argv)))
            break
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


def format_drive(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """format takes a drive letter on Windows; without one it is another program."""
    for word in argv[1:]:
        if word.text is not None and len(word.text) == 2 and word.text.endswith(":"):
            yield Operation("disk.destroy", context.origin, word)


def security(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """macOS' `security`: forms that print secrets or delete keychains."""
    texts = [word.text or "" for word in argv[1:]]
    prints = any(text[:1] == "-" and text[1:2] != "-" and ("w" in text or "g" in text) for text in texts)
    if texts[:1] in (["dump-keychain"], ["export"]) or (
        texts[:1] and texts[0].endswith("-password") and "find" in texts[0] and prints
    ):
        yield Read(context.resolve_place(known_word(f"{context.home}/Library/Keychains/login.keychain-db")), context.origin)
    elif texts[:1] == ["delete-keychain"]:
        yield from (Delete(context.resolve_place(_in_keychains(word, context)), False, context.origin) for word in argv[2:])
    elif texts[:1] in (["delete-generic-password"], ["delete-internet-password"], ["delete-certificate"], ["delete-identity"]):
        yield Delete(
            context.resolve_place(known_word(f"{context.home}/Library/Keychains/login.keychain-db")), False, context.origin
        )
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def _in_keychains(word: Word, context: ExecutionContext) -> Word:
    return word if word.contains("/") is True else known_word(f"{context.home}/Library/Keychains/") + word


def trash_put(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Trashed files can be restored; but trashing the root or the home folder leaves nothing to restore them with."""
    if any(word.text == "--empty" for word in argv[1:]):
        yield from empty_trash(argv, context)
    for word in argv[1:]:
        if word.starts_with("-") is False:
            place = context.resolve_place(word)
            yield Read(place, context.origin)
            if place.path is not None and (place.path == context.home or place.path.count("/") == 1):
                yield Delete(place, True, context.origin)


def empty_trash(_argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield Delete(context.resolve_place(known_word(f"{context.home}/.local/share/Trash/files")), True, context.origin)


def tape(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`mt -f DEVICE erase`; an end mark in front of the data loses it, too."""
    options = Flags("-f,--file= -t= --version --help").parse(argv)
    if any(word.text in ("erase", "weof", "eof") for word in options.operands[:1]):
        yield Operation("disk.destroy", context.origin, options.value_of("--file") or known_word("the tape"))


def lvresize(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """lvresize: a size with a minus removes data."""
    for option in ("-L", "--size", "-l", "--extents"):
        for n, word in enumerate(argv[1:], 1):
            name, attached, value = word.partition("=")
            value = (
                value
                if attached
                else word.drop_first(2)
                if word.starts_with("-L-") or word.starts_with("-l-")
                else argv[n + 1]
                if n + 1 < len(argv)
                else value
            )
            if (name.text == option or word.starts_with(f"{option}-") is True) and value.head.startswith("-"):
                yield Operation("disk.destroy", context.origin, join_words(argv))
                return


_POOL = volume_program("destroy|labelclear|clear-label; remove", "-f -n -p -s -w")


def zpool(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """zpool: a disk that is added to a pool loses its content."""
    if any(word.text in ("create", "add", "attach", "replace") for word in argv[1:3]) and "-n" not in [
        word.text for word in argv
    ]:
        yield from write_devices(argv, context)
    yield from _POOL.effects_of_call(argv, context)


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
    **dict.fromkeys(MKFS, Program(does=make_file_system)),
    **dict.fromkeys(("blkdiscard", "pvcreate", "grub-install"), Program(does=write_devices)),
    "nwipe": volume_program("--autonuke", "--autonuke -m,--method= -r,--rounds= --nogui -l,--logfile=", always=True),
    "debugfs": write_only_with("-w"),
    "partx": write_only_with("-d", "--delete", "-a", "--add", "-u", "--update"),
    "ddrescue": Program(Flags("-f,--force -n -r= -b= -d -v -i= -o= -s= -R -S -A -M -C -q --help --version"), "read write write"),
    "wipefs": Program(does=wipefs),
    "cryptsetup": write_only_with("luksFormat", "luksErase", "erase", "reencrypt", "luksKillSlot", "luksRemoveKey"),
    "badblocks": write_only_with("-w", "-n", "-wsv", "-svw", "-wvs", "-sw", "-wv", "-ws"),
    "hdparm": write_only_with(
        "--security-erase",
        "--security-erase-enhanced",
        "--trim-sector-ranges",
        "--write-sector",
        "--make-bad-sector",
        "--security-set-pass",
        "--fwdownload",
    ),
    "nvme": write_only_with(
        "format", "sanitize", "write", "write-zeroes", "write-uncor", "delete-ns", "dsm", "fw-commit", "device-self-test"
    ),
    **dict.fromkeys(("fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk"), Program(does=partition_table)),
    "parted": Program(does=parted),
    **dict.fromkeys(
        ("lvremove", "vgremove", "pvremove", "lvreduce", "vgreduce"),
        volume_program(
            "",
            "-f,--force -y,--yes -v,--verbose -q,--quiet -S,--select= --config= --nolocking --noudevsync --reportformat=",
            always=True,
        ),
    ),
    "lvresize": Program(does=lvresize),
    "zpool": Program(does=zpool),
    "zfs": volume_program("destroy; rollback -r|-R; receive|recv -F", "-r -R -F -f -v -p -d -s -u -o= -x="),
    "lvconvert": volume_program("--merge|--mergesnapshot", "--merge --mergesnapshot -y,--yes -b,--background -i="),
    "ceph": volume_program(
        "osd purge|destroy|rm; osd pool delete|rm|rmpool; fs rm; mon remove|rm",
        "--yes-i-really-mean-it --yes-i-really-really-mean-it -c= -n=",
    ),
    "rbd": volume_program("rm|remove; pool rm; snap purge", "-p,--pool= --image="),
    "sg_format": write_only_with("--format", "-F"),
    "sg_sanitize": Program(does=write_devices),
    "btrfs": volume_program("subvolume|subvol|su delete|del; device|dev delete|remove"),
    "mdadm": volume_program(
        "--zero-superblock; --create; --stop; --remove; --fail",
        "-C,--create -S,--stop -r,--remove= -f,--fail= -l,--level= -n,--raid-devices= -Q,--query -D,--detail -E,--examine -s,--scan -A,--assemble",
    ),
    "dmsetup": volume_program("remove_all; remove|wipe_table"),
    "diskutil": volume_program(_DISKUTIL),
    "bootctl": volume_program("remove; unlink *; cleanup", "--esp-path= --boot-path= --no-pager --graceful"),
    "atrm": Program(operation="schedule.change"),
    "efibootmgr": volume_program("--delete-bootnum", "-b,--bootnum= -B,--delete-bootnum -v -o= -c -d= -p= -L= -l= -q -n="),
    "flashrom": volume_program("--write; --erase", "-w,--write= -E,--erase -r,--read= -p,--programmer= -V,--verbose -c= -o="),
    **dict.fromkeys(("format.com", "diskpart"), volume_program("", always=True)),
    "format": Program(does=format_drive),
    "security": Program(does=security),
    "mt": Program(does=tape),
    "scrub": combine_programs(
        Program(does=write_devices), Program(Flags("-p,--pattern= -D= -X -b= -s= -f -r -S -L -R -t -T -v"), "delete*")
    ),
    **dict.fromkeys(("trash", "trash-put", "gio"), Program(does=trash_put, silent=True)),
    "trash-empty": Program(does=empty_trash, silent=True),
}
