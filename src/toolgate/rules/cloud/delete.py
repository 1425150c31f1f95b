"""Deleting resources at a provider: machines, buckets, databases, sites, repositories, secrets.

Others may use them, and most cannot be restored. List or describe the resource first, or try the same command with `--dry-run`
where there is one.
"""

from collections.abc import Iterator

from toolgate.locality import may_redirect_addresses
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(delete: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if delete.get_flag("local") is True and not may_redirect_addresses(context.effects):
        return
    if delete.get_flag("dry_run") is True:
        return
    what = delete.target.display_text if delete.target else "a resource"
    if delete.get_flag("exposes") is True:
        yield Match(delete, f"Makes a repository public ({what}).")
    elif delete.get_flag("rights") is True:
        yield Match(delete, f"Changes who may do what at a provider ({what}).")
    elif delete.get_flag("stops") is True:
        yield Match(delete, f"Stops what runs at a provider ({what}).")
    else:
        told = f"Deletes what is kept or runs at a provider ({what})."
        yield Match(delete, told, "list first what it would delete, and show the user")
