"""SQL that code sends to databases: statements in literal texts, joined to what is computed, and the database that is opened.

GROWS: a function of a library that takes a statement is a word of `_ASKS`; one that drops a table by itself, of `_DROPS`.
"""

import re
from collections.abc import Iterator

from toolgate.languages import word_from_text
from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, known_word

from .texts import TEXT

_ASKS = (
    r"[eE]xec(?:ute)?(?:Update|Query|Batch|LargeUpdate|_params|_batch|Raw|NonQuery\w*|Scalar\w*|SqlRaw|SqlCommand|Sql)?(?:Async)?!?|batch_execute|simple_query"
    r"|query(?:_raw|Raw|_as|ForObject)?!?|sql_query|raw_sql|do|run|prepare(?:Statement|Call|dStatement)?|statement|addBatch|update"
    r"|db(?:Execute|SendQuery|SendStatement|GetQuery)|sqlQuery|odbc(?:Query|_exec)|(?:mysqli?|pg|sqlite)_query"
    r"|(?:new\s+)?(?:\w*Command|SqlCommand)|CommandText|customStatement|rawQuery|rawDelete|rawUpdate|create(?:Native)?(?:Mutation)?Query|batchUpdate|execSQL|PQexec|sqlite3_exec"
)
_DROPS = r"dbRemoveTable|sqlDrop|drop_tables?!?|dropDatabase|drop_database!?"
_LOSES = (
    r"(?:drop\s+\w|truncate\s|delete\s+from\s|update\s[^\"'\n]{1,100}\sset\s"
    r"|alter\s+(?:table|role|user|database|schema|system)\s)"
)
_FORMATS = (
    r"paste0?|@?sprintf|glue(?:_sql)?|str_c|&?format!|[sS]tring\.[fF]ormat|(?:fmt\.)?Sprintf"
    r"|string|strcat|concat|fmt|raw|text|sql"
)
_ASKED = re.compile(
    rf"\b(?P<call>{_ASKS})(?:\s*[(=]\s*|\s+)(?:[\w.$@&-]+\s*(?:,\s*\[?|\[)\s*)?"
    rf"(?:(?:sql|statement|query|query_string)\s*[:=]\s*|sql\s*|@|\$@?|r#?|f)?(?:(?:{_FORMATS})\s*\(\s*)?"
    rf"(?=[\"']\s*(?i:{_LOSES}))"
)
"""Matches calls up to a literal statement, which may follow the connection."""
_DROPPED = re.compile(rf"(?<![\w.])(?:DBI::)?(?P<call>{_DROPS})\s*\(\s*[\w.$@]+\s*,")
_PIECE = re.compile(
    rf"({TEXT}|'(?:[^'\\\n]|\\.){{0,300}}+')(?P<join>\s*(?:\+\+?|<>|\|\||\.(?=\s*\$)|~|\^|&|,(?=\s*\w+(?:\.\w+)?\s*,\s*\"))\s*)?"
)
_NAME = re.compile(r"[\w.$@]+(?:\([^()\n]{0,80}\))?\s*(?:\+\+?|<>|\|\||\.|~|\^|&|,)?\s*")
_INTERPOLATED = re.compile(r"[$#]\{[^{}]*\}|\\\([^()]*\)|\{\w+\}|\$\w+|%[sv]|\?\?")
_ESCAPED = re.compile(r"\\([\"'\\])")
_ALIASED = re.compile(
    rf"(?<![\w.])(\w+)\s*(?:<-|=)\s*(?:DBI::|\w+\.)?({_DROPS}|db(?:Execute|SendQuery|SendStatement))\s*(?=[;\n]|$)"
)
IN_MEMORY = re.compile(
    r":memory:|\bjdbc:(?:h2:mem|hsqldb:mem|derby:memory)|\bmem:test|\bsqlite3?::memory|\bSQLite\(\)\s*\)|\bduckdb\(\)\s*\)"
)
_FILE = re.compile(r"(?:\bjdbc:sqlite:|\bSQLite\(\)\s*,\s*(?:dbname\s*=\s*)?\"|\bSQLite\.DB\(\"|\bsqlite3?://)([\w./~-]+)")
_URL = re.compile(
    r"[\"'](?:jdbc:)?((?:postgres(?:ql)?|mysql|mariadb|sqlserver|ecto|mssql|oracle)(?:\+\w+|:thin)?:(?:@?//)[^\"'\s]+)[\"']"
)
_HOST = re.compile(r"(?i)\b(?:host|hostname|server|data source)\s*(?:=>|=|:)\s*[\"']?([\w.-]+)")
_DATABASE = re.compile(r"(?i)\b(?:dbname|database|db|initial catalog)\s*(?:=>|=|:)\s*[\"']?([\w.-]+)")
_MOST_STATEMENTS = 40
_MOST_PIECES = 12


def report_statements(text: str, language: str, context: ExecutionContext, *, of_test: bool = False) -> Iterator[ReportedEffect]:
    """Yields the statements that change data, unless the database exists in memory only."""
    if IN_MEMORY.search(text) is not None:
        return
    text, database = _write_aliases(text), _find_database(text)
    for match, _ in zip(_ASKED.finditer(text), range(_MOST_STATEMENTS), strict=False):
        statement = word_from_text(_read_statement(text, match.end()))
        via = Carrier(language, match["call"])
        yield Interpret("sql", statement, context.origin, database, via, of_test=of_test)
    if (dropped := _DROPPED.search(text)) is not None:
        statement = known_word("DROP TABLE every_table")
        yield Interpret("sql", statement, context.origin, database, Carrier(language, dropped["call"]), of_test=of_test)


def _write_aliases(text: str) -> str:
    """Returns the code with the functions that have a second name called by their own: `run <- dbExecute`."""
    for name, function in dict(_ALIASED.findall(text)).items():
        text = re.sub(rf"(?<![\w.]){name}(?=\s*\()", function, text)
    return text


def _read_statement(text: str, at: int) -> str:
    """Returns the statement that begins here, with a name for each part that is computed."""
    parts: list[str] = []
    for _ in range(_MOST_PIECES):
        piece = _PIECE.match(text, at)
        if piece is None:
            break
        parts.append(_INTERPOLATED.sub("computed_name", _ESCAPED.sub(r"\1", piece[1][1:-1])))
        if not piece["join"]:
            break
        at = piece.end()
        if (name := _NAME.match(text, at)) is not None:
            parts.append("computed_name")
            at = name.end()
    statement = "".join(parts)
    return f"{statement}computed_name" if statement.endswith((" ", '"', "`")) else statement


def _find_database(text: str) -> tuple[Word, ...]:
    """Returns the database and the host that code opens, as the arguments of its statements; none if it names none."""
    if (url := _URL.search(text)) is not None:
        return known_word(url[1]), EMPTY
    if (file := _FILE.search(text)) is not None:
        return known_word(file[1]), EMPTY
    host, database = _HOST.search(text), _DATABASE.search(text)
    return () if host is None else (known_word(database[1]) if database is not None else EMPTY, known_word(host[1]))
