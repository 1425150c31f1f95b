"""The words that a tool's or a server's name consists of."""

import re
from functools import lru_cache

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = re.compile(r"[a-z]+")
_SHARED = frozenset(("mcp", "server", "my", "local", "the", "official"))


@lru_cache(512)
def split_words(name: str) -> tuple[str, ...]:
    """`deleteProject`, `delete_project` and `delete-project` alike, in lower case."""
    return tuple(_WORDS.findall(_CAMEL.sub(" ", name).lower()))


def bare_server(server: str) -> str:
    """`mcp-server-git`, `git_mcp`, `my-git-server`: by what is left of the name."""
    return "-".join(word for word in server.lower().replace("_", "-").split("-") if word not in _SHARED)
