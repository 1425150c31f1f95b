"""Settings of an operating system, as its own tools change them: Windows' registry, backups and tasks, macOS' settings."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Connect, Delete, Escalate, Interpret, Operation, Permission, Prints, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .program import Program, text_of, via


def _texts(argv: tuple[Word, ...]) -> list[str]:
    return [(word.text or "").lower() for word in argv[1:]]


def says(operation: str, *forms: str, flags: tuple[tuple[str, bool], ...] = ()) -> Program:
    """A tool with this operation if its words begin like one of `forms`, in any case; `/x` may be anywhere."""

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
    """`defaults delete DOMAIN` deletes a file of settings; `-g` is the global one, and a key deletes only that key."""
    words = [word for word in argv[1:] if word.text not in ("-currentHost", "-host")]
    if words and words[0].text == "write" and any((word.text or "").lower() in ("loginhook", "logouthook") for word in words):
        yield Operation("schedule.change", seen.origin, joined(words), (("remove", False), ("edit", False)))
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
    if any(word.text is None or word.text.lower() in _SESSION for word in named):
        yield Operation("process.kill", seen.origin, known("every task"), (("everything", True),))


_SESSION = ("*", "explorer.exe", "winlogon.exe", "csrss.exe", "lsass.exe", "svchost.exe", "wininit.exe", "services.exe")
"""Processes that a session depends on."""


def _from_drive(path: Word) -> Word:
    """Convert `C:\\Windows` to /c/Windows."""
    if path.text is None:
        return path
    drive, _, rest = path.text.replace("\\", "/").partition(":")
    return known(f"/{drive.lower()}/{rest.lstrip('/')}", path.src) if len(drive) == 1 else path


def access(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`icacls PATH /grant Everyone:F`, `takeown /f PATH /r`."""
    texts = _texts(argv)
    named = (
        [word for option, word in pairwise(argv) if (option.text or "").lower() == "/f"]
        if via(argv).startswith("takeown")
        else list(argv[1:2])
    )
    everyone = any(text.startswith(("everyone:", "*s-1-1-0:")) for text in texts)
    if via(argv).startswith("takeown") or not set(texts).isdisjoint(
        ("/grant", "/grant:r", "/deny", "/reset", "/setowner", "/remove")
    ):
        for word in named:
            mode = known("777" if everyone else "u+rwx")
            place = seen.place(_from_drive(_as_typed(word)))
            yield Permission(place, mode, not set(texts).isdisjoint(("/t", "/r")), seen.origin)


def typed(language: str) -> Program:
    """A command of another shell, which agents that work on both systems type in either."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        name = known(via(argv), argv[0].src)  # under any path
        code = argv[1:] if via(argv) == "Invoke-Expression" else (name, *argv[1:])
        yield Interpret(language, text_of([_as_typed(word) for word in code]), seen.origin, via=via(argv))

    return Program(does=does)


def _as_typed(word: Word) -> Word:
    """Restore `C:\\Users` after a shell removed the backslash, and `*` that it would expand itself."""
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
_LOGS = says("trace.erase", "cl", "clear-log")
_FILES = says("disk.destroy", "file setzerodata", "volume dismount", "usn deletejournal")


def registry(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A value under a key that ends in `Run` or `RunOnce` starts with the session."""
    key = (argv[2].text or "").lower().replace("\\", "/") if len(argv) > 2 else ""
    if (
        key
        and (argv[1].text or "").lower() == "add"
        and key.endswith(("/run", "/runonce", "currentversionrun", "currentversionrunonce"))
    ):
        yield Operation("schedule.change", seen.origin, argv[2], (("remove", False), ("edit", False)))
    yield from _REGISTRY.effects(argv, seen)


