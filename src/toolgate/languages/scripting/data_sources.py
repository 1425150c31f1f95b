"""Data source names of PHP's PDO and Perl's DBI: `mysql:host=localhost;dbname=app`, `dbi:SQLite:dbname=/tmp/x.db`."""

from __future__ import annotations

import re

from toolgate.languages.evaluation.shared_state import Arguments
from toolgate.languages.evaluation.values import Value, text_of
from toolgate.model.word import known_word

_SOURCE = re.compile(r"(?i)(?:dbi:)?(?P<driver>\w+)(?:\([^()]*\))?:(?P<rest>[^:].*)", re.DOTALL)
_HOST_KEYS, _DATABASE_KEYS = ("host", "hostname", "server"), ("dbname", "database", "db")


def split_data_source(arguments: Arguments) -> Arguments | None:
    """Returns the host and the database that a data source names, by their names; a file alone. None for another first
    argument, or one that names no host."""
    text = text_of(arguments.positional[0]) if arguments.positional else None
    source = _SOURCE.fullmatch(text) if text is not None else None
    if source is None:
        return None
    pairs = {name.strip().lower(): value for name, equals, value in _split_pairs(source["rest"]) if equals}
    host, database = (next((pairs[key] for key in keys if key in pairs), "") for keys in (_HOST_KEYS, _DATABASE_KEYS))
    if source["driver"].lower().startswith("sqlite"):
        file = database or source["rest"].partition(";")[0]
        return None if file == ":memory:" else Arguments((known_word(file),))
    named: dict[str, Value] = {"host": known_word(host)}
    return Arguments((), named | ({"dbname": known_word(database)} if database else {})) if host else None


def _split_pairs(text: str) -> list[tuple[str, str, str]]:
    return [pair.partition("=") for pair in text.split(";")]
