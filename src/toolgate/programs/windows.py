"""What an operating system keeps of itself: Windows' registry, backups and tasks, macOS' settings, as their own tools change them."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Delete, Interpret, Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .program import Program, text_of, via


def _texts(argv: tuple[Word, ...]) -> list[str]:
    return [(word.text or "").lower() for word in argv[1:]]


def says(operation: str, *forms: str, flags: tuple[tuple[str, bool], ...] = ()) -> Program:
    """A tool that does this when its words begin like one of `forms`, whatever their case; `/x` stands anywhere."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        texts = _texts(argv)
        plain = [text for text in texts if not text.startswith("/")]
        for form in forms:
            words, switches = form.split(), {text.partition(":")[0] for text in texts}
            verbs = [word for word in words if not word.startswith("/")]
            if plain[: len(verbs)] == verbs and switches.issuperset(word for word in words if word.startswith("/")):
                yield Operation(operation, seen.origin, known(f"{via(argv)} ") + joined(argv[1:4]), flags)
                break
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


_OF_ALL = ("-g", "-globalDomain", "NSGlobalDomain", "com.apple.")


def defaults(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`defaults delete DOMAIN` takes away a file of settings; `-g` is everybody's, and a key alone is only that."""
    words = [word for word in argv[1:] if word.text not in ("-currentHost", "-host")]
    if len(words) == 2 and words[0].text in ("delete", "remove") and words[1].text and words[1].text.startswith(_OF_ALL):
        name = ".GlobalPreferences" if words[1].text in ("-g", "-globalDomain", "NSGlobalDomain") else words[1].text
        yield Delete(seen.place(known(seen.home) + known(f"/Library/Preferences/{name}.plist")), False, seen.origin)
    yield Prints(seen.output(via(argv)))


def time_machine(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if len(argv) > 2 and argv[1].text == "delete":
        yield from (Delete(seen.place(word), True, seen.origin) for word in argv[2:] if word.starts("-") is not True)
    elif len(argv) > 1 and argv[1].text in ("deletelocalsnapshots", "thinlocalsnapshots", "disable"):
        yield Operation("cloud.delete", seen.origin, joined(argv[:3]), (("dry_run", False),))
    yield Prints(seen.output(via(argv)))


def end_tasks(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """taskkill: `/IM *` is everything."""
    named = [word for option, word in pairwise(argv) if (option.text or "").lower() == "/im"]
    if any(word.text is None or word.text == "*" for word in named):
        yield Operation("process.kill", seen.origin, known("every task"), (("everything", True),))


def typed(language: str) -> Program:
    """A word of another shell's: an agent that works on both systems types it in either."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        name = known(via(argv), argv[0].src)  # by whatever path
        code = argv[1:] if via(argv) == "Invoke-Expression" else (name, *argv[1:])
        yield Interpret(language, text_of([_as_typed(word) for word in code]), seen.origin, via=via(argv))

    return Program(does=does)


def _as_typed(word: Word) -> Word:
    """`C:\\Users` that a shell has taken the backslash from, `*` that it would match itself."""
    if word.shown == word.pattern:
        word = known(word.shown, word.src)
    drive = _DRIVE.match(word.head)
    return word if drive is None else known(f"{drive[0]}\\", word.src) + word.cut(2)


_DRIVE = re.compile(r"[A-Za-z]:(?![\\/])")
_SHADOWS = says("disk.destroy", "delete shadows", "resize shadowstorage")
_WMIC = says("disk.destroy", "shadowcopy delete")
_BOOT = says("disk.destroy", "/delete", "/set", "/deletevalue", "/import")
_BACKUPS = says("disk.destroy", "delete catalog", "delete systemstatebackup", "delete backup")
_WIPES = says("disk.destroy", "/w")
_REGISTRY = says("kernel.change", "delete")
_TASKS = says("schedule.change", "/create", "/delete", "/change")
_CMDLETS = (
    "Remove-Item Clear-Content Clear-Disk Format-Volume Remove-Partition Initialize-Disk Stop-Computer Restart-Computer Stop-Service"
    " Invoke-Expression Remove-ItemProperty Clear-RecycleBin"
)
ROWS: dict[str, Program] = {
    **dict.fromkeys(("del", "erase", "rd"), typed("cmd")),
    **dict.fromkeys(_CMDLETS.split(), typed("powershell")),
    **dict.fromkeys(("reg", "reg.exe"), _REGISTRY),
    **dict.fromkeys(("vssadmin", "vssadmin.exe"), _SHADOWS),
    **dict.fromkeys(("wmic", "wmic.exe"), _WMIC),
    **dict.fromkeys(("bcdedit", "bcdedit.exe"), _BOOT),
    **dict.fromkeys(("wbadmin", "wbadmin.exe"), _BACKUPS),
    **dict.fromkeys(("cipher", "cipher.exe"), _WIPES),
    **dict.fromkeys(("schtasks", "schtasks.exe"), _TASKS),
    **dict.fromkeys(("taskkill", "taskkill.exe"), Program(does=end_tasks)),
    "defaults": Program(does=defaults),
    "nvram": says("disk.destroy", "-c", "-d"),
    "tmutil": Program(does=time_machine),
}
