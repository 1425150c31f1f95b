"""Rows that code reads with a model of a framework: `prisma.user.findMany()`, `User.find({})`, `Customer.objects.values()`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgate.model.word import known_word

from .values import MapValue, Reference, Unknown, Value

if TYPE_CHECKING:
    from .shared_state import Arguments, Evaluation

_READING_METHODS = frozenset("findMany findAll findAndCountAll find getMany getRawMany".split())
_OF_MODEL = re.compile(r"\.objects\.(?:all|values|values_list)$")
_LIMITING_KEYS = frozenset("where take limit first id _id".split())


def mark_rows(evaluation: Evaluation, function: Value, arguments: Arguments, result: Value) -> Value:
    """Returns the result of a call; the rows of a whole table are recognized where they are sent."""
    report = evaluation.report
    if not isinstance(result, Unknown) or not isinstance(function, Reference | Unknown) or report.is_excused:
        return result
    if not _reads_table(function.name, arguments) or report.openings.is_in_memory or report.openings.local_service is not None:
        return result
    report.operation("database.select", known_word("a table"))
    return result._replace(src=result.src | report.own_command)


def _reads_table(name: str, arguments: Arguments) -> bool:
    if _OF_MODEL.search(name) is not None:
        return True
    method, given = name.rpartition(".")[2], arguments.positional
    if method not in _READING_METHODS or arguments.rest is not None or arguments.named:
        return False
    return all(isinstance(each, MapValue) and each.rest is None and _is_unlimited(each) for each in given[:1])


def _is_unlimited(query: MapValue) -> bool:
    """Returns whether a query names no rows: it has no condition, or only chooses columns."""
    keys = {key for key in query.entries if isinstance(key, str)}
    return not keys or (keys.isdisjoint(_LIMITING_KEYS) and keys <= {"select", "include", "orderBy", "attributes", "raw"})