def fetched(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Tools that can also download: `certutil -urlcache -f URL FILE`, `bitsadmin /transfer JOB URL FILE`."""
    for n, word in enumerate(argv):
        if n and word.contains("://") is True:
            yield Connect(word, seen.origin)
            got = seen.output(f"what {word.shown} sends")
            yield from (Write(seen.place(file), got, False, seen.origin) for file in argv[n + 1 : n + 2])
    yield Prints(seen.output(via(argv)))


def run_from_address(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """mshta and regsvr32 run a script from an address."""
    for word in argv[1:]:
        _, found, rest = word.partition("http")
        if found and (rest.starts("://") is True or rest.starts("s://") is True):
            yield Connect(known("http") + rest, seen.origin)
            yield Interpret("jscript", seen.output(f"what {word.shown} sends"), seen.origin, via=via(argv))


def run_as(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    user = next((word.shown.partition(":")[2] for word in argv[1:] if word.shown.lower().startswith("/user:")), "")
    rest = [word for word in argv[1:] if not word.head.startswith("/")]
    if user:
        yield Escalate("runas", user, seen.origin)
    yield from (Interpret("cmd", word, seen.origin, via="runas") for word in rest[:1])


def asks_the_web(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A PowerShell command in another shell: it prints what it downloads."""
    yield Interpret("powershell", text_of([known(via(argv)), *argv[1:]]), seen.origin, via=via(argv))
    yield from (Connect(word, seen.origin) for word in argv[1:] if word.contains("://") is True)
    yield Prints(seen.output(via(argv)))


def stated(operation: str, *forms: str, flags: tuple[tuple[str, bool], ...] = ()) -> Program:
    """macOS' settings tools: a form is a set of words that must all be in argv."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        texts = {(word.text or "").lower() for word in argv[1:]}
        if any(texts.issuperset(form.split()) for form in forms):
            yield Operation(operation, seen.origin, joined(argv), flags)
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


_TASKS = says("schedule.change", "/create", "/delete", "/change")
_CMDLETS = (
    "Remove-Item Clear-Content Clear-Disk Format-Volume Remove-Partition Initialize-Disk Stop-Computer Restart-Computer Stop-Service"
    " Invoke-Expression Remove-ItemProperty Clear-RecycleBin"
)
ROWS: dict[str, Program] = {
    **dict.fromkeys(("del", "erase", "rd"), typed("cmd")),
    **dict.fromkeys(_CMDLETS.split(), typed("powershell")),
    **dict.fromkeys(("reg", "reg.exe"), Program(does=registry)),
    **dict.fromkeys(("mshta", "mshta.exe", "regsvr32", "regsvr32.exe"), Program(does=run_from_address)),
    **dict.fromkeys(("certutil", "certutil.exe", "bitsadmin", "bitsadmin.exe"), Program(does=fetched)),
    **dict.fromkeys(("wevtutil", "wevtutil.exe"), _LOGS),
    **dict.fromkeys(("fsutil", "fsutil.exe"), _FILES),
    **dict.fromkeys(("icacls", "icacls.exe", "takeown", "takeown.exe"), Program(does=access)),
    "runas": Program(does=run_as),
    **dict.fromkeys(("iwr", "irm", "Invoke-WebRequest", "Invoke-RestMethod"), Program(does=asks_the_web)),
    "pmset": stated("power.off", "sleepnow", "displaysleepnow", "schedule"),
    "softwareupdate": stated("power.off", "--restart", "-r"),
    "systemsetup": stated("account.change", "-setremotelogin on", "-f -setremotelogin", "-setremoteappleevents on"),
    "scutil": stated("machine.setting", "--set"),
    "tccutil": stated("firewall.change", "reset"),
    "fdesetup": stated("firewall.change", "disable", "removeuser", "removerecovery"),
    "profiles": stated("firewall.change", "remove", "-r", "-d", "install"),
    **dict.fromkeys(("kextunload", "kextload"), Program(operation="kernel.change")),
    "dseditgroup": stated("account.change", "edit", "create", "delete"),
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
