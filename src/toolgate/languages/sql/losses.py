"""Finds what a statement would lose: by sqlglot's tree if there is one, otherwise by its words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from toolgate.locality import is_named_production
from toolgate.row_conditions import holds_for_most, names_single_rows

from .conditions import names_rows, selects_most_rows
from .statements import MYSQL, POSTGRES, SQL_SERVER, SQLITE, Statement

LOSING_WORDS = frozenset(("DROP", "TRUNCATE", "DELETE", "UPDATE", "ALTER"))
HARMLESS_OBJECTS = frozenset(
    "INDEX FUNCTION PROCEDURE AGGREGATE OPERATOR TRIGGER RULE CONSTRAINT DEFAULT NOT IDENTITY EXPRESSION POLICY CAST"
    " COLLATION CONVERSION STATISTICS EVENT PREPARE TEXT TRANSFORM COMMENT ROUTINE KEY PRIMARY CHECK PUBLICATION"
    " SUBSCRIPTION TEMPORARY TEMP LANGUAGE ACCESS MASKING TAG STAGE TASK WORKLOAD SETTINGS".split()
)
"""Objects that contain no data and are recreated from their definition, so that DROP loses nothing."""
_OPTIONAL_WORDS = ("IF", "EXISTS", "ONLY", "MATERIALIZED", "EXTERNAL", "FOREIGN", "RECURSIVE")
_INFORMATIONAL_WORDS = ("EXPLAIN", "DESCRIBE", "DESC", "SHOW", "COMMENT", "GRANT", "REVOKE", "SET", "RESET", "CREATE")
_DIALECTS = {
    **dict.fromkeys(POSTGRES, "postgres"),
    **dict.fromkeys(MYSQL, "mysql"),
    **dict.fromkeys(SQLITE, "sqlite"),
    **dict.fromkeys(SQL_SERVER, "tsql"),
    "duckdb": "duckdb",
    "bq": "bigquery",
    "clickhouse": "clickhouse",
    "clickhouse-client": "clickhouse",
    "snowsql": "snowflake",
    "snow": "snowflake",
    "hive": "hive",
    "beeline": "hive",
    "spark-sql": "spark",
    "trino": "trino",
    "presto": "presto",
}


_MAX_PARSED_TEXT = 20_000
"""Maximum characters of a statement for sqlglot; a longer one is read by its words."""


@dataclass(frozen=True, slots=True)
class Loss:
    """`what`: for people, `the table users`. `dropped`: the object itself, not only its content. `partial`: only the rows that
    meet a condition, which may be many. `deleted`: not only changed."""

    what: str
    dropped: bool
    partial: bool = False
    deleted: bool = True


def find_losses(statement: Statement, client: str, *, by_words: bool = False) -> Iterator[Loss]:
    """Yields the losses of a statement. `by_words`: without sqlglot, which is slow."""
    words = statement.words
    if client in MYSQL and _deletes_binary_logs(words):
        yield Loss("the binary logs", dropped=True)
    if _deletes_history(words, statement):
        yield Loss("the history of a table, from which it could be restored", dropped=True)
    elif (
        words[:3] == ["CREATE", "OR", "REPLACE"]
        and "TABLE" in words[3:5]
        and (_ROWS_OF_NEW_TABLE.isdisjoint(words) or _selects_no_row(statement.text) or _keeps_some_rows(statement.text))
    ):
        yield Loss("a table, which an empty one replaces", dropped=True)
    if words[:2] == ["INSERT", "OVERWRITE"] and _replaces_table(statement):
        yield Loss("what a table holds", dropped=False)
    if _unlinks_objects(statement.text):
        yield Loss("large objects of the database", dropped=True)
    if LOSING_WORDS.isdisjoint(words):
        return
    if statement.starts_with(*_INFORMATIONAL_WORDS) and client not in SQL_SERVER and not _is_executed_explain(statement):
        return  # T-SQL needs no semicolon, so a statement may contain others
    tree = (
        None
        if by_words or len(statement.text) > _MAX_PARSED_TEXT
        else _parse_statement(statement.text, _DIALECTS.get(client, ""))
    )
    yield from _find_by_words(statement, anywhere=client in SQL_SERVER) if tree is None else _find_in_tree(tree)


def _replaces_table(statement: Statement) -> bool:
    """Returns whether `INSERT OVERWRITE` replaces a whole table by no row, or one of production. A table that is computed from
    others is made again in this way."""
    if not {"PARTITION", "DIRECTORY"}.isdisjoint(statement.words):
        return False
    table = next(iter(_OVERWRITTEN.findall(statement.text)), "")
    return _selects_no_row(statement.text) is not None or is_named_production(table)


_keeps_some_rows = re.compile(
    r"(?is)\breplace\s+table\s+(?P<table>[\w.`\"-]+)\s.*?\bas\b.*?\bfrom\s+(?P=table)(?![\w.`\"-]).*?\b(?:where|limit|qualify|join)\b"
).search
"""Finds a table that is replaced by a part of itself."""
_OVERWRITTEN = re.compile(r"(?i)\boverwrite\s+(?:table\s+)?([\w.`-]+)")
_unlinks_objects = re.compile(r"(?i)\blo_unlink\s*\((?!\s*\d+\s*\))").search
"""Finds a statement that deletes large objects of PostgreSQL: those of a table, not a single one by its number."""
_selects_no_row = re.compile(r"(?i)\b(?:where\s+(?:false|0|1\s*=\s*0|0\s*=\s*1)|limit\s+0)\s*;?\s*\Z").search


def changes_database(statement: Statement) -> bool:
    """Returns whether a statement changes what a database holds, or how it holds it."""
    words = statement.words if statement.starts_with("WITH") else statement.words[:1]
    return not _CHANGING_WORDS.isdisjoint(words) and _TEMPORARY.isdisjoint(statement.words[:3])


_CHANGING_WORDS = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "ALTER", "CREATE", "UPSERT"))
_TEMPORARY = frozenset(("TEMP", "TEMPORARY"))


def drops_temporary_table(statement: Statement, earlier: Sequence[Statement]) -> bool:
    """Returns whether a statement drops a table that an earlier one has made for this session alone."""
    dropped = _DROPPED_TABLE(statement.text)
    return dropped is not None and any(
        (made := _TEMPORARY_TABLE(each.text)) is not None and made[1].lower() == dropped[1].lower() for each in earlier
    )


_DROPPED_TABLE = re.compile(r"(?i)\s*drop\s+table\s+(?:if\s+exists\s+)?([\w\"`]+)\s*;?\s*\Z").match
_TEMPORARY_TABLE = re.compile(r"(?i)\s*create\s+(?:local\s+)?temp(?:orary)?\s+table\s+(?:if\s+not\s+exists\s+)?([\w\"`]+)").match


def _deletes_history(words: list[str], statement: Statement) -> bool:
    """Returns whether a lake's table loses its former states: `CALL expire_snapshots(..)`, `VACUUM t RETAIN 0 HOURS`."""
    if words[:1] == ["VACUUM"]:
        return re.search(r"(?i)\bretain\s+0\b", statement.text) is not None
    return words[:1] == ["CALL"] and not _HISTORY_PROCEDURES.isdisjoint(words)


