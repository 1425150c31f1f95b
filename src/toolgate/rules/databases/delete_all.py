"""Emptying a table or a store: TRUNCATE, DELETE and UPDATE for every row, FLUSHALL.

Every row is deleted or changed, and the database keeps no copy. Give the condition, try it with SELECT, or work in a
transaction that ends in ROLLBACK.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(delete: Operation, _options: None, _context: Context) -> Iterator[Match]:
    if delete.flag("disposable") is not True and delete.flag("dry_run") is not True:
        what = delete.target.shown if delete.target else "every row"
        yield Match(delete, f"This deletes or changes {what}.", instead="SELECT count(*) with the same condition")
