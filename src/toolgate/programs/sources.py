"""Where a package manager is told to install from."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .program import Program

INDEXES = (
    "-i", "--index-url", "--extra-index-url", "--index", "--default-index", "--find-links", "--registry", "--source", "--git",
    "--add",
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


_SOURCES = ("index-url", "extra-index-url", "find-links", "registry", "npmRegistryServer")
_LASTS = (("lasts", True),)
_SHELLS = ("sh", "bash", "zsh", "dash", "pwsh", "powershell", "cmd")


def lasting(words: list[Word], seen: Seen) -> Iterator[Operation]:
    """`config set KEY VALUE`, `config set KEY=VALUE`: where every later install comes from, and by what the scripts of packages run."""
    texts = [word.text for word in words[:2]]
    if texts in (["source", "add"], ["config", "channels"]):
        yield from (Operation("package.source", seen.origin, word, _LASTS) for word in words[2:] if word.contains("://") is True)
    rest = words[2:] if texts == ["config", "set"] else words[1:] if texts[:1] == ["set"] else []
    while rest:
        key, joined, value = rest[0].partition("=")
        if not joined and len(rest) > 1:
            value = rest[1]
        rest = rest[1 if joined else 2 :]
        name = (key.text or "").rpartition(".")[2].rpartition(":")[2]
        if name == "trusted-host":
            yield Operation("package.source", seen.origin, known("http://") + value, _LASTS)
        elif name in _SOURCES and value.parts:
            yield Operation("package.source", seen.origin, value, _LASTS)
        elif name == "script-shell" and value.parts:
            program = value.tail.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
            if program not in _SHELLS:
                yield Operation("package.source", seen.origin, value, (*_LASTS, ("runs", True)))


def installing(verbs: tuple[str, ...], program: Program) -> Program:
    """A package manager that installs by one of these subcommands, and does the rest by its own row."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if len(argv) > 1 and argv[1].text in verbs:
            yield from named(argv[1:], seen)
        yield from program.effects(argv, seen)

    return Program(program.flags, does=does)
