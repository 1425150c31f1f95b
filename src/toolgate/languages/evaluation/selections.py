"""Queries over the rows of a table, from where they begin to where their rows are deleted or overwritten.

A query is a chain of calls, often over several statements: `Order.objects`, `.filter(id__gt=0)`, `.order_by("id")`, `.delete()`.
What it selects so far is kept for the value that each call returns, and for the items of a loop over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from toolgate.locality import find_django_settings, has_local_settings, is_named_production
from toolgate.model.word import Word, known_word

from .authorship import serves_development, uses_another_machine
from .row_filters import NARROW, OPERATORS, Breadth, column_of, compare_column, measure_condition, measure_map, scalar_of
from .shared_state import Arguments
from .values import (
    NULL,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    list_parts,
    text_of,
)

if TYPE_CHECKING:
    from .shared_state import Evaluation

_STARTING_NAMES = frozenset(
    (
        *("objects", "query", "_default_manager", "all_objects", "table", "knex", "from_", "collection", "collection_group"),
        *("collectionGroup", "createQueryBuilder", "getRepository", "get_repository", "repository", "from", "unscoped"),
    )
)
_READING_METHODS = frozenset(
    (
        *("find", "findMany", "findAll", "find_all", "all", "stream", "list_documents", "listDocuments", "get", "fetchAll"),
        *("getMany", "select", "scan", "collections", "listCollections", "list_collections"),
    )
)
_KEEPING_METHODS = frozenset(
    (
        *("all", "objects", "query", "order_by", "orderBy", "order", "select_related", "prefetch_related", "with", "withTrashed"),
        *(
            "include",
            "includes",
            "preload",
            "eager_load",
            "joins",
            "unscoped",
            "unscope",
            "distinct",
            "iterator",
            "cursor",
            "lazy",
        ),
        *("only", "defer", "using", "select", "stream", "toArray", "to_a", "to_list", "toList", "list", "sort", "lean", "exec"),
        *("values", "set", "returning", "execution_options", "from", "getMany", "fetch", "fetchAll", "get", "reverse", "reorder"),
        *("populate", "execute", "newQuery", "toBase", "withoutGlobalScopes", "find", "lazyById", "scalars", "each", "load"),
        *("with_deleted", "lock", "readonly", "createQueryBuilder", "in_batches", "find_each", "find_in_batches", "collection"),
    )
)
_CONDITIONS = frozenset(
    (
        *("filter", "filter_by", "where", "and_where", "andWhere", "orWhere", "whereRaw", "exclude", "not", "where_not"),
        *("whereNot", "whereNotNull", "whereNotNil", "whereDate", "whereBetween", "whereKeyNot", "neq", "gt", "gte", "lt"),
        *("lte", "match", "whereIn", "whereNull", "whereYear", "eq", "is", "in_", "ilike", "like", "rewhere", "or", "or_"),
        *("having", "none"),
    )
)
_DELETING_METHODS = frozenset(
    (
        *("delete", "delete_all", "destroy", "destroy_all", "destroy!", "delete!", "forceDelete", "force_delete"),
        *("forceDestroy", "del", "remove", "deleteOne", "deleteMany", "delete_many", "delete_instance", "really_destroy!"),
        *("hard_delete", "softDelete", "_raw_delete", "deleteQuietly", "destroyQuietly", "purge"),
    )
)
_DELETING_STATEMENTS = frozenset(("deleteFrom", "delete_from"))
_RECURSIVE_METHODS = frozenset(("recursive_delete", "recursiveDelete"))
_UPDATING_METHODS = frozenset(
    "update update_all updateMany update_many update_columns update! update_attributes updateAll".split()
)
_MANY_BY_ARGUMENT = frozenset("deleteMany updateMany delete_many update_many destroy nativeDelete destroyAll bulkDelete".split())
_VISITING_METHODS = frozenset(
    (
        *("each", "forEach", "map", "flatMap", "chunk", "chunkById", "eachById", "each_with_index", "each_slice", "find_each"),
        *("find_in_batches", "in_batches", "pmap"),
    )
)
_STARTING_DELETIONS = frozenset(("delete", "deleteFrom", "update", "updateTable"))
_EXECUTING_METHODS = frozenset("execute executeTakeFirst exec run returning".split())
_DELETION_OF_TABLE = "DELETE FROM every_table"
_TESTING_NAMES = frozenset((*OPERATORS, "isNotNull", "is_not", "isnot", "is_not_null", "eq", "is_", "isNot", "Q", "sql", "text"))
_ENVIRONMENT_VARIABLES = (
    *("DJANGO_SETTINGS_MODULE", "DJANGO_ENV", "RAILS_ENV", "RACK_ENV", "APP_ENV", "NODE_ENV", "FLASK_ENV", "MIX_ENV", "ENV"),
    *("DATABASE_URL", "DB_HOST", "PGHOST", "DB_URL", "MONGO_URL", "MONGODB_URI"),
)
_SETTINGS_FILES = (".env", ".env.local", "config/database.yml", "prisma/schema.prisma")
_MAX_DEPTH = 3


class Selection(NamedTuple):
    """What a query selects so far. `is_query`: it is more than the name of a class. `has_condition`, `is_wide`: there are
    conditions; nearly every row meets them. `names_rows`: one of them names single rows. `is_row`: it is one of the rows after
    the other. `deletes`: a deletion that is executed later."""

    is_query: bool = True
    has_condition: bool = False
    is_wide: bool = True
    names_rows: bool = False
    is_row: bool = False
    deletes: bool = False

    def narrow(self, breadth: Breadth) -> Selection:
        is_wide, names_rows = self.is_wide and breadth.is_wide, self.names_rows or breadth.names_rows
        return self._replace(is_query=True, has_condition=True, is_wide=is_wide, names_rows=names_rows)


class Selections:
    """The selections of one reading, by the values that hold them."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Value, Selection]] = {}
        self._tests: dict[int, tuple[Value, Breadth]] = {}
        """Comparisons of a column, by their results, which are unknown."""

    def hold(self, value: Value, selection: Selection) -> None:
        for each in list_alternatives(value):
            if isinstance(each, Unknown):
                self._held[id(each)] = (each, selection)

    def find_held(self, value: Value | None) -> Selection | None:
        for each in list_alternatives(value) if value is not None else ():
            holder = each.receiver if isinstance(each, Reference) else each
            held = self._held.get(id(holder))
            if held is not None:
                return held[1]
        return None

    def hold_test(self, result: Value, breadth: Breadth) -> None:
        if breadth != NARROW and isinstance(result, Unknown | Instance):
            self._tests[id(result)] = (result, breadth)

    def measure_test(self, result: Value) -> Breadth:
        held = self._tests.get(id(result))
        return NARROW if held is None else held[1]

    def follow_comparison(self, operator: str, left: Value, right: Value, result: Value) -> None:
        """Keeps what a comparison of a column says about the rows: `User.id > 0`."""
        if isinstance(left, Reference | Unknown) and (column := column_of(left)).isidentifier():
            asked = {"==": "=", "is": "=", "is not": "!="}.get(operator, operator)
            self.hold_test(result, compare_column(column, asked, scalar_of(right)))

    # ---- where queries begin and go on

    def follow_attribute(self, owner: Value, value: Value) -> None:
        """Keeps that a part of a row, or of a query, belongs to it: `snapshot.ref`, `user.id`."""
        if self._held and isinstance(value, Unknown) and (found := self.find_held(owner)) is not None:
            self.hold(value, found)

    def follow_item(self, owner: Value, item: Value) -> None:
        """Keeps that a loop goes over what a query selects."""
        if self._held and (found := self.find_held(owner)) is not None:
            self.hold(item, found._replace(is_row=True))

    def follow_call(
        self, evaluation: Evaluation, owner: Value | None, function: Value, arguments: Arguments, made: Value
    ) -> None:
        """Keeps what the result of a call selects, and reports the rows that it deletes or overwrites."""
        name = _name_of(function)
        method = name.rpartition(".")[2]
        if owner is None:
            if method in _TESTING_NAMES:
                self.hold_test(made, self._measure_function(method, arguments))
            return
        if method in _MANY_BY_ARGUMENT and _report_by_argument(evaluation, method, arguments):
            return
        if method in _TESTING_NAMES:
            self.hold_test(made, self._measure_method(method, owner, arguments))
        if method in _DELETING_STATEMENTS:
            self.hold(made, Selection(deletes=True))
            return
        found = self.find_held(owner) or _begin_selection(owner)
        if method in _DELETING_METHODS | _RECURSIVE_METHODS and self._deletes_row_of_loop(method, arguments):
            report_rows(evaluation, "every row")
        elif found is None:
            if method in _READING_METHODS and _selects_all(arguments):
                self.hold(made, Selection())
        else:
            self._go_on(evaluation, found, name, arguments, made)

    def _go_on(self, evaluation: Evaluation, found: Selection, name: str, arguments: Arguments, made: Value) -> None:
        method = name.rpartition(".")[2]
        if ".each." in name or name.startswith("each."):
            found = found._replace(is_row=True)
        if found.deletes and found.has_condition and method in _EXECUTING_METHODS:
            _report_selection(evaluation, found, method="delete")
        elif method in _CONDITIONS:
            is_bare = not arguments.all_values()
            breadth = measure_condition(method, arguments, self.measure_test)
            selected = found._replace(is_query=True) if is_bare else found.narrow(breadth)
            self.hold(made, selected)
            if found.deletes and not is_bare and selected.is_wide:
                _report_selection(evaluation, selected, "delete")
        elif method in _VISITING_METHODS:
            self._visit(evaluation, found, arguments)
            self.hold(made, found._replace(is_row=False))
        elif method in _DELETING_METHODS | _UPDATING_METHODS:
            self._change_rows(evaluation, found, method, arguments, made)
        elif method in _READING_METHODS and isinstance(query := next(iter(arguments.positional), None), MapValue):
            query = query.entries.get("where", query)
            is_all = not (isinstance(query, MapValue) and query.entries)
            self.hold(made, found._replace(is_query=True) if is_all else found.narrow(_measure(query)))
        elif method in _KEEPING_METHODS and (method not in ("get", "find") or not arguments.all_values()):
            self.hold(made, found._replace(is_query=True))

    def _change_rows(self, evaluation: Evaluation, found: Selection, method: str, arguments: Arguments, made: Value) -> None:
        is_update = method in _UPDATING_METHODS
        if found.is_row:
            if is_update and not _overwrites(arguments):
                return
            if is_update or not arguments.positional:
                _report_selection(evaluation, found, method)
        elif not found.is_query or (not found.has_condition and not is_update):
            self.hold(made, found._replace(deletes=not is_update or _overwrites(arguments)))
        elif is_update and not _overwrites(arguments):
            self.hold(made, found)
        elif (
            is_update
            or method == "_raw_delete"
            or not arguments.positional
            or all(isinstance(each, MapValue) for each in arguments.positional)
        ):
            _report_selection(evaluation, found, method)

    def _visit(self, evaluation: Evaluation, found: Selection, arguments: Arguments) -> None:
        """Reads a function that is called for each row, or for some rows after the others."""
        for function in arguments.all_values():
            if isinstance(function, Function):
                row = Unknown("a row")
                self.hold(row, found._replace(is_row=True))
                evaluation.run_possibly(lambda each=function, row=row: evaluation.call(each, Arguments((row,))))  # type: ignore[misc]
            elif isinstance(function, Reference) and text_of(next(iter(function.positional), None)) in _DELETING_METHODS:
                _report_selection(evaluation, found, "delete")

    def _measure_function(self, name: str, arguments: Arguments) -> Breadth:
        """Returns the breadth of `gt(users.id, 0)`, `isNotNull(users.id)`, `Q(id__gt=0)`."""
        if name in ("Q", "sql", "text"):
            return measure_condition("where", arguments, self.measure_test)
        if not arguments.positional:
            return NARROW
        column, *values = arguments.positional
        return compare_column(column_of(column), _operator_of(name), scalar_of(values[0]) if values else None)

    def _measure_method(self, name: str, owner: Value, arguments: Arguments) -> Breadth:
        """Returns the breadth of `User.id.isnot(None)`; for a function of a module, as `_measure_function`."""
        if len(arguments.positional) == 1 and isinstance(owner, Reference | Unknown) and name not in ("Q", "sql", "text"):
            return compare_column(column_of(owner), _operator_of(name), scalar_of(arguments.positional[0]))
        return self._measure_function(name, arguments)

    def _deletes_row_of_loop(self, method: str, arguments: Arguments) -> bool:
        """Returns whether a call is given a row of a loop over nearly all of them, or its key: `session.delete(user)`. One that
        deletes a tree may be given a whole collection."""
        for each in (leaf for value in arguments.all_values() for leaf in _iter_leaves(value)):
            held = self.find_held(each)
            if held is not None and held.is_row and held.is_wide:
                return True
            if method in _RECURSIVE_METHODS and (held or _begin_selection(each)) == Selection():
                return True
        return False


