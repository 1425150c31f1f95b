"""What code asks of a database: texts of SQL, and the methods of drivers that drop or empty something by their name alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolgate.model.effect import Interpret, Operation, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .grammar import Tree, inner, text
from .names import Names

if TYPE_CHECKING:
    from tree_sitter import Node

_ASKED = frozenset(
    ["query", "execute", "exec", "run", "raw", "unsafe", "prepare", "none", "$executeRawUnsafe", "$queryRawUnsafe"]
)
_CHANGES = re.compile(r"\s*(?:drop|truncate|delete|update|alter)\s", re.IGNORECASE)
_DATABASE = re.compile(r"(?i)db|database|sql|conn|client|pool|knex")
_DROPS = frozenset(("dropDatabase", "dropSchema", "dropAllSchemas", "dropTable", "dropTableIfExists"))
_EMPTIES = frozenset(("flushall", "flushAll", "flushdb", "flushDb"))
_OF_MANY = frozenset(("deleteMany", "updateMany"))
"""Methods whose first argument says which; an empty one means all."""


def asked(tree: Tree, names: Names, seen: Seen) -> Iterator[Reported]:
    """`client.query("DROP TABLE x")`, `db.dropDatabase()`, `redis.flushall()`, `users.deleteMany({})`."""
    for call in tree.of("call"):
        callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if callee is None or callee.type != "member_expression" or arguments is None or arguments.type != "arguments":
            continue
        method, given = text(callee.child_by_field_name("property")), inner(arguments)
        if method in _DROPS:
            yield _operation("database.drop", f"a database or a part of it ({method})", seen)
        elif method in _EMPTIES or (method in _OF_MANY and _is_all(given)):
            yield _operation("database.delete", f"everything ({method})", seen)
        elif given and _may_ask(method, callee):
            for value in names.values(given[0]):
                if isinstance(value, Word) and _CHANGES.match(value.head):
                    yield Interpret("sql", value, seen.origin, via=f"JavaScript's {method}")


def _is_all(given: list[Node]) -> bool:
    return not given or (given[0].type == "object" and not inner(given[0]))


def _may_ask(method: str, callee: Node) -> bool:
    """`exec` is a regular expression's method too: there the name of what has it must say that it is a database."""
    return method in _ASKED and (method != "exec" or _DATABASE.search(text(callee.child_by_field_name("object"))) is not None)


def _operation(name: str, what: str, seen: Seen) -> Operation:
    return Operation(name, seen.origin, known(what), (("disposable", False),))
