"""Files that name where packages come from: settings of package managers, manifests and lock files."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from toolgate.documents import InvalidDocument, read_json_with_comments
from toolgate.model.effect import Carrier, Operation, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

Reader = Callable[[str, Word, ExecutionContext], Iterator[ReportedEffect]]

_RUNS_OR_IS_UNSAFE = re.compile(
    r"""\s*(?P<key>strict-ssl|script-shell|shell|node-options|init-module|onload-script|git|yarnPath|(?:@?[\w.-]+:)?registry|npmRegistryServer"""
    r"""|(?:extra-)?index-url|find-links)(?:\s*[=:]\s*|\s+)["']?(?P<value>[^"'\s].*?)["']?\s*$"""
)
_SOURCE_KEYS = ("registry", "npmRegistryServer", "index-url", "extra-index-url", "find-links")


def manager_settings_reader(*command: str) -> Reader:
    """Returns a reader of a package manager's settings: a line does what the manager's own command does. An address with
    encryption is left alone, since a line that stood there before cannot be told from a new one."""

    def read_settings(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
        for line in content.split_lines():
            found = _RUNS_OR_IS_UNSAFE.match(line.text or "")
            if found is None:
                continue
            key = found["key"].rpartition(":")[2]
            if key not in _SOURCE_KEYS or found["value"].startswith("http://"):
                yield Run(
                    (*map(known_word, command), known_word(key), known_word(found["value"], line.src)),
                    context.origin,
                    Carrier(command[0]),
                )

    return read_settings


def plain_source_reader(pattern: str) -> Reader:
    """Returns a reader of addresses without encryption that packages will come from; the pattern's group is the address."""
    source = re.compile(pattern)

    def read_addresses(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
        for found in source.finditer(content.text or ""):
            yield Operation("package.source", context.origin, known_word(found[1], content.src), (("lasts", True),))

    return read_addresses


_SOURCE_SECTION = re.compile(r"\w*[dD]ependencies|overrides|resolutions|publishConfig").fullmatch
_PLAIN_ADDRESS = re.compile(r"(?:git\+)?(http://\S+)").fullmatch
_read_fragment_of_package = plain_source_reader(
    r'"(?!(?:url|homepage|repository|bugs|funding)")[^"]+"\s*:\s*"(?:git\+)?(http://[^"\s]+\.(?:tgz|tar\.gz|git)(?:#[^"]*)?)"'
)


def _read_package_sources(path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the addresses in the sections that packages are installed from. In a part of the file any name may be a package's."""
    try:
        top = read_json_with_comments(content.text or "{}")
    except InvalidDocument:
        yield from _read_fragment_of_package(path, content, context)
        return
    for name, section in top.items() if isinstance(top, dict) else ():
        for address in map(_PLAIN_ADDRESS, _iter_texts(section)) if _SOURCE_SECTION(name) else ():
            if address is not None:
                yield Operation("package.source", context.origin, known_word(address[1], content.src), (("lasts", True),))


def _iter_texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        yield from (text for each in node.values() for text in _iter_texts(each))


_MAVEN_REPOSITORY = r"<(?:repository|pluginRepository|mirror)>\s*(?:<(?!url)\w+>[^<]*</\w+>\s*)*<url>\s*(http://[^<\s]+)"
_READERS: tuple[tuple[str, Reader], ...] = (
    (r"/\.?npmrc$|/\.yarnrc$", manager_settings_reader("npm", "config", "set")),
    (r"/\.yarnrc\.yml$", manager_settings_reader("yarn", "config", "set")),
    (r"/pip\.(?:conf|ini)$", manager_settings_reader("pip", "config", "set")),
    (
        r"/\.cargo/config(?:\.toml)?$|/(?:pyproject|uv|poetry)\.toml$",
        plain_source_reader(r"""(?m)^\s*(?:registry|index|(?:extra-)?index-url|url)\s*=\s*["'](?:sparse\+)?(http://[^"']+)"""),
    ),
    (
        r"/(?:requirements|constraints)[\w.-]*\.(?:txt|in)$",
        plain_source_reader(r"(?m)^\s*--?[\w-]*(?:index-url|find-links|i|f)[ =]+(http://\S+)"),
    ),
    (r"/(?:requirements|constraints)[\w.-]*\.(?:txt|in)$", plain_source_reader(r"(?m)^(?:[^#\n]*@\s*)?(http://\S+)")),
    (r"/composer\.json$", plain_source_reader(r'"url"\s*:\s*"(http://[^"]+)"')),
    (r"/pom\.xml$|/\.m2/settings\.xml$", plain_source_reader(_MAVEN_REPOSITORY)),
    (
        r"/(?:build|settings|init)\.gradle(?:\.kts)?$",
        plain_source_reader(r"""\b(?:url|uri)\s*[=(]?\s*(?:uri)?\(?\s*["'](http://[^"']+)"""),
    ),
    (r"(?i)/nuget\.config$", plain_source_reader(r'<add\s+key="[^"]*"\s+value="(http://[^"]+)"')),
    (r"/Gemfile$", plain_source_reader(r"""(?m)^\s*source[ (]+["'](http://[^"']+)""")),
    (r"/package\.json$", _read_package_sources),
    (
        r"/package-lock\.json$|/npm-shrinkwrap\.json$|/yarn\.lock$|/pnpm-lock\.yaml$",
        plain_source_reader(r"""["']?(?:resolved|tarball)["']?:?\s*["']?(http://[^"'\s,}]+)"""),
    ),
)
"""By path, the reader of the sources that a file names."""
_PATTERNS = tuple((re.compile(path), reader) for path, reader in _READERS)


def names_sources(path: str) -> bool:
    """Returns whether a file at this path may name where packages come from."""
    return any(pattern.search(path) for pattern, _ in _PATTERNS)


def read_sources(path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    for pattern, reader in _PATTERNS:
        if pattern.search(path):
            yield from reader(path, content, context)
