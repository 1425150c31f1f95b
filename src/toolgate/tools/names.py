"""The words of a tool's or a server's name."""

import re
from functools import lru_cache

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = re.compile(r"[a-z]+")
_SHARED = frozenset(("mcp", "server", "my", "local", "localhost", "the", "official"))


@lru_cache(512)
def split_words(name: str) -> tuple[str, ...]:
    """Splits `deleteProject`, `delete_project` and `delete-project` into the same lower-case words."""
    return tuple(_WORDS.findall(_CAMEL.sub(" ", name).lower()))


def bare_server(server: str) -> str:
    """Returns a server's name without common words: `mcp-server-git`, `git_mcp`, `my-git-server` all give `git`."""
    return "-".join(word for word in server.lower().replace("_", "-").split("-") if word not in _SHARED)


@lru_cache(2048)
def fold_key(key: str) -> str:
    """Returns the name of an argument as in the tables."""
    return key.lower().replace("_", "").replace("-", "")
