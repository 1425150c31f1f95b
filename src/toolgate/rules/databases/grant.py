"""Granting rights on a database to everybody, or a superuser role.

Everyone with a login can read and change it from then on. Grant the rights that are needed to the role that needs them, in a
migration that the person runs. A database of the test environment passes.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(grant: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if grant.get_flag("disposable") is not True:
        what = context.effects.describe(grant) or "new rights"
        yield Match(
            grant, f"Widens the rights on a database: {what}.", instead="grant only what is needed, to the role that needs it."
        )