_HISTORY_PROCEDURES = frozenset(("EXPIRE_SNAPSHOTS", "REMOVE_ORPHAN_FILES"))
_ROWS_OF_NEW_TABLE = frozenset(("AS", "SELECT", "CLONE", "LIKE", "TEMP", "TEMPORARY", "EXTERNAL"))


def _deletes_binary_logs(words: list[str]) -> bool:
    """Returns whether a statement deletes logs used for recovery and replication: RESET MASTER, PURGE BINARY LOGS."""
    return words[:2] == ["RESET", "MASTER"] or (
        words[:1] in (["RESET"], ["PURGE"]) and words[1:3] in (["BINARY", "LOGS"], ["MASTER", "LOGS"])
    )


def _is_executed_explain(statement: Statement) -> bool:
    return statement.starts_with("EXPLAIN") and "ANALYZE" in statement.words[:4]


# ---- by sqlglot


def _parse_statement(text: str, dialect: str) -> object | None:
    """Returns the tree; None if sqlglot does not support the statement."""
    import sqlglot
    from sqlglot import errors, expressions, parser

    was = parser.logger.disabled
    parser.logger.disabled = True  # it would log a warning for a statement parsed as a command
    try:
        trees = sqlglot.parse(text, read=dialect or None)
    except (errors.SqlglotError, RecursionError, ValueError):
        return None
    finally:
        parser.logger.disabled = was
    if len(trees) != 1 or trees[0] is None or any(True for _ in trees[0].find_all(expressions.Command)):
        return None
    return trees[0]


def _find_in_tree(tree: object) -> Iterator[Loss]:
    from sqlglot import expressions as exp

    assert isinstance(tree, exp.Expression)
    for node in tree.find_all(exp.Drop, exp.TruncateTable, exp.Delete, exp.Update, exp.DropPartition):
        if node.find_ancestor(exp.Merge) is not None:
            continue  # deletes only rows that match
        match node:
            case exp.Drop():
                yield from _find_dropped(node)
            case exp.DropPartition():
                yield Loss("a partition of a table", dropped=True)
            case exp.TruncateTable():
                yield Loss(f"every row of {_table_name(node)}", dropped=False)
            case exp.Delete() | exp.Update():
                where = node.args.get("where")
                name = _table_name(node)
                is_joined = bool(node.args.get("tables")) and where is not None and not selects_most_rows(where.this, name)
                if _is_limited(node) or is_joined:
                    continue
                if where is None or (selects_most_rows(where.this, name) and not _computes_from_rows(node, where)):
                    how = "every row of" if isinstance(node, exp.Delete) else "what every row holds in"
                    yield Loss(f"{how} {name}", dropped=False)
                elif not names_rows(where.this):
                    yield Loss(f"rows of {name}", dropped=False, partial=True, deleted=isinstance(node, exp.Delete))
            case _:
                pass


