"""`toolgate store`: migrates the tables of a PostgreSQL store."""

import click

from toolgate import stores

from .command_groups import CommandGroup
from .person import demand_person
from .surroundings import read_surroundings


@click.group(
    cls=CommandGroup,
    epilog="\b\nExamples:\n  toolgate store migrate\n  toolgate store migrate --gate-role gate --approver-role approvers",
)
def store() -> None:
    """Manage the store of approvals, counters and lockouts."""


@store.command(
    epilog="""\b
Example:
  export TOOLGATE_STORE_URL=postgresql://owner@db/toolgate
  toolgate store migrate --gate-role gate --approver-role approvers
"""
)
@click.option("--gate-role", default="", help="An existing role that may ask and use approvals, never approve.")
@click.option("--approver-role", default="", help="An existing role, the only one that may approve.")
def migrate(gate_role: str, approver_role: str) -> None:
    """Create or update the tables of a PostgreSQL store, as their owner. A file needs no migration."""
    surroundings = read_surroundings()
    url = surroundings.environ.get("TOOLGATE_STORE_URL", "")
    if not url.startswith(("postgres:", "postgresql:")):
        raise click.UsageError("set TOOLGATE_STORE_URL to a postgresql:// URL of the tables' owner; a file needs nothing")
    demand_person(surroundings, "change the store's tables")
    stores.find_store(url, "")  # reports a missing driver
    from toolgate.stores.postgres import PostgresStore

    owner = PostgresStore(url)
    version = owner.migrate(gate_role, approver_role)
    owner.close()
    click.echo(f"the store is of version {version}")
