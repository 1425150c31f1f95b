"""Dropping a database, schema, table or column, or resetting a project's database.

What is in it is gone; without a dump from before, for good. Make one first (`pg_dump`, `mysqldump`), or write a migration that
the person runs. A database in memory, in a temporary folder or of the test environment is of no consequence,
nor is one of this machine that nobody calls production: on loopback, in the project's compose file, a SQLite file of the project,
or where the project's own settings lead for development.
"""

from collections.abc import Iterator

from toolgate.locality import leads_elsewhere
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(drop: Operation, _options: None, context: Context) -> Iterator[Match]:
    is_own = drop.flag("local") is True and not leads_elsewhere(context.effects)
    if drop.flag("disposable") is not True and drop.flag("dry_run") is not True and not is_own:
        what = drop.target.shown if drop.target else "a database"
        yield Match(
            drop,
            f"This drops or resets a database or a part of it ({what}): the data is lost.",
            instead="back it up first, or try it on a copy",
        )
