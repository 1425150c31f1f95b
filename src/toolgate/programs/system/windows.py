"""Settings of an operating system, as its own tools change them: Windows' registry, backups and tasks, macOS' settings."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import (
    Carrier,
    Connect,
    Delete,
    Escalate,
    Interpret,
    Operation,
    Permission,
    PrintedOutput,
    ReportedEffect,
    Write,
)
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, is_glob, join_words, known_word
from toolgate.programs.argv.program import Program, join_arguments, make_carrier, program_name


def _lower_case_texts(argv: tuple[Word, ...]) -> list[str]:
    return [(word.text or "").lower() for word in argv[1:]]


def program_of_word_forms(operation: str, *forms: str, flags: tuple[tuple[str, bool], ...] = ()) -> Program:
    """A tool with this operation if its words begin like one of `forms`, in any case; `/x` may be anywhere."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        texts = _lower_case_texts(argv)
        plain = [text for text in texts if not text.startswith("/")]
        for form in forms:
            words, switches = form.split(), {text.partition(":")[0] for text in texts}
            verbs = [word for word in words if not word.startswith("/")]
            if plain[: len(verbs)] == verbs and switches.issuperset(word for word in words if word.startswith("/")):
                yield Operation(operation, context.origin, known_word(f"{program_name(argv)} ") + join_words(argv[1:4]), flags)
                break
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


_GLOBAL_DOMAINS = ("-g", "-globalDomain", "NSGlobalDomain", "com.apple.")


