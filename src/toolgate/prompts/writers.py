"""The programs that a grant can cover: under these options they change only their operands.

No other program can be granted, since its row may not report all of its effects.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple


class Writing(NamedTuple):
    """The operands and options of a granted program.

    `paths`: its operands that are files. `program`: for git, with the subcommand.
    """

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
    """Returns the parts of a command that a grant can cover, or None."""
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
        return None  # it would open an editor, or commit unstaged changes
    return Writing(program, tuple(options), tuple(paths))


TESTS = (
    *(("pytest",), ("python3", "-m", "pytest"), ("python", "-m", "pytest"), ("python3", "-m", "unittest"), ("tox",), ("nox",)),
    *(("npm", "test"), ("npm", "run", "test"), ("yarn", "test"), ("pnpm", "test"), ("make", "test"), ("make", "check")),
    *(("cargo", "test"), ("go", "test"), ("mvn", "test"), ("gradle", "test"), ("dotnet", "test"), ("rake", "test")),
)
"""Prefixes of commands that run a project's own tests."""
_PLAIN_WORD = re.compile(r"[\w./:=@+-]+")


def read_test_command(text: str) -> tuple[str, ...]:
    """Returns the words of a command that only runs a project's tests; an empty tuple for any other text."""
    words = tuple(text.split(" "))
    inside = all(_PLAIN_WORD.fullmatch(word) and word[:1] != "/" and "/../" not in f"/{word}/" for word in words)
    return words if inside and _begins(words) else ()


def _begins(words: tuple[str, ...]) -> bool:
    return any(words[: len(each)] == each for each in TESTS)
