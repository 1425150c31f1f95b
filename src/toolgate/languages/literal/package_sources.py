"""Repositories that a script names for the packages it loads: `@GrabResolver`, `@file:Repository`, `//> using repository`."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import known_word

_SOURCE = re.compile(
    r"(?:@GrabResolver\s*\([^)]{0,300}?|@file:Repository\s*\(\s*|//>\s*using\s+(?:repository|repositories|resolver)\s+|//REPOS\s+(?:\w+=)?"
    r"|\bMavenRepository(?:\.of)?\s*\(\s*|#i\s+\"nuget:\s*|\brepos\s*=\s*(?:c\s*\([^)]{0,300}?)?|\bPkg\.(?:add|develop)\s*\([^)]{0,300}?\burl\s*=\s*"
    r"|\bpackage-archives\b[^)]{0,300}?|\bMix\.install\b[^)]{0,300}?\b(?:git|repos?|url):[^)\"]{0,300}|:mvn/repos\b[^)]{0,300}?:url\s+|\bremotes::install_url\s*\(\s*)"
    r"[\"']?(https?://[^\s\"'),]+)"
)


def find_package_sources(text: str, context: ExecutionContext) -> Iterator[Operation]:
    """Yields the repositories that code installs from, besides the ordinary ones of its language."""
    for address in _SOURCE.findall(text):
        yield Operation("package.source", context.origin, known_word(address))