def _iter_leaves(value: Value, depth: int = _MAX_DEPTH) -> Iterator[Value]:
    yield value
    if depth and isinstance(value, MapValue | ListValue):
        for each in list_parts(value):
            yield from _iter_leaves(each, depth - 1)


def _operator_of(name: str) -> str:
    return OPERATORS.get(name.lower().replace("_", ""), "=")


def _name_of(function: Value) -> str:
    return function.name if isinstance(function, Reference | Unknown) else ""


def _begin_selection(owner: Value) -> Selection | None:
    """Returns the selection that the name of a class, or of what makes queries, stands for."""
    if isinstance(owner, Word) and owner.text == _DELETION_OF_TABLE:
        return Selection(deletes=True)
    if isinstance(owner, Instance) and owner.type == "sqlalchemy-rows":
        return Selection(deletes=True)
    parts = _name_of(owner).removesuffix("[]").split(".")
    if parts[-1] in _STARTING_NAMES:
        return Selection()
    if parts[-1] in _STARTING_DELETIONS and isinstance(owner, Unknown):
        return Selection(deletes=True)
    return Selection(is_query=False) if parts[-1][:1].isupper() and " " not in parts[-1] else None


def _selects_all(arguments: Arguments) -> bool:
    """Returns whether a method that reads rows is given no condition: `findMany()`, `find({})`, `findAll({where: {}})`."""
    if arguments.named or arguments.rest is not None:
        return False
    given = arguments.positional
    return not given or (isinstance(given[0], MapValue) and _has_no_condition(given[0]))


