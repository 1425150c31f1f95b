"""The settings that a call gives git itself, on its command line and in variables (git(1), git-config(1))."""

from collections.abc import Iterator

from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .git_files import Setting
from .options import Given

_MOST = 100
"""The number of numbered settings that are read."""


def given_to(top: Given, seen: Seen) -> Iterator[Setting]:
    """Yield the settings in git's order, except GIT_CONFIG_PARAMETERS, which is internal to git."""
    count = (seen.variable("GIT_CONFIG_COUNT") or known("0")).text or ""
    for n in range(min(int(count), _MOST) if count.isdecimal() else 0):
        name, value = seen.variable(f"GIT_CONFIG_KEY_{n}"), seen.variable(f"GIT_CONFIG_VALUE_{n}")
        if name is not None and value is not None:
            yield Setting(_plain(name.text or ""), value)
    for option, setting in top.values:
        name, valued, value = setting.partition("=")
        if option == "-c":
            yield Setting(_plain(name.text or ""), value if valued else known("true"))
        elif option == "--config-env":
            yield Setting(_plain(name.text or ""), seen.variable(value.text or "") or Word(()))


def _plain(name: str) -> str:
    """Lower-case the section and the key; a subsection is case-sensitive."""
    section, _, rest = name.partition(".")
    subsection, dot, key = rest.rpartition(".")
    return f"{section.lower()}.{subsection}{dot}{key.lower()}"
