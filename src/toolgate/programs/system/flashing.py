"""Disk images and flash memory: writes to a disk, a phone or a board without a file system."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Site, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, combine_programs, join_arguments, program_name

from .disks import volume_program, write_only_with

_QEMU = Flags(
    "-f= -F= -O= -o= -p -q -c -e -n -m= -W -U --image-opts --target-image-opts --object= -s= -l= -B= -S= -t= -T= -a= -d= -u -b= -r="
    " --output= --backing-chain --salvage --skip-broken-bitmaps --bitmaps -h,--help -V,--version"
)
_QEMU_IMG = Program(
    _QEMU, subcommands={"convert": "read* write", "create": "write data*", "resize|rebase|commit|amend": "change data*"}
)


def _copy_image_blocks(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`qemu-img dd if=SOURCE of=TARGET`."""
    options = _QEMU.parse(argv)
    for word in options.operands[1:] if options.operands and options.operands[0].text == "dd" else ():
        name, _, value = word.partition("=")
        if name.text in ("if", "of"):
            place = context.resolve_place(value)
            yield Read(place, context.origin) if name.text == "if" else Write(place, None, False, context.origin)


def asr(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """macOS' asr: `--erase` overwrites the target."""
    words = [word.text or "" for word in argv]
    for option, value in pairwise(argv[1:]):
        if (option.text or "").lstrip("-") == "target" and not {"--erase", "-erase"}.isdisjoint(words):
            yield Write(context.resolve_place(value), None, False, context.origin)


def flash_program(*words: str, options: str = "") -> Program:
    """A tool for boards and phones, with the words that erase or overwrite their memory; this machine is unaffected."""
    flags = Flags(f"{options} -h,--help --version")

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed_options = flags.parse(argv)
        texts = [(word.text or "").replace("-", "_") for word in parsed_options.operands[:2]]
        if parsed_options.has_flag("--help", "--version") is not True and ("" in words or any(text in words for text in texts)):
            yield Operation(
                "disk.destroy",
                context.origin._replace(sure=None),
                known_word(f"{program_name(argv)} ") + join_words(parsed_options.operands[:3]),
            )
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


_ADB = Flags("-a -d -e -s= -t= -H= -P= -L=")


def adb(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """adb: `shell COMMAND` runs on the phone."""
    rest = argv[_ADB.parse(argv, stop=True).rest :]
    if len(rest) > 1 and rest[0].text in ("shell", "exec-out", "exec-in"):
        words = [word for word in rest[1:] if word.text not in ("-t", "-T", "-tt", "-n", "-x")]
        yield Interpret("shell", join_arguments(words), context.origin, via=Carrier("adb", "shell"), site=Site("ssh:phone"))
    elif rest and rest[0].text == "pull" and len(rest) > 2:
        yield Write(context.resolve_place(rest[2]), context.unknown_output("the content of the phone"), None, context.origin)
    elif rest and rest[0].text == "tcpip":
        yield Operation("network.expose", context.origin, known_word("adb tcpip"))
    yield PrintedOutput(context.unknown_output("adb"))


_PARTCLONE = (
    "-s,--source=read -o,--output=write -O,--overwrite=write -c,--clone -r,--restore -b,--dev-to-dev -C -F -d= -L=write -q -z= -N"
)
_PV = "-p -t -e -r -b -q -s= -l -0 -n -i= -L= -f -c -N= -W -w= -H= -o,--output=write -S -B= -d= -R= -P= -F= -D= -a= -h,--help -V,--version"
_ESPTOOL = "--do-not-confirm --virt -p,--port= -b,--baud= -c,--chip= --before= --after= --no-stub -t -e,--erase-all"
_FUSES = (
    *("burn_efuse", "burn_key", "burn_key_digest", "burn_block_data", "burn_bit", "burn_custom_mac", "set_flash_voltage"),
    *("write_protect_efuse", "read_protect_efuse", "burn-efuse", "burn-key", "burn-bit", "write-protect-efuse"),
)
"""What burns the fuses of a chip, which cannot be undone."""
ROWS: dict[str, Program] = {
    "adb": Program(does=adb),
    "asr": Program(does=asr),
    "bmaptool": Program(Flags("--bmap=read --nobmap --no-sig-verify --no-verify -q,--quiet -d,--debug"), "data read write"),
    **dict.fromkeys(("esptool.py", "esptool"), flash_program("erase_flash", "erase_region", options=_ESPTOOL)),
    **dict.fromkeys(("espefuse.py", "espefuse"), flash_program(*_FUSES, options=_ESPTOOL)),
    "fastboot": flash_program("erase", "format", "flash", "flashall", "oem", "flashing", "_w", options="-s= -S= --slot= -w"),
    **dict.fromkeys(
        ("flash_erase", "flash_eraseall", "flashcp", "nandwrite"), flash_program("", options="-j -N -q -v -m -p -s= -o -a")
    ),
    **dict.fromkeys(
        ("partclone.restore", "partclone.dd", "partclone.extfs", "partclone.ext4", "partclone.ntfs", "partclone.xfs"),
        Program(Flags(_PARTCLONE)),
    ),
    "pv": Program(Flags(_PV), "print*"),
    "qemu-img": combine_programs(_QEMU_IMG, Program(does=_copy_image_blocks)),
    "sdparm": volume_program(
        "--command=format; --command=sanitize", "-C,--command= -a,--all -i,--inquiry -l,--long -p,--page= -q,--quiet"
    ),
    "xfs_repair": write_only_with("-L"),
    "ntfsresize": write_only_with("-s", "--size", writing_words=("-n", "--no-action")),
}