def _has_no_condition(query: MapValue) -> bool:
    where = query.entries.get("where", query)
    if where is query:
        return query.rest is None and query.entries.keys() <= {"select", "include", "orderBy", "attributes"}
    return isinstance(where, MapValue) and where.rest is None and (not where.entries or _measure(where).is_wide)


def _measure(query: Value) -> Breadth:
    return measure_map(query) if isinstance(query, MapValue) else Breadth()


def _report_by_argument(evaluation: Evaluation, method: str, arguments: Arguments) -> bool:
    """Reports `deleteMany({where: {id: {gt: 0}}})` and `destroy({where: ..})`, whose condition is an argument."""
    query = next((each for each in arguments.positional if isinstance(each, MapValue)), None)
    where = query.entries.get("where", None if method == "destroy" else query) if query is not None else None
    if not isinstance(where, MapValue) or not where.entries:
        return False
    breadth = measure_map(where)
    if method.startswith("update") and not breadth.is_wide:
        return False
    return _report_selection(evaluation, Selection().narrow(breadth), method)


def _overwrites(arguments: Arguments) -> bool:
    """Returns whether a column is erased, or all columns get values that do not depend on the row."""
    values = [*arguments.named.values()]
    for each in arguments.positional:
        values += each.entries.values() if isinstance(each, MapValue) else (each,)
    is_erased = any(each is NULL for each in values)
    return is_erased or (bool(values) and all(isinstance(each, Constant) or text_of(each) is not None for each in values))


