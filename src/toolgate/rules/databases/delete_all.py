"""Emptying a table or a store: TRUNCATE, DELETE and UPDATE for every row, FLUSHALL.

Every row is deleted or changed, and the database keeps no copy. On a database of another machine, deleting by a condition that
names no single rows counts as well. Add a condition, try it with SELECT, or work in a transaction
that ends in ROLLBACK. A database on this machine passes unless something names it production.
"""

from collections.abc import Iterator

from toolgate.flows.started_services import is_started_here
from toolgate.locality import may_redirect_addresses
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(delete: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    is_local = delete.get_flag("local") is True and not may_redirect_addresses(context.effects)
    is_own = is_local or is_started_here(delete, context.effects)
    if delete.get_flag("disposable") is not True and delete.get_flag("dry_run") is not True and not is_own:
        what = context.effects.describe(delete) or "every row"
        is_partial = delete.get_flag("partial") is True
        does = "Deletes or changes, by a condition," if is_partial else "Empties or changes a table or a store as a whole:"
        message = f"{does} {what}{' in a database that others use' if is_partial else ''}."
        yield Match(delete, message, instead="count what it would change, or name the rows or keys that are meant.")
