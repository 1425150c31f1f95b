"""Settings that statements change for everybody: of the server, of a database, of a table."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.safeguards import Setting

from .statements import Statement

_SERVER_WIDE = frozenset(("GLOBAL", "PERSIST", "PERSIST_ONLY"))
_CHANGING_WORDS = frozenset(("SET", "USING", "WITH"))


def list_changed_settings(statement: Statement) -> Iterator[Setting]:
    """Yields the settings that `ALTER .. SET name = value` and `SET GLOBAL name = value` change, with the statement's first words
    around them. A setting of one's own session is left out."""
    words = statement.words
    if statement.starts_with("ALTER") and "UNSET" in words[2:4]:
        yield from (((token.text,), "off") for token in statement.tokens[words.index("UNSET") + 1 :] if token.kind == "word")
    texts = [token.text.lower() for token in statement.tokens]
    if "sp_configure" in texts[:3] and "xp_cmdshell" in texts and "1" in texts:
        yield ("protection from commands of the shell",), "off"
    is_server_wide = statement.starts_with("SET") and not _SERVER_WIDE.isdisjoint(words[1:2])
    if statement.starts_with("ALTER") and ("DISABLE", "TRIGGER") in pairwise(words):
        yield ("checks by triggers of protection",), "off"
    if not is_server_wide and not (statement.starts_with("ALTER") and not _CHANGING_WORDS.isdisjoint(words)):
        return
    tokens = statement.tokens
    for before, mark, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if mark.text.upper() in ("=", "TO") and before.kind in ("word", "name", "string"):
            yield (before.text,), after.text
