"""The programs whose changes a grant can cover: they change what their operands name, and nothing else, under these options.

Any other program is granted nothing: what it does is not known as a whole, whatever its row reports.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple


class Writing(NamedTuple):
    """`paths`: its operands that are files. `program`: with the verb of git."""

    program: str
    options: tuple[str, ...]
    paths: tuple[str, ...]


_OPTIONS: Mapping[str, frozenset[str]] = {
    "mkdir": frozenset(("-p", "-v", "--parents")),
    "touch": frozenset(),
    "cp": frozenset(("-f", "-v", "-p", "-n")),
    "mv": frozenset(("-f", "-v", "-n")),
    "rm": frozenset(("-f", "-v")),
    "rmdir": frozenset(("-v",)),
    "tee": frozenset(("-a", "--append")),
    "git add": frozenset(("-u", "-v", "--")),
    "git commit": frozenset(("-q", "--quiet", "-a", "-am", "-m", "--message")),
}
_MESSAGES = frozenset(("-m", "-am", "--message"))


def read_writing(name: str, words: tuple[str, ...]) -> Writing | None:
    """None for a command that no grant covers."""
    rest = list(words)
    program = f"git {rest.pop(0)}" if name == "git" and rest else name
    allowed = _OPTIONS.get(program)
    if allowed is None:
        return None
    options, paths = [], []
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            paths.append(word)
        elif word not in allowed:
            return None
        else:
            options.append(word)
            if word in _MESSAGES and program == "git commit" and rest:
                rest.pop(0)
    if program == "git commit" and (paths or _MESSAGES.isdisjoint(options)):
        return None  # it would open an editor, or commit what was not staged
    return Writing(program, tuple(options), tuple(paths))


TESTS = (
    *(("pytest",), ("python3", "-m", "pytest"), ("python", "-m", "pytest"), ("python3", "-m", "unittest"), ("tox",), ("nox",)),
    *(("npm", "test"), ("npm", "run", "test"), ("yarn", "test"), ("pnpm", "test"), ("make", "test"), ("make", "check")),
    *(("cargo", "test"), ("go", "test"), ("mvn", "test"), ("gradle", "test"), ("dotnet", "test"), ("rake", "test")),
)
"""How the commands begin that run a project's own tests."""
_PLAIN_WORD = re.compile(r"[\w./:=@+-]+")


def read_test_command(text: str) -> tuple[str, ...]:
    """The words of a command that runs a project's tests and nothing beside; none for any other text."""
    words = tuple(text.split(" "))
    inside = all(_PLAIN_WORD.fullmatch(word) and word[:1] != "/" and "/../" not in f"/{word}/" for word in words)
    return words if inside and _begins(words) else ()


def _begins(words: tuple[str, ...]) -> bool:
    return any(words[: len(each)] == each for each in TESTS)
