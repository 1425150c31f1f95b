"""Emptying a table or a store: TRUNCATE, DELETE and UPDATE for every row, FLUSHALL.

Every row is deleted or changed, and the database keeps no copy. Add a condition, try it with SELECT, or work in a transaction
that ends in ROLLBACK. A database on this machine passes unless something names it production.
"""

from collections.abc import Iterator

from toolgate.locality import leads_elsewhere
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(delete: Operation, _options: None, context: Context) -> Iterator[Match]:
    is_own = delete.flag("local") is True and not leads_elsewhere(context.effects)
    if delete.flag("disposable") is not True and delete.flag("dry_run") is not True and not is_own:
        what = delete.target.shown if delete.target else "every row"
        yield Match(delete, f"This deletes or changes {what}.", instead="count first what it would change, or name what is meant")
