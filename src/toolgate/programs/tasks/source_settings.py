"""Files that name where packages come from: settings of package managers, manifests and lock files."""

import re
from collections.abc import Callable, Iterator

from toolgate.model.effect import Carrier, Operation, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

Reader = Callable[[str, Word, ExecutionContext], Iterator[ReportedEffect]]

_RUNS_OR_IS_UNSAFE = re.compile(
    r"""\s*(?P<key>script-shell|shell|node-options|init-module|onload-script|git|yarnPath|(?:@?[\w.-]+:)?registry|npmRegistryServer"""
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

    def read_sources(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
        for found in source.finditer(content.text or ""):
            yield Operation("package.source", context.origin, known_word(found[1], content.src), (("lasts", True),))

    return read_sources
