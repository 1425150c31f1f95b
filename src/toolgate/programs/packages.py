"""Package managers: installation and removal. Code that an install runs is not followed."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Prints, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .convention import written
from .options import Flags
from .program import Program, via
from .python_environments import interpreter_given
from .sources import lasting, named

FLAGS = Flags(
    "-y,--yes,--assume-yes -q,--quiet -s,--simulate,--dry-run -r,--requirement=read -e,--editable= -i,--index-url= --extra-index-url= -c,--constraint= -t,--target="
    " -n,--name= -p,--python= --prefix= --root= --with= --with-requirements=read --with-editable= -U,--upgrade --user --no-cache --no-cache-dir --purge --reinstall --cask --pre --no-install-recommends --break-system-packages --force-reinstall"
)
_REMOVES = (
    "remove", "rm", "uninstall", "purge", "autoremove", "erase", "delete", "del", "-R", "--remove", "-C", "--unmerge", "--depclean",
)  # fmt: skip
_INSTALLS = ("install", "add", "upgrade", "update", "-S", "-Sy", "-Syu", "reinstall", "in", "sync", "inject", "runpip")
_INTO = ("inject", "runpip")
"""Verbs followed by the name of an existing environment."""
_REPLACES = ("upgrade", "update", "reinstall", "-Syu")
_VERSIONS = ("==", "<", "~=", "!=", "@")


def _verb(word: Word) -> str | None:
    """Return the verb. pacman's are clusters that begin with a capital: `-Rns`, `-Rscn` remove."""
    text = word.text or ""
    return "-R" if text.startswith("-R") and text[1:].isalpha() else word.text


def _is_verb(word: Word) -> bool:
    return _verb(word) in (*_REMOVES, *_INSTALLS)


def manage(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = FLAGS.read(argv)
    words = [word for word in argv[1:] if word in given.operands or _is_verb(word)]
    if words and words[0].text in ("pip", "tool"):  # uv pip install, uv tool uninstall
        words = words[1:]
    verb = _verb(words[0]) if words else None
    if verb is not None and (python := interpreter_given(argv, given.value("--python"), seen)) is not None:
        yield Run((python, known("-m"), known("pip"), *words), seen.origin, via(argv))
    if verb in _INSTALLS:
        yield from named(argv, seen)
    yield from lasting([word for word in argv[1:] if word.starts("-") is False], seen)
    if verb in (*_REMOVES, *_INSTALLS):
        name = "package.remove" if verb in _REMOVES else "package.install"
        replaces = given.flag("--upgrade", "--reinstall", "--force-reinstall") is not False or verb in _REPLACES
        system = via(argv) in SYSTEM
        forced = not {word.text for word in argv[1:]}.isdisjoint(_FORCES)
        into = verb in _INTO or given.value("--with", "--with-requirements", "--with-editable") is not None
        for n, word in enumerate(words[1:]):
            itself = word.text == via(argv).rstrip("3")
            again = replaces or (into and not n) or any(word.contains(mark) is True for mark in _VERSIONS)
            flags = (("replaces", again),) if name == "package.install" else (("system", system), ("forced", forced or itself))
            yield Operation(name, seen.origin, word, flags)
        for folder in () if system else given.all("--target", "--prefix", "--root"):  # in apt, -t is a release
            yield written(folder, True, seen)
    if via(argv) in ("apt", "apt-get", "aptitude"):
        yield from _invoked_by_apt(argv, seen)
    yield Prints(seen.output(via(argv)))


_INVOKES = re.compile(r"(?i)\w+(?:::[\w-]+)*::(?:(?:pre|post)-invoke(?:-success|-stats)?|pre-install-pkgs)(?:::)?")


def _invoked_by_apt(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Run the shell hooks in apt's `-o APT::Update::Pre-Invoke::=COMMAND` (apt.conf(5))."""
    for setting in _APT.read(argv).all("--option"):
        name, _, command = setting.partition("=")
        if name.text is not None and (_INVOKES.fullmatch(name.text) or name.text.lower().startswith("dir::bin::")):
            yield Interpret("shell", command, seen.origin, via=f"{via(argv)} -o {name.text}")


_APT = Flags("-o,--option=")

SYSTEM = ("apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "pacman", "apk", "snap", "emerge", "pkg")
"""Package managers of the operating system."""
_FORCES = (
    "--force-all", "--force-depends", "--force-remove-essential", "--nodeps", "-Rdd", "--ignore-dependencies", "--allow-remove-essential",
    "--force-broken-world",
)  # fmt: skip

MANAGES = Program(does=manage)


def files(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """dpkg and rpm, which package managers call: an option is the action."""
    texts = {word.text for word in argv[1:]}
    if not texts.isdisjoint(("-r", "-P", "--remove", "--purge") if via(argv) == "dpkg" else ("-e", "--erase")):
        flags = (("system", True), ("forced", not texts.isdisjoint(_FORCES)))
        yield from (Operation("package.remove", seen.origin, word, flags) for word in argv[1:] if word.starts("-") is False)
    yield Prints(seen.output(via(argv)))


ROWS: dict[str, Program] = {
    **dict.fromkeys((*SYSTEM, "brew", "port", "flatpak", "pip", "pip3"), MANAGES),
    **dict.fromkeys(("dpkg", "rpm"), Program(does=files)),
}