def _is_limited(change: object) -> bool:
    """Returns whether a LIMIT leaves most rows of a large table as they are."""
    from sqlglot import expressions as exp

    assert isinstance(change, exp.Expression)
    limit = change.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    is_large = isinstance(count, exp.Literal) and count.name.isdecimal() and int(count.name) >= _LARGE_LIMIT
    return limit is not None and not is_large


_LARGE_LIMIT = 10**6


def _computes_from_rows(change: object, where: object) -> bool:
    """Returns whether an update with a condition on the rows gives every column a value that depends on its row."""
    from sqlglot import expressions as exp

    assert isinstance(change, exp.Delete | exp.Update)
    assert isinstance(where, exp.Where)
    if isinstance(change, exp.Delete) or where.find(exp.Column) is None:
        return False
    values = [each.expression for each in change.expressions if isinstance(each, exp.EQ)]
    return bool(values) and all(value.find(exp.Column) is not None for value in values)


def _find_dropped(node: object) -> Iterator[Loss]:
    from sqlglot import expressions as exp

    assert isinstance(node, exp.Drop)
    kind = str(node.args.get("kind") or "").upper()
    if node.args.get("temporary") or kind.split(" ")[0] in HARMLESS_OBJECTS:
        return
    if kind == "COLUMN" or isinstance(node.parent, exp.Alter):
        table = node.find_ancestor(exp.Alter)
        yield Loss(f"a column of {_table_name(table) if table else 'a table'}", dropped=True)
    else:
        yield Loss(f"the {kind.lower() or 'object'} {_table_name(node)}", dropped=True)


def _table_name(node: object) -> str:
    from sqlglot import expressions as exp

    assert isinstance(node, exp.Expression)
    table = node.find(exp.Table)
    return table.sql(comments=False) if table is not None else "it"


# ---- by words


def _find_by_words(statement: Statement, *, anywhere: bool) -> Iterator[Loss]:
    words = [] if statement.starts_with("MERGE") else statement.words
    for n, word in enumerate(words):
        if word not in LOSING_WORDS or not (n == 0 or anywhere or _may_begin_statement(words[:n])):
            continue
        rest = [each for each in words[n + 1 :] if each not in _OPTIONAL_WORDS]
        name = (rest[1] if len(rest) > 1 else "something").lower()
        if word == "DROP" and rest and rest[0] not in HARMLESS_OBJECTS:
            yield Loss(f"the {rest[0].lower()} {name}", dropped=True)
        elif word == "TRUNCATE":
            yield Loss("every row of a table", dropped=False)
        elif word in ("DELETE", "UPDATE") and _has_no_condition(words[n + 1 :], statement):
            if word == "UPDATE" and "SET" not in rest:
                continue
            yield Loss("every row of a table", dropped=False)
        elif word in ("DELETE", "UPDATE") and "WHERE" in words[n + 1 :] and "LIMIT" not in words and not _names_rows(statement):
            yield Loss("rows of a table", dropped=False, partial=True, deleted=word == "DELETE")
        elif word == "ALTER" and _drops_column(words[n + 1 :]):
            yield Loss("a column of a table", dropped=True)


def _may_begin_statement(before: list[str]) -> bool:
    """Returns whether a statement may begin within another: `BEGIN DELETE ..`, `EXPLAIN ANALYZE DELETE ..`, `.. THEN DROP ..`."""
    return before[-1] in ("BEGIN", "ANALYZE", "THEN", "ELSE", "LOOP", "AS", "VERBOSE", "EXPLAIN")


def _has_no_condition(words: list[str], statement: Statement) -> bool:
    if "WHERE" not in words:
        return "LIMIT" not in words and "USING" not in words
    condition = _condition_of(statement)
    if condition in (["TRUE"], ["1"]) or (len(condition) == 3 and condition[1] == "=" and condition[0] == condition[2]):
        return True
    if condition[1:] == ["IS", "NOT", "NULL"]:
        return holds_for_most(condition[0], "!=", None)
    if len(condition) == 4 and condition[1:3] in ([">", "="], ["<", "="], ["<", ">"], ["!", "="]):
        condition = [condition[0], "!=" if condition[2] == ">" else "".join(condition[1:3]), condition[3]]
    if len(condition) != 3:
        return False
    column, operator, value = condition
    return holds_for_most(column, operator, int(value) if value.isdecimal() else value)


def _names_rows(statement: Statement) -> bool:
    condition = _condition_of(statement)
    return any(after in ("=", "IN") and names_single_rows(name) for name, after in pairwise(condition))


def _condition_of(statement: Statement) -> list[str]:
    at = next(n for n, token in enumerate(statement.tokens) if token.word == "WHERE")
    return [token.text.upper() for token in statement.tokens[at + 1 :]]


def _drops_column(words: list[str]) -> bool:
    if "TABLE" not in words[:3] or "DROP" not in words:
        return False
    after = [each for each in words[words.index("DROP") + 1 :] if each not in _OPTIONAL_WORDS]
    return bool(after) and after[0] not in HARMLESS_OBJECTS