def _report_selection(evaluation: Evaluation, found: Selection, method: str) -> bool:
    if found.is_wide:
        report_rows(evaluation, "every row")
        return True
    if found.names_rows or method in _UPDATING_METHODS:
        return False
    is_production = _is_production(evaluation)
    if is_production or uses_another_machine(evaluation.report):
        report_rows(evaluation, "rows of a table in production" if is_production else "rows of a table on another machine")
        return True
    return False


def report_rows(evaluation: Evaluation, what: str) -> None:
    """Reports that rows are deleted or overwritten. A file's code is its author's responsibility."""
    report = evaluation.report
    if serves_development(report) or report.openings.is_in_memory:
        return
    files = (*find_django_settings(report.seen), *_SETTINGS_FILES)
    is_elsewhere = uses_another_machine(report) or _is_production(evaluation)
    is_local = report.openings.local_service is not None or report.is_test or has_local_settings(files, report.seen)
    is_for_tests = report.code.of_test and not report.openings.opens_another_machine
    report.operation("database.delete", known_word(what), disposable=is_for_tests, local=is_local and not is_elsewhere)


def _is_production(evaluation: Evaluation) -> bool:
    """Returns whether the environment, or the database that was opened, names itself production."""
    report = evaluation.report
    if report.openings.production is not None:
        return True
    values = (value.text for name in _ENVIRONMENT_VARIABLES for value in report.seen.get_variables(name))
    return any(value is not None and is_named_production(value) for value in values)
