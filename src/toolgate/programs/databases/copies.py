"""What a database client receives from other commands, and passes on to a server: a dump of another database, perhaps."""

from collections.abc import Iterator

from toolgate.model.address import host_of
from toolgate.model.effect import Connect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_SCHEMES = {
    **dict.fromkeys(("mysql", "mariadb", "mycli"), "mysql"),
    **dict.fromkeys(("clickhouse-client", "clickhouse"), "clickhouse"),
}


def send_statements(database: Word | None, host: Word, client: str, context: ExecutionContext) -> Iterator[Connect]:
    """Yields the connection to a server that standard input goes to, if other commands have printed it. `database`: a name, or
    an address that takes precedence over the host."""
    name = host_of(database.text) if database is not None and database.text and "://" in database.text else host.text
    if name and not name.startswith("/") and context.stdin.src:
        yield Connect(known_word(f"{_SCHEMES.get(client, 'postgresql')}://{name}"), context.origin, sends=context.stdin)
