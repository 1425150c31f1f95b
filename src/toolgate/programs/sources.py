"""The sources that package managers install from."""

import re
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
    """Yield the indexes of an install, and the packages that are URLs: `git+https://..`, an archive."""
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
    yield from from_elsewhere(argv, seen)


_SOURCES = ("index-url", "extra-index-url", "find-links", "registry", "npmRegistryServer")
_LASTS = (("lasts", True),)
_SHELLS = ("sh", "bash", "zsh", "dash", "pwsh", "powershell", "cmd")


def lasting(words: list[Word], seen: Seen) -> Iterator[Operation]:
    """`config set KEY VALUE`, `config set KEY=VALUE`: the source of every later install, and the shell for scripts of
    packages."""
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


_VARIABLES = (
    "PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL UV_INDEX npm_config_registry NPM_CONFIG_REGISTRY "
    "YARN_NPM_REGISTRY_SERVER YARN_REGISTRY BUNDLE_MIRROR__ALL GEM_SOURCE CARGO_REGISTRIES_CRATES_IO_INDEX CONDA_CHANNEL_ALIAS"
).split()
"""Variables with the effect of an index option."""
_ARCHIVES = (".whl", ".tgz", ".tar.gz", ".zip", ".gem", ".crate", ".tar.bz2", ".egg", ".deb", ".rpm")


def from_elsewhere(argv: tuple[Word, ...], seen: Seen) -> Iterator[Operation]:
    """Yield the indexes in variables of this call, and archives that this call downloaded."""
    for name in _VARIABLES:
        for value in seen.variables(name):
            if value.contains("://") is True:
                yield Operation("package.source", seen.origin, value)
    for text in seen.contents(known(".npmrc")):
        for address in _REGISTRY.findall(text.text or "") if text.src else ():
            yield Operation("package.source", seen.origin, known(address, text.src))
    for word in argv[1:]:
        if word.tail.endswith(_ARCHIVES) and word.contains("://") is not True and (brought := seen.read(word).src - {0}):
            yield Operation("package.source", seen.origin, word.from_commands(brought), (("brought", True),))


_ADDED: dict[str, tuple[str, ...]] = {
    "brew": ("tap", "install"),
    "helm": ("repo add",),
    **dict.fromkeys(("apt-add-repository", "add-apt-repository"), ("",)),
    "composer": ("config",),
    "dotnet": ("nuget add source",),
    "nuget": ("sources add",),
    "luarocks": ("install",),
    **dict.fromkeys(("uvx", "pipx"), ("",)),
    "flatpak": ("remote-add", "install"),
    "conan": ("remote add",),
    "opam": ("repository add", "repo add"),
    "nix-channel": ("--add",),
    "poetry": ("source add",),
    "R": ("",),
    "Rscript": ("",),
}
"""By program, the words after which an address is an install source."""
_RUNNERS = ("uvx", "pipx")
"""Programs for which the words after a package's name are that program's arguments."""
_REGISTRY = re.compile(r"^(?:@[\w-]+:)?registry\s*=\s*(\S+)", re.MULTILINE)
_ADDRESS = re.compile(r"https?://[^\s'\"),]+")


def find_added_sources(name: str, argv: tuple[Word, ...], seen: Seen) -> Iterator[Operation]:
    """Yield the sources that a program of this name is told to use, besides those of its row. A chart repository over https is
    an ordinary one."""
    texts = [word.text for word in argv[1:]]
    if not any(texts[: len(verb.split())] == verb.split() for verb in _ADDED.get(name, ())):
        return
    for word in argv[1:]:
        if name in _RUNNERS and word.contains("git+") is not True:
            continue
        for address in _ADDRESS.findall(word.text or ""):
            if name != "helm" or address.startswith("http://"):
                yield Operation("package.source", seen.origin, known(address, word.src))


def installing(verbs: tuple[str, ...], program: Program) -> Program:
    """A package manager that installs with these subcommands; its own row describes the rest."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if len(argv) > 1 and argv[1].text in verbs:
            yield from named(argv[1:], seen)
        yield from program.effects(argv, seen)

    return Program(program.flags, does=does)
