"""Dropping a database, schema, table or column, or resetting a project's database.

What is in it is gone; without a dump from before, for good. Make one first (`pg_dump`, `mysqldump`), or write a migration that
the person runs. A database in memory, in a temporary folder or of the test environment is of no consequence.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(drop: Operation, _options: None, _context: Context) -> Iterator[Match]:
    if drop.flag("disposable") is not True and drop.flag("dry_run") is not True:
        what = drop.target.shown if drop.target else "a database"
        yield Match(drop, f"This drops or resets a database or a part of it ({what}): the data is lost.", instead="pg_dump")