def defaults(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`defaults delete DOMAIN` deletes a file of settings; `-g` is the global one, and a key deletes only that key."""
    words = [word for word in argv[1:] if word.text not in ("-currentHost", "-host")]
    if words and words[0].text == "write" and any((word.text or "").lower() in ("loginhook", "logouthook") for word in words):
        yield Operation("schedule.change", context.origin, join_words(words), (("remove", False), ("edit", False)))
    if len(words) == 2 and words[0].text in ("delete", "remove") and words[1].text and words[1].text.startswith(_GLOBAL_DOMAINS):
        name = ".GlobalPreferences" if words[1].text in ("-g", "-globalDomain", "NSGlobalDomain") else words[1].text
        yield Delete(
            context.resolve_place(known_word(context.home) + known_word(f"/Library/Preferences/{name}.plist")),
            False,
            context.origin,
        )
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def tmutil(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if len(argv) > 2 and argv[1].text == "delete":
        yield from (
            Delete(context.resolve_place(word), True, context.origin) for word in argv[2:] if word.starts_with("-") is not True
        )
    elif len(argv) > 1 and argv[1].text in ("deletelocalsnapshots", "thinlocalsnapshots", "disable"):
        yield Operation("cloud.delete", context.origin, join_words(argv[:3]), (("dry_run", False),))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def taskkill(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """taskkill: `/IM *` is everything."""
    named = [word for option, word in pairwise(argv) if (option.text or "").lower() == "/im"]
    if any(word.text is None or word.text.lower() in _SESSION_TASKS for word in named):
        yield Operation("process.kill", context.origin, known_word("every task"), (("everything", True),))


_SESSION_TASKS = ("*", "explorer.exe", "winlogon.exe", "csrss.exe", "lsass.exe", "svchost.exe", "wininit.exe", "services.exe")
"""Processes that a session depends on."""


def _drive_to_path(path: Word) -> Word:
    """Converts `C:\\Windows` to /c/Windows."""
    if path.text is None:
        return path
    drive, _, rest = path.text.replace("\\", "/").partition(":")
    return known_word(f"/{drive.lower()}/{rest.lstrip('/')}", path.src) if len(drive) == 1 else path


def icacls_or_takeown(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`icacls PATH /grant Everyone:F`, `takeown /f PATH /r`."""
    texts = _lower_case_texts(argv)
    named = (
        [word for option, word in pairwise(argv) if (option.text or "").lower() == "/f"]
        if program_name(argv).startswith("takeown")
        else list(argv[1:2])
    )
    everyone = any(text.startswith(("everyone:", "*s-1-1-0:")) for text in texts)
    if program_name(argv).startswith("takeown") or not set(texts).isdisjoint(
        ("/grant", "/grant:r", "/deny", "/reset", "/setowner", "/remove")
    ):
        for word in named:
            mode = known_word("777" if everyone else "u+rwx")
            place = context.resolve_place(_drive_to_path(_restore_typed_text(word)))
            yield Permission(place, mode, not set(texts).isdisjoint(("/t", "/r")), context.origin)


def foreign_command(language: str) -> Program:
    """A command of another shell, which agents that work on both systems type in either."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        name = known_word(program_name(argv), argv[0].src)  # under any path
        code = argv[1:] if program_name(argv) == "Invoke-Expression" else (name, *argv[1:])
        yield Interpret(
            language, join_arguments([_restore_typed_text(word) for word in code]), context.origin, via=make_carrier(argv)
        )

    return Program(does=report_effects)


def _restore_typed_text(word: Word) -> Word:
    """Restores `C:\\Users` after a shell removed the backslash, and `*` that it would expand itself."""
    if all(isinstance(part, str) or is_glob(part) for part in word.parts):
        word = known_word("".join(part if isinstance(part, str) else part.like for part in word.parts), word.src)
    drive = _BARE_DRIVE.match(word.head)
    return word if drive is None else known_word(f"{drive[0]}\\", word.src) + word.drop_first(2)


_BARE_DRIVE = re.compile(r"[A-Za-z]:(?![\\/])")
_VSSADMIN = program_of_word_forms("disk.destroy", "delete shadows", "resize shadowstorage")
_WMIC = program_of_word_forms("disk.destroy", "shadowcopy delete")
_BCDEDIT = program_of_word_forms("disk.destroy", "/delete", "/set", "/deletevalue", "/import")
_WBADMIN = program_of_word_forms("disk.destroy", "delete catalog", "delete systemstatebackup", "delete backup")
_CIPHER = program_of_word_forms("disk.destroy", "/w")
_REG = program_of_word_forms("kernel.change", "delete")
_WEVTUTIL = program_of_word_forms("trace.erase", "cl", "clear-log")
_FSUTIL = program_of_word_forms("disk.destroy", "file setzerodata", "volume dismount", "usn deletejournal")


def reg(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A value under a key that ends in `Run` or `RunOnce` starts with the session."""
    key = (argv[2].text or "").lower().replace("\\", "/") if len(argv) > 2 else ""
    if (
        key
        and (argv[1].text or "").lower() == "add"
        and key.endswith(("/run", "/runonce", "currentversionrun", "currentversionrunonce"))
    ):
        yield Operation("schedule.change", context.origin, argv[2], (("remove", False), ("edit", False)))
    yield from _REG.effects_of_call(argv, context)


def download_tool(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Tools that can also download: `certutil -urlcache -f URL FILE`, `bitsadmin /transfer JOB URL FILE`."""
    for n, word in enumerate(argv):
        if n and word.contains("://") is True:
            yield Connect(word, context.origin)
            got = context.unknown_output(f"the response of {word.display_text}")
            yield from (Write(context.resolve_place(file), got, False, context.origin) for file in argv[n + 1 : n + 2])
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def run_from_address(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """mshta and regsvr32 run a script from an address."""
    for word in argv[1:]:
        _, found, rest = word.partition("http")
        if found and (rest.starts_with("://") is True or rest.starts_with("s://") is True):
            yield Connect(known_word("http") + rest, context.origin)
            yield Interpret(
                "jscript", context.unknown_output(f"the response of {word.display_text}"), context.origin, via=make_carrier(argv)
            )


def runas(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    user = next((word.outline.partition(":")[2] for word in argv[1:] if word.outline.lower().startswith("/user:")), "")
    rest = [word for word in argv[1:] if not word.head.startswith("/")]
    if user:
        yield Escalate("runas", user, context.origin)
    yield from (Interpret("cmd", word, context.origin, via=Carrier("runas")) for word in rest[:1])


def invoke_web_request(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A PowerShell command in another shell: it prints what it downloads."""
    yield Interpret(
        "powershell", join_arguments([known_word(program_name(argv)), *argv[1:]]), context.origin, via=make_carrier(argv)
    )
    yield from (Connect(word, context.origin) for word in argv[1:] if word.contains("://") is True)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def program_of_word_sets(operation: str, *forms: str, flags: tuple[tuple[str, bool], ...] = ()) -> Program:
    """macOS' settings tools: a form is a set of words that must all be in argv."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        texts = {(word.text or "").lower() for word in argv[1:]}
        if any(texts.issuperset(form.split()) for form in forms):
            yield Operation(operation, context.origin, join_words(argv), flags)
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


_SCHTASKS = program_of_word_forms("schedule.change", "/create", "/delete", "/change")
_CMDLETS = (
    "Remove-Item Clear-Content Clear-Disk Format-Volume Remove-Partition Initialize-Disk Stop-Computer Restart-Computer Stop-Service"
    " Invoke-Expression Remove-ItemProperty Clear-RecycleBin"
)
ROWS: dict[str, Program] = {
    **dict.fromkeys(("del", "erase", "rd", "robocopy", "robocopy.exe"), foreign_command("cmd")),
    **dict.fromkeys(_CMDLETS.split(), foreign_command("powershell")),
    **dict.fromkeys(("reg", "reg.exe"), Program(does=reg)),
    **dict.fromkeys(("mshta", "mshta.exe", "regsvr32", "regsvr32.exe"), Program(does=run_from_address)),
    **dict.fromkeys(("certutil", "certutil.exe", "bitsadmin", "bitsadmin.exe"), Program(does=download_tool)),
    **dict.fromkeys(("wevtutil", "wevtutil.exe"), _WEVTUTIL),
    **dict.fromkeys(("fsutil", "fsutil.exe"), _FSUTIL),
    **dict.fromkeys(("icacls", "icacls.exe", "takeown", "takeown.exe"), Program(does=icacls_or_takeown)),
    "runas": Program(does=runas),
    **dict.fromkeys(("iwr", "irm", "Invoke-WebRequest", "Invoke-RestMethod"), Program(does=invoke_web_request)),
    "pmset": program_of_word_sets("power.off", "sleepnow", "displaysleepnow", "schedule"),
    "softwareupdate": program_of_word_sets("power.off", "--restart", "-r"),
    "systemsetup": program_of_word_sets("account.change", "-setremotelogin on", "-f -setremotelogin", "-setremoteappleevents on"),
    "scutil": program_of_word_sets("machine.setting", "--set"),
    "tccutil": program_of_word_sets("firewall.change", "reset"),
    "fdesetup": program_of_word_sets("firewall.change", "disable", "removeuser", "removerecovery"),
    "profiles": program_of_word_sets("firewall.change", "remove", "-r", "-d", "install"),
    **dict.fromkeys(("kextunload", "kextload"), Program(operation="kernel.change")),
    "dseditgroup": program_of_word_sets("account.change", "edit", "create", "delete"),
    **dict.fromkeys(("vssadmin", "vssadmin.exe"), _VSSADMIN),
    **dict.fromkeys(("wmic", "wmic.exe"), _WMIC),
    **dict.fromkeys(("bcdedit", "bcdedit.exe"), _BCDEDIT),
    **dict.fromkeys(("wbadmin", "wbadmin.exe"), _WBADMIN),
    **dict.fromkeys(("cipher", "cipher.exe"), _CIPHER),
    **dict.fromkeys(("schtasks", "schtasks.exe"), _SCHTASKS),
    **dict.fromkeys(("taskkill", "taskkill.exe"), Program(does=taskkill)),
    "defaults": Program(does=defaults),
    "nvram": program_of_word_forms("disk.destroy", "-c", "-d"),
    "tmutil": Program(does=tmutil),
}
