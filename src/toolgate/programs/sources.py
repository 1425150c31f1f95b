"""Where a package manager is told to install from."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word

from .program import Program

INDEXES = (
    "-i", "--index-url", "--extra-index-url", "--index", "--default-index", "--find-links", "--registry", "--source", "--git",
)  # fmt: skip


def named(argv: tuple[Word, ...], seen: Seen) -> Iterator[Operation]:
    """The indexes of an install, and the packages that are URLs: `git+https://..`, an archive."""
    for n, word in enumerate(argv[1:], 1):
        option, attached, value = word.partition("=")
        if option.text in INDEXES and (attached or n + 1 < len(argv)):
            value = value if attached else argv[n + 1]
        elif word.starts("-") is not False or argv[n - 1].text in INDEXES:
            continue
        else:
            value = word.cut(len("git+")) if word.starts("git+") is True else word
        if value.contains("://") is True:
            yield Operation("package.source", seen.origin, value)


def installing(verbs: tuple[str, ...], program: Program) -> Program:
    """A package manager that installs by one of these subcommands, and does the rest by its own row."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if len(argv) > 1 and argv[1].text in verbs:
            yield from named(argv[1:], seen)
        yield from program.effects(argv, seen)

    return Program(program.flags, does=does)
