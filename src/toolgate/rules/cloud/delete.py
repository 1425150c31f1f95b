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
    what = context.effects.describe(delete) or "a resource"
    if delete.get_flag("exposes") is True:
        yield Match(delete, f"Makes a repository public: {what}.", "leave its visibility to the user.")
    elif delete.get_flag("rights") is True:
        message = f"Changes who may do what at a provider: {what}."
        yield Match(delete, message, "show the user the change, and let them make it.")
    elif delete.get_flag("stops") is True:
        message = f"Stops something that runs at a provider: {what}."
        yield Match(delete, message, "list what depends on it, and show the user.")
    elif delete.get_flag("pays") is True:
        yield Match(delete, f"Moves money, which nobody can take back: {what}.", "let the user send it.")
    elif delete.get_flag("buys") is True:
        yield Match(delete, f"Buys something at a provider, for months or years: {what}.", "let the user buy it.")
    elif delete.get_flag("costs") is True:
        yield Match(delete, f"Starts very many machines or copies of a program: {what}.", "start as many as are needed.")
    else:
        message = f"Deletes something at a provider: {what}. It cannot be restored from here."
        yield Match(delete, message, "list what it would delete, and show the user.")
