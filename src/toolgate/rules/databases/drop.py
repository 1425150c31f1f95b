"""Dropping a database, schema, table or column, or resetting a project's database.

The data is lost unless there is a dump. Make one first (`pg_dump`, `mysqldump`), or write a migration that the person runs. A
database in memory, in a temporary folder or of the test environment passes, and so does one on this machine that nothing names
production: on loopback, in the project's compose file, a SQLite file of the project, or the one that the project's settings for
development name.
"""

from collections.abc import Iterator

from toolgate.flows.started_services import is_started_here
from toolgate.locality import may_redirect_addresses
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(drop: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    is_local = drop.get_flag("local") is True and not may_redirect_addresses(context.effects)
    is_own = is_local or is_started_here(drop, context.effects)
    if drop.get_flag("disposable") is not True and drop.get_flag("dry_run") is not True and not is_own:
        what = context.effects.describe(drop) or "a database"
        yield Match(
            drop,
            f"Drops or resets a database, or a part of it: {what}. Its data is lost.",
            instead="back it up first, or work on a copy.",
        )
