"""The sources that package managers install from."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.shells import SHELLS
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import Program

INDEX_OPTIONS = (
    "-i", "--index-url", "--extra-index-url", "--index", "--default-index", "--find-links", "--registry", "--source", "--git",
    "--add",
)  # fmt: skip


def find_sources(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields the indexes of an install, and the packages that are URLs: `git+https://..`, an archive."""
    for n, word in enumerate(argv[1:], 1):
        option, attached, value = word.partition("=")
        if option.text in INDEX_OPTIONS and (attached or n + 1 < len(argv)):
            value = value if attached else argv[n + 1]
        elif word.starts_with("-") is not False or argv[n - 1].text in INDEX_OPTIONS:
            continue
        else:
            value = word.drop_first(len("git+")) if word.starts_with("git+") is True else word
        if value.contains("://") is True:
            yield Operation("package.source", context.origin, value)
    yield from find_sources_of_call(argv, context)
    yield from _find_unencrypted_sources(argv, context)


_PLAIN_ADDRESS = re.compile(r"(?<![\w:])http://(?!(?:localhost|127\.0\.0\.1|\[::1\])\b)[\w.-]+(?::\d+)?/[^\s\"',;#]*")
_LIST_OPTIONS = ("-r", "--requirement", "-c", "--constraint")
_MANIFEST_TOOLS = ("npm", "pnpm", "yarn", "bun")


