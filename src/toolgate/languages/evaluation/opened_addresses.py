"""The settings and addresses that a call is given: by the parameter's name, in maps and lists, or as a URL."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgate.model.word import Word, known_word

from .shared_state import Arguments
from .values import ListValue, MapValue, Value, text_of, word_of

ADDRESS_KEYS = frozenset(
    (
        *("host", "hosts", "hostname", "server", "url", "uri", "dsn", "endpoint", "endpoint_url", "endpointurl", "connection"),
        *(
            "connectionstring",
            "connection_string",
            "conninfo",
            "address",
            "addr",
            "addrs",
            "node",
            "nodes",
            "cluster_url",
            "base_url",
            "baseurl",
            "api_endpoint",
            "apiendpoint",
            "emulator_host",
        ),
        *("broker", "brokers", "servers", "bootstrap_servers", "bootstrap.servers", "contact_points", "contactpoints"),
    )
)
_DRIVERS = frozenset("postgres pgx mysql sqlite sqlite3 libsql sqlserver mssql clickhouse duckdb godror".split())
HOST_AND_PORT = re.compile(r"[\w.-]+:\d+")
_DRIVER_SOURCE = re.compile(r"(?:[^@/\s]*@)?(?:tcp|unix)\((?P<host>[^()\s]+)\)(?P<database>/[\w$-]*)?")
"""Matches the form in which Go's driver of MySQL takes an address: `user:password@tcp(host:3306)/app`."""
_MAX_DEPTH = 2
"""Depth to which settings are searched: `knex({connection: {host: ..}})`."""
_MAX_DEPTH_OF_ADDRESSES = 3
"""Depth to which addresses are searched: `new PrismaClient({datasources: {db: {url: ..}}})`."""
_MAX_ITEMS = 16
"""Items of a list that are searched: the hosts of a cluster."""


def iter_settings(arguments: Arguments, most: int = _MAX_DEPTH) -> Iterator[tuple[str, Value]]:
    """Yields what a call is given by name, in maps to this depth, too."""
    waiting = [(key, value, 0) for key, value in arguments.named.items()]
    waiting += [("", value, 0) for value in arguments.positional]
    while waiting:
        key, value, depth = waiting.pop()
        if isinstance(value, MapValue) and depth < most:
            waiting += [(str(name), each, depth + 1) for name, each in value.known_entries]
        elif isinstance(value, ListValue) and depth < most:
            waiting += [(key, each, depth + 1) for each in value.items[:_MAX_ITEMS]]
        else:
            yield key.lower(), value


def list_addresses(arguments: Arguments) -> list[Word]:
    """Returns the addresses that a call is given; otherwise its first argument."""
    given = arguments.positional
    if given[1:] and text_of(given[0]) in _DRIVERS:  # `sql.Open("postgres", source)`
        given = given[1:]
    return list(iter_addresses(arguments)) or [word_of(value) for value in given[:1]]


def iter_addresses(arguments: Arguments) -> Iterator[Word]:
    """Yields the addresses that a call is given: by the parameter's name, or as a URL."""
    for key, value in iter_settings(arguments, _MAX_DEPTH_OF_ADDRESSES):
        text = text_of(value) or ""
        if (source := _DRIVER_SOURCE.match(text)) is not None:
            yield known_word(f"mysql://{source['host']}{source['database'] or ''}", word_of(value).src)
        elif key in ADDRESS_KEYS or "://" in text or (not key and HOST_AND_PORT.fullmatch(text)):
            yield word_of(value)
