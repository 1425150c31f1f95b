"""Package managers: installation and removal. Code that an install runs is not followed."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, PrintedOutput, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.conventions import build_write
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier, program_name

from .python_environments import find_interpreter
from .sources import find_persistent_sources, find_sources

PACKAGE_OPTIONS = Flags(
    "-y,--yes,--assume-yes -q,--quiet -s,--simulate,--dry-run -r,--requirement=read -e,--editable= -i,--index-url= --extra-index-url= -c,--constraint= -t,--target="
    " -n,--name= -p,--python= --prefix= --root= --with= --with-requirements=read --with-editable= -U,--upgrade --user --no-cache --no-cache-dir --purge --reinstall --cask --pre --no-install-recommends --break-system-packages --force-reinstall"
)
_REMOVAL_VERBS = (
    "remove", "rm", "uninstall", "purge", "autoremove", "erase", "delete", "del", "-R", "--remove", "-C", "--unmerge", "--depclean",
)  # fmt: skip
_INSTALL_VERBS = ("install", "add", "upgrade", "update", "-S", "-Sy", "-Syu", "reinstall", "in", "sync", "inject", "runpip")
_INJECTING_VERBS = ("inject", "runpip")
"""Verbs followed by the name of an existing environment."""
_REPLACING_VERBS = ("upgrade", "update", "reinstall", "-Syu")
_VERSION_MARKS = ("==", "<", "~=", "!=", "@")


def _verb_of_word(word: Word) -> str | None:
    """Returns the verb. pacman's are clusters that begin with a capital: `-Rns`, `-Rscn` remove."""
    text = word.text or ""
    return "-R" if text.startswith("-R") and text[1:].isalpha() else word.text


def _is_verb(word: Word) -> bool:
    return _verb_of_word(word) in (*_REMOVAL_VERBS, *_INSTALL_VERBS)


def package_manager(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = PACKAGE_OPTIONS.parse(argv)
    words = [word for word in argv[1:] if word in options.operands or _is_verb(word)]
    if words and words[0].text in ("pip", "tool"):  # uv pip install, uv tool uninstall
        words = words[1:]
    verb = _verb_of_word(words[0]) if words else None
    if verb is not None and (python := find_interpreter(argv, options.value_of("--python"), context)) is not None:
        yield Run((python, known_word("-m"), known_word("pip"), *words), context.origin, make_carrier(argv))
    if verb in _INSTALL_VERBS:
        yield from find_sources(argv, context)
    yield from find_persistent_sources([word for word in argv[1:] if word.starts_with("-") is False], context)
    if verb in (*_REMOVAL_VERBS, *_INSTALL_VERBS) and not _is_simulated(argv):
        name = "package.remove" if verb in _REMOVAL_VERBS else "package.install"
        replaces = options.has_flag("--upgrade", "--reinstall", "--force-reinstall") is not False or verb in _REPLACING_VERBS
        system = program_name(argv) in SYSTEM_MANAGERS
        forced = not {word.text for word in argv[1:]}.isdisjoint(_FORCING_OPTIONS)
        into = verb in _INJECTING_VERBS or options.value_of("--with", "--with-requirements", "--with-editable") is not None
        for n, word in enumerate(words[1:]):
            itself = word.text == program_name(argv).rstrip("3")
            again = replaces or (into and not n) or any(word.contains(mark) is True for mark in _VERSION_MARKS)
            flags = (("replaces", again),) if name == "package.install" else (("system", system), ("forced", forced or itself))
            yield Operation(name, context.origin, word, flags)
        for folder in () if system else options.values_of("--target", "--prefix", "--root"):  # in apt, -t is a release
            yield build_write(folder, True, context)
    if program_name(argv) in ("apt", "apt-get", "aptitude"):
        yield from _run_apt_hooks(argv, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def _is_simulated(argv: tuple[Word, ...]) -> bool:
    """Returns whether apt only prints what it would do (apt-get(8))."""
    words = {word.text for word in argv[1:]}
    return program_name(argv) in ("apt", "apt-get", "aptitude") and not words.isdisjoint(_SIMULATION)


_SIMULATION = ("-s", "--simulate", "--just-print", "--dry-run", "--recon", "--no-act")
_APT_HOOK = re.compile(r"(?i)\w+(?:::[\w-]+)*::(?:(?:pre|post)-invoke(?:-success|-stats)?|pre-install-pkgs)(?:::)?")


def _run_apt_hooks(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the shell hooks in apt's `-o APT::Update::Pre-Invoke::=COMMAND` (apt.conf(5))."""
    for setting in _APT.parse(argv).values_of("--option"):
        name, _, command = setting.partition("=")
        if name.text is not None and (_APT_HOOK.fullmatch(name.text) or name.text.lower().startswith("dir::bin::")):
            yield Interpret("shell", command, context.origin, via=make_carrier(argv, f"-o {name.text}"))


_APT = Flags("-o,--option=")

SYSTEM_MANAGERS = ("apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "pacman", "apk", "snap", "emerge", "pkg")
"""Package managers of the operating system."""
_FORCING_OPTIONS = (
    "--force-all", "--force-depends", "--force-remove-essential", "--nodeps", "-Rdd", "--ignore-dependencies", "--allow-remove-essential",
    "--force-broken-world",
)  # fmt: skip

PACKAGE_MANAGER = Program(does=package_manager)


def dpkg_or_rpm(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """dpkg and rpm, which package managers call: an option is the action. rpm expands macros."""
    texts = {word.text for word in argv[1:]}
    if not texts.isdisjoint(("-r", "-P", "--remove", "--purge") if program_name(argv) == "dpkg" else ("-e", "--erase")):
        flags = (("system", True), ("forced", not texts.isdisjoint(_FORCING_OPTIONS)))
        yield from (
            Operation("package.remove", context.origin, word, flags) for word in argv[1:] if word.starts_with("-") is False
        )
    for text in (word.text or "" for word in argv[1:]):
        yield from (
            Interpret("shell", known_word(found), context.origin, via=make_carrier(argv, "%()")) for found in _SHELL_MACRO(text)
        )
        yield from (
            Interpret("lua", known_word(found), context.origin, via=make_carrier(argv, "%{lua:}")) for found in _LUA_MACRO(text)
        )
    yield PrintedOutput(context.unknown_output(program_name(argv)))


_SHELL_MACRO = re.compile(r"%\((.*)\)", re.DOTALL).findall
_LUA_MACRO = re.compile(r"%\{lua:(.*)\}", re.DOTALL).findall
"""Macros that rpm expands in `--eval` and `--define` by a shell, and by its own Lua."""


ROWS: dict[str, Program] = {
    **dict.fromkeys((*SYSTEM_MANAGERS, "brew", "port", "flatpak", "pip", "pip3"), PACKAGE_MANAGER),
    **dict.fromkeys(("dpkg", "rpm", "rpmspec"), Program(does=dpkg_or_rpm)),
}
