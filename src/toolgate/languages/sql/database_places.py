"""Where a client's database is: in memory, in a temporary folder, in the project, on this machine, or made again by tests."""

import re

from toolgate.locality import is_for_tests, is_in_production, is_local_database
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word
from toolgate.temporary_folders import is_kept_temporarily, is_temporary_path

from .statements import SQLITE


def is_test_database(what: str) -> bool:
    """Returns whether a statement drops a whole database that test runs make again: `the database app_test`."""
    kind, _, name = what.removeprefix("the ").partition(" ")
    return kind in ("database", "schema") and is_for_tests(name)


def is_disposable(client: str, database: Word | None, context: ExecutionContext) -> bool:
    """Returns whether the database is in memory, or a file in a temporary folder."""
    if client not in SQLITE:
        return database is not None and (database.tail.endswith(("_test", "_tests")) or database.head.startswith("test_"))
    if database is None or database.text in ("", ":memory:"):
        return True
    if _is_for_tests(database):
        return True
    if database.text is None and database.pattern.startswith("/tmp/"):
        return True  # a file that `mktemp` has made
    return is_temporary_path(database, context) or is_kept_temporarily(context.resolve_place(database), context.cwd.text or "")


def is_local(client: str, database: Word | None, host: Word | None, context: ExecutionContext) -> bool:
    """Returns whether this is a database of this machine that is not production: a file of the project, or on a local server."""
    if client not in SQLITE:
        return host is not None and is_local_database(database, host, context)
    place = context.resolve_place(database) if database is not None else None
    top = context.find_repository()
    if place is None or place.machine != "local" or place.path is None or top is None or is_in_production(place.path[len(top) :]):
        return False
    return place.path.startswith(f"{top.rstrip('/')}/") and "/.git/" not in place.path


_TEST_WORDS = frozenset(("test", "tests", "testing", "testdb", "fixtures", "tmp", "temp", "scratch"))
_PRODUCTION_WORDS = frozenset(("prod", "production", "live", "main", "backup"))


def _is_for_tests(file: Word) -> bool:
    """Returns whether a file in the project is named for tests, which recreate it: `test.db`, `tests/fixtures/app.sqlite`,
    `app_test.db`."""
    text = (file.text or "/").lower()
    words = set(re.split(r"[^a-z0-9]+", text))
    return not text.startswith(("/", "~", "..")) and not words.isdisjoint(_TEST_WORDS) and words.isdisjoint(_PRODUCTION_WORDS)
