"""What a program that stood there before does to a database of another machine: its statements, and calls of mappers that drop or
empty what the database holds.

A program of a project may empty a database of development, so only an address counts that plainly leads to another machine, or
that names itself production.
"""

import re
from collections.abc import Iterator

from toolgate.languages.evaluation.authorship import names_production as names_production_environment
from toolgate.locality import is_named_production, is_remote_database, names_production
from toolgate.model.address import host_of, is_loopback
from toolgate.model.effect import Interpret, Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

from .statements import IN_MEMORY, report_statements

_SUBSTITUTES = re.compile(
    r"UseInMemoryDatabase|\b\w*Container\s*[(<]\s*(?:DockerImageName|\"|PostgreSQL|MySQL)|\btestcontainers\b|EmbeddedPostgres|\bjdbc:tc:"
    r"|EmbeddedDatabaseBuilder|\bMockDatabase\b|Mongo2Go|\bMockConnection\b"
)
"""Databases in memory, or in containers that the code itself starts."""
_FILES = re.compile(r"\bjdbc:sqlite:|\bMicrosoft\.Data\.Sqlite|\bUseSqlite\b|\brusqlite\b|\bRSQLite\b|\bsqlite3?://|\bduckdb\b")
"""Databases in files."""
_ADDRESS = re.compile(
    r"\"(?:r2dbc:|jdbc:)?(?P<url>(?:postgres(?:ql)?|mysql|mariadb|sqlserver|mssql|oracle|mongodb|redis|rediss|clickhouse|redshift|snowflake|db2)"
    r"(?:\+\w+|:thin)?:(?:@?//|@)[^\"\s]+)\""
)
_SETTING = re.compile(
    r"(?i)(?<![\w.])(?:host|hostname|server|servername|data source|set_?host|set_?server_?name)"
    r"\s*(?:=>|=|:|\()\s*(?:tcp:)?[\"']?(?P<host>[a-z0-9][\w.-]*)"
)
_VARIABLE = re.compile(
    r"(?:getenv|get_?env|env::var(?:_os)?|GetEnvironmentVariable|GetConnectionString|System\.getenv\(\)\.get|environment)\s*(?:\(|\[)\s*\"(\w+)\""
)
_DROPS = re.compile(
    r"\.EnsureDeleted(?:Async)?\s*\(|\bSchemaUtils\.drop\w*\s*\(|\b[fF]lyway\w*(?:\(\))?\.clean\s*\(|\bliquibase\.dropAll\s*\("
    r"|\.(?:dropDatabase|DropDatabase(?:Async)?|dropCollection|DropCollection(?:Async)?|drop_database|drop_collection)\s*\("
    r"|\b(?:dsl|ctx|create|jooq)\w*\.drop(?:Table|Schema|Database)(?:IfExists)?\s*\(|\bcollection\w*(?:\([^()]*\))?\.drop\s*\(\s*(?:None)?\s*\)"
    r"|\bgetDatabase\([^()]*\)\.drop\s*\(\s*\)|\bdb\w*\.drop\s*\(\s*(?:None)?\s*\)"
    r"|\bdb(?:Write|Create)Table\s*\([^\n]*?\boverwrite\s*=\s*T(?:RUE)?\b|\binsertTable\s*\([^;]*?\bdropTableIfExists\s*=\s*TRUE"
    r"|\b(?:DBI::)?dbRemoveTable\s*\(|\bsqlDrop\s*\(|\bspark_write_table\s*\([^\n]*?mode\s*=\s*\"overwrite\""
)
_EMPTIES = re.compile(
    r"\.deleteAll(?:InBatch)?\s*\(\s*\)|(?<=\.)ExecuteDelete(?:Async)?\s*\(|\bdiesel::delete\s*\(\s*\w+(?:::\w+)*\s*\)\s*\.execute"
    r"|\.(?:flushall|flush_all|flushAll|flushDB|flushDb|flushdb|FlushAllDatabases(?:Async)?|FlushDatabase(?:Async)?)\s*\("
    r"|\bcmd\(\s*\"FLUSH(?:ALL|DB)\"|\.(?:deleteFrom|truncate(?:Table)?)\s*\([^()]*\)\s*(?:\.\w+\(\)\s*){0,3}\.execute(?:Async)?\s*\("
    r"|\.(?:deleteMany|delete_many|DeleteMany(?:Async)?)\s*\(\s*(?:new\s+(?:Bson)?Document\(\)|Filters\.empty\(\)|doc!\s*\{\s*\}|(?:Filter\w*<\w+>|Builders<\w+>\.Filter)\.Empty|_\s*=>\s*true)"
    r"|\bEntity::delete_many\(\)\s*\.exec|\.RemoveRange\s*\(\s*\w+\.\w+\s*\)"
)
_SELECTS = re.compile(r"\.(?:Where|Take|Skip|where|filter)\s*\(")


def report_database_acts(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what code changes in a database that it plainly opens on another machine."""
    if IN_MEMORY.search(text) or _SUBSTITUTES.search(text):
        return
    address = find_foreign_database(code, text, context)
    if address is None:
        return
    yield from report_statements(text, code.language, context)
    for name, calls in (("database.drop", _DROPS), ("database.delete", _EMPTIES)):
        if any(not _selects_rows(text, match) for match in calls.finditer(text)):
            yield Operation(name, context.origin, address, (("disposable", False), ("local", False)))


def find_foreign_database(code: Interpret, text: str, context: ExecutionContext) -> Word | None:
    """Returns the address of a database of another machine, or of production, if the code names no other one."""
    found = [known_word(_ORACLE.sub("oracle://", match["url"])) for match in _ADDRESS.finditer(text)]
    hosts = [known_word(match["host"]) for match in _SETTING.finditer(text)] if not _FILES.search(text) else []
    variables = _VARIABLE.findall(text)
    found += [value for name in variables for value in context.get_variables(name)]
    if names_production_environment(code) and (found or hosts or variables):
        return next(iter((*found, *hosts)), known_word("the database of production"))
    if any(is_loopback(host_of(each.text or "")) for each in (*found, *hosts)):
        return None
    for address in (*found, *hosts):
        is_host = "://" not in address.outline and "@" not in address.outline
        if is_remote_database(None if is_host else address, address if is_host else None, context) or names_production(address):
            return address
    return next((known_word(name) for name in variables if is_named_production(name)), None)


_ORACLE = re.compile(r"^oracle(?::thin)?:(?:@//|@|//)(?:[^@/\s]*@)?")


def _selects_rows(text: str, match: re.Match[str]) -> bool:
    """Returns whether a call at the end of a chain applies to the rows that an earlier call of it has selected."""
    start = max(text.rfind(";", 0, match.start()), text.rfind("{", 0, match.start()), 0)
    return match[0].startswith("ExecuteDelete") and _SELECTS.search(text, start, match.start()) is not None