def _find_unencrypted_sources(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields the sources that a list of requirements, or the dependencies of package.json, names without encryption. Other
    sources there are their project's choice."""
    lists = [value for option, value in pairwise(argv) if option.text in _LIST_OPTIONS]
    lists += [
        value for option, joined, value in (word.partition("=") for word in argv) if joined and option.text in _LIST_OPTIONS
    ]
    lists += [word.drop_first(2) for word in argv if word.starts_with("-r") is True and len(word.head) > 2]
    texts = [_COMMENT.sub("", text.text or "") for file in lists for text in context.read_alternatives(file)]
    if argv[0].file_name in _MANIFEST_TOOLS:
        files = context.read_alternatives(known_word("package.json"))
        texts += [found for text in files for found in _DEPENDENCY.findall(text.text or "")]
    for address in dict.fromkeys(found for text in texts for found in _PLAIN_ADDRESS.findall(text)):
        yield Operation("package.source", context.origin, known_word(address))


_COMMENT = re.compile(r"(?:^|\s)#.*", re.MULTILINE)
_DEPENDENCY = re.compile(r"\"[@\w./-]+\"\s*:\s*\"(http://[^\"\s]+\.t(?:ar\.)?gz[^\"\s]*)\"")

_SOURCE_SETTINGS = ("index-url", "extra-index-url", "find-links", "registry", "npmRegistryServer")
_PERSISTENT = (("lasts", True),)


def find_persistent_sources(words: list[Word], context: ExecutionContext) -> Iterator[Operation]:
    """`config set KEY VALUE`, `config set KEY=VALUE`: the source of every later install, and the shell for scripts of
    packages."""
    texts = [word.text for word in words[:2]]
    if texts in (["source", "add"], ["config", "channels"]):
        yield from (
            Operation("package.source", context.origin, word, _PERSISTENT) for word in words[2:] if word.contains("://") is True
        )
    rest = words[2:] if texts == ["config", "set"] else words[1:] if texts[:1] == ["set"] else []
    while rest:
        key, joined, value = rest[0].partition("=")
        if not joined and len(rest) > 1:
            value = rest[1]
        rest = rest[1 if joined else 2 :]
        name = (key.text or "").rpartition(".")[2].rpartition(":")[2]
        if name == "trusted-host":
            yield Operation("package.source", context.origin, known_word("http://") + value, _PERSISTENT)
        elif name in _SOURCE_SETTINGS and value.parts:
            yield Operation("package.source", context.origin, value, _PERSISTENT)
        elif name == "script-shell" and value.parts:
            program = value.tail.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
            if program not in SHELLS:
                yield Operation("package.source", context.origin, value, (*_PERSISTENT, ("runs", True)))


_INDEX_VARIABLES = (
    "PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL UV_INDEX npm_config_registry NPM_CONFIG_REGISTRY "
    "GOPROXY YARN_NPM_REGISTRY_SERVER YARN_REGISTRY BUNDLE_MIRROR__ALL GEM_SOURCE CARGO_REGISTRIES_CRATES_IO_INDEX CONDA_CHANNEL_ALIAS"
).split()
"""Variables with the effect of an index option."""
_ARCHIVES = (".whl", ".tgz", ".tar.gz", ".zip", ".gem", ".crate", ".tar.bz2", ".egg", ".deb", ".rpm")


def find_sources_of_call(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields the indexes in variables of this call, and archives that this call downloaded."""
    for name in _INDEX_VARIABLES:
        for value in context.get_variables(name):
            for part in (value,) if value.text is None else map(known_word, re.split(r"[,|\s]", value.text)):
                if part.contains("://") is True:
                    yield Operation("package.source", context.origin, part)
    for value in context.get_variables("GOINSECURE") if argv[0].file_name == "go" else ():
        if value.parts:
            yield Operation("package.source", context.origin, known_word("http://") + value)
    for text in context.read_alternatives(known_word(".npmrc")):
        for address in _REGISTRY.findall(text.text or "") if text.src else ():
            yield Operation("package.source", context.origin, known_word(address, text.src))
    for word in argv[1:]:
        if word.tail.endswith(_ARCHIVES) and word.contains("://") is not True and (brought := context.read(word).src - {0}):
            yield Operation("package.source", context.origin, word.from_commands(brought), (("brought", True),))


_SOURCE_VERBS: dict[str, tuple[str, ...]] = {
    "brew": ("tap", "install"),
    "helm": ("repo add", "install", "upgrade"),
    **dict.fromkeys(("apt-add-repository", "add-apt-repository"), ("",)),
    "composer": ("config", "require", "create-project"),
    **dict.fromkeys(("terraform", "tofu"), ("init",)),
    "nix": ("run", "shell", "develop", "profile install", "build"),
    "rpm": ("-i", "-U", "-ivh", "-Uvh", "--install", "--upgrade"),
    **dict.fromkeys(("dnf", "yum", "zypper", "apt", "apt-get"), ("install", "localinstall")),
    **dict.fromkeys(("docker", "podman", "nerdctl"), ("pull", "run", "create")),
    "dotnet": ("nuget add source", "add", "restore", "tool install", "new install"),
    **dict.fromkeys(("bundle", "bundler"), ("config", "install")),
    "asdf": ("plugin add", "plugin-add"),
    "mise": ("plugin install", "plugins install", "plugin add"),
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
    **dict.fromkeys(("claude", "copilot"), ("plugin marketplace add", "plugin install")),
    **dict.fromkeys(("gemini", "qwen"), ("extensions install",)),
}
"""By program, the words after which an address is an install source."""
_PROGRAM_RUNNERS = ("uvx", "pipx")
"""Programs for which the words after a package's name are that program's arguments."""
_REGISTRY = re.compile(r"^(?:@[\w-]+:)?registry\s*=\s*(\S+)", re.MULTILINE)
_ADDRESS = re.compile(r"(?:https?|oci)://[^\s'\"),]+")
_IMAGE_OF_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?/\S+")
_SPECIFICATION_OPTIONS = ("--spec", "--from")


def find_added_sources(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields the sources that a program of this name is told to use, besides those of its row. A chart repository over https is
    an ordinary one."""
    texts = [word.text for word in argv[1:]]
    if not any(texts[: len(verb.split())] == verb.split() for verb in _SOURCE_VERBS.get(name, ())):
        return
    is_container = name in ("docker", "podman", "nerdctl")
    for before, word in pairwise(argv):
        is_specified = word.contains("git+") is True or before.text in _SPECIFICATION_OPTIONS
        if name in _PROGRAM_RUNNERS and not is_specified:
            continue
        if is_container:
            if before.starts_with("-") is not True and _IMAGE_OF_ADDRESS.fullmatch(word.text or ""):
                yield Operation("package.source", context.origin, known_word("http://") + word)
            continue
        if word.starts_with("ppa:") is True:
            yield Operation("package.source", context.origin, known_word("http://ppa.launchpad.net/") + word.drop_first(4))
        for address in _ADDRESS.findall(word.text or ""):
            if name != "helm" or texts[0] != "repo" or address.startswith("http://"):
                yield Operation("package.source", context.origin, known_word(address, word.src))


_SCRIPT_METADATA = re.compile(r"^# /// script\n((?:#.*\n)+?)# ///$", re.MULTILINE)


def find_script_sources(script: Word, context: ExecutionContext) -> Iterator[Operation]:
    """Yields the addresses in the metadata of a Python script (PEP 723), from which `uv run` installs before it runs it."""
    for text in context.read_alternatives(script):
        for block in _SCRIPT_METADATA.findall(text.text or ""):
            for address in _ADDRESS.findall(block):
                yield Operation("package.source", context.origin, known_word(address, text.src))


def add_install_sources(verbs: tuple[str, ...], program: Program) -> Program:
    """A package manager that installs with these subcommands; its own row describes the rest."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if len(argv) > 1 and argv[1].text in verbs:
            yield from find_sources(argv[1:], context)
        yield from program.effects_of_call(argv, context)

    return Program(program.flags, does=report_effects)
