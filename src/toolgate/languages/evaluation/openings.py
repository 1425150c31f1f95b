"""The databases and services that a text opens: in memory, in a temporary folder, on this machine, or elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolgate.locality import is_local_database, names_production
from toolgate.model.address import host_of, is_loopback
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Hole, HoleKind, Word, known_word

from .shared_state import Arguments
from .values import MapValue, Value, text_of, word_of

OPENING_NAME = re.compile(r"(?:connect|connection|engine|pool|client|database|open)\w*$", re.IGNORECASE)
"""Matches names of calls that may open a database."""
_DATABASE_NAME = re.compile(rf"sqlite|duckdb|{OPENING_NAME.pattern}", re.IGNORECASE)
_OTHER_NAME = re.compile(
    r"(?:^|\.)(?:(?:drop|delete|list|get|use|remove|close|dis|set_?max)\w*|create_?(?:database|table|index|collection)\w*)$",
    re.IGNORECASE,
)
"""Matches methods of what is open already, such as `drop_database`."""
_PART_NAME = re.compile(r"\.(?:Database|Collection)$")
"""Matches methods that give a part of what is open: `client.Database("app")`."""
_LOCAL_NAME = re.compile(r"(?:connect_to_|connectTo)(?:local|embedded)$", re.IGNORECASE)
_MEMORY_NAME = re.compile(r"(?:^|\.)(?:duckdb\.connect|EphemeralClient)$")
_IN_MEMORY = re.compile(r":memory:$|^sqlite(?:\+\w+)?://$")
_DATABASE_URL = re.compile(
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|valkey|amqps?|clickhouse|libsql)(?:\+\w+)?://"
)
_FILE_OF_PROJECT = re.compile(r"(?:\./)?(?:[\w-][\w.-]*/)*[\w-][\w.-]*\.(?:db|db3|sqlite|sqlite3|duckdb)")
_ADDRESS_KEYS = frozenset(
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
        ),
    )
)
_HOST_AND_PORT = re.compile(r"[\w.-]+:\d+")
_DRIVERS = frozenset("postgres pgx mysql sqlite sqlite3 libsql sqlserver mssql clickhouse duckdb godror".split())
_DATABASE_KEYS = ("dbname", "database", "db")
_MAX_DEPTH = 2
"""Depth to which settings are searched: `knex({connection: {host: ..}})`."""


class LocalService(NamedTuple):
    """A service of this machine, by what the call that opened it was given."""

    database: Word | None
    host: Word | None


class Openings:
    """What was opened so far. Relief requires that all of it is in memory, or on this machine."""

    def __init__(self, context: ExecutionContext) -> None:
        self._seen = context
        self._in_memory = False
        self._elsewhere = False
        self._local: LocalService | None = None
        self.production: Word | None = None
        """The address of a database that names itself production, or that a variable of such a name holds."""

    @property
    def is_in_memory(self) -> bool:
        """Whether all databases opened so far are in memory or in new temporary folders, where deleting loses nothing."""
        return self._in_memory and not self._elsewhere and self._local is None

    @property
    def local_service(self) -> LocalService | None:
        """Returns the service that was opened last, if all of them are on this machine."""
        return None if self._elsewhere else self._local

    @property
    def database_arguments(self) -> tuple[Word, ...]:
        """Returns the database and the host as arguments of code for it; none if it may be elsewhere. A database that names
        itself production is one of them."""
        if self.production is not None:
            return (self.production,)
        service = self.local_service
        return () if service is None else tuple(each if each is not None else EMPTY for each in service)

    def note_call(self, name: str | None, arguments: Arguments, *, is_method: bool = False) -> None:
        """Records a call that may open a database. `name` is None for an unknown function."""
        if any(_IN_MEMORY.search(text_of(value) or "") for value in arguments.all_values()) or (
            name is not None and _MEMORY_NAME.search(name) and not arguments.all_values()
        ):
            self._in_memory = True
        elif name is not None and _LOCAL_NAME.search(name):
            self._local = LocalService(None, known_word("localhost"))
        elif _opens_new_file(name, arguments):
            self._in_memory = True
        elif self._opens(name, arguments, is_method=is_method):
            addresses = _list_addresses(arguments)
            self.production = next((each for each in addresses if names_production(each)), self.production)
            service = self._find_local_service(addresses, arguments)
            if service is None:
                self._elsewhere = True
            else:
                self._local = service

    def _opens(self, name: str | None, arguments: Arguments, *, is_method: bool) -> bool:
        named = any(True for _ in _iter_addresses(arguments))
        if name is None:
            return True
        if _OTHER_NAME.search(name) or (is_method and _PART_NAME.search(name)):
            return False
        if OPENING_NAME.search(name):
            return not is_method or named or bool(arguments.positional)
        if any(_DATABASE_URL.match(text_of(value) or "") for _, value in _iter_settings(arguments)):
            return True
        return _is_constructor(name) and (named or any(_is_here(word) for word in _list_addresses(arguments)))

    def _find_local_service(self, addresses: list[Word], arguments: Arguments) -> LocalService | None:
        database = next((word_of(value) for key, value in _iter_settings(arguments) if key in _DATABASE_KEYS), None)
        service: LocalService | None = None
        for given in addresses:
            text = given.text or ""
            address = known_word(host_of(text)) if _HOST_AND_PORT.fullmatch(text) else given
            if _FILE_OF_PROJECT.fullmatch(text) and is_local_database(address, None, self._seen):
                return LocalService(address, known_word("localhost"))
            is_plain = "://" not in text and "=" not in text
            service = LocalService(database if is_plain else address, address if is_plain else None)
            if not text or not is_local_database(service.database, service.host, self._seen):
                return None
        return service


def _is_here(word: Word) -> bool:
    return is_loopback(host_of(word.text or ""))


def _opens_new_file(name: str | None, arguments: Arguments) -> bool:
    """Returns whether a call opens a database in a temporary folder that the code itself has made."""
    addresses = _list_addresses(arguments)
    is_database = name is not None and _DATABASE_NAME.search(name.removesuffix(".new")) is not None
    return is_database and any(addresses) and all(map(_is_in_new_folder, addresses))


def _is_in_new_folder(word: Word) -> bool:
    is_new = any(isinstance(part, Hole) and part.kind is HoleKind.TEMPORARY_FOLDER for part in word.parts)
    return is_new and not any(isinstance(part, str) and ".." in part for part in word.parts)


def _is_constructor(name: str) -> bool:
    return name.rpartition(".")[2][:1].isupper()


def _iter_settings(arguments: Arguments) -> Iterator[tuple[str, Value]]:
    """Yields what a call is given by name, in maps, too."""
    waiting = [(key, value, 0) for key, value in arguments.named.items()]
    waiting += [("", value, 0) for value in arguments.positional]
    while waiting:
        key, value, depth = waiting.pop()
        if isinstance(value, MapValue) and depth < _MAX_DEPTH:
            waiting += [(str(name), each, depth + 1) for name, each in value.known_entries]
        else:
            yield key.lower(), value


def _list_addresses(arguments: Arguments) -> list[Word]:
    """Returns the addresses that a call is given; otherwise its first argument."""
    given = arguments.positional
    if given[1:] and text_of(given[0]) in _DRIVERS:  # `sql.Open("postgres", source)`
        given = given[1:]
    return list(_iter_addresses(arguments)) or [word_of(value) for value in given[:1]]


def _iter_addresses(arguments: Arguments) -> Iterator[Word]:
    """Yields the addresses that a call is given: by the parameter's name, or as a URL."""
    for key, value in _iter_settings(arguments):
        if key in _ADDRESS_KEYS or "://" in (text_of(value) or ""):
            yield word_of(value)
