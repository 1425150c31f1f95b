"""Deleting resources at a provider: machines, buckets, databases, sites, repositories, secrets.

Others may use them, and most cannot be restored. List or describe the resource first, or try the same command with `--dry-run`
where there is one.
"""

from collections.abc import Iterator

from toolgate.locality import leads_elsewhere
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(delete: Operation, _options: None, context: Context) -> Iterator[Match]:
    if delete.flag("local") is True and not leads_elsewhere(context.effects):
        return
    if delete.flag("dry_run") is True:
        return
    what = delete.target.shown if delete.target else "a resource"
    if delete.flag("exposes") is True:
        yield Match(delete, f"This makes a repository public ({what}).")
    elif delete.flag("rights") is True:
        yield Match(delete, f"This changes who may do what at a provider ({what}).")
    elif delete.flag("stops") is True:
        yield Match(delete, f"This stops what runs at a provider ({what}).")
    else:
        told = f"This deletes what is kept or runs at a provider ({what})."
        yield Match(delete, told, "list first what it would delete, and show the user")
