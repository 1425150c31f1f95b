"""`toolgate uninstall`: removes the gate from hosts. For people."""

import math
from dataclasses import replace

import click

from toolgate.hosts import HOSTS
from toolgate.install import EDITED_SCOPES, MANAGED_SCOPE, add_trust_removal, plan_uninstall, remove_layouts, report_os_errors
from toolgate.install.status_line import without_status_line
from toolgate.launching.folder_profiles import plan_removal
from toolgate.machine.ancestry import describe_agent_above
from toolgate.machine.environment import find_folders
from toolgate.undo.calls import store_folder
from toolgate.undo.vault import Vault

from .plan_view import carry_out
from .surroundings import Surroundings, read_surroundings
from .tier import select_hosts

LAYOUT_HOST = "claude-code"
SCOPE_TYPE = click.Choice((*EDITED_SCOPES, MANAGED_SCOPE))


@click.command(
    epilog="""\b
Examples:
  toolgate uninstall claude-code                  wherever it is registered
  toolgate uninstall claude-code --dry-run        only show what would change
  toolgate uninstall claude-code --scope local    only in this project's local settings
  toolgate uninstall --all                        every host that is on this machine
  toolgate uninstall claude-code --purge          with the copies of toolgate undo
"""
)
@click.argument("host", type=click.Choice(tuple(HOSTS)), required=False)
@click.option("--all", "every", is_flag=True, help="Each host whose program or settings are on this machine.")
@click.option("--scope", type=SCOPE_TYPE, help="Only this settings file of the host.  [default: all but the managed one]")
@click.option("--dry-run", is_flag=True, help="Show the difference, change nothing.")
@click.option("--purge", is_flag=True, help="Delete the copies that toolgate undo keeps, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def uninstall(host: str | None, every: bool, scope: str | None, dry_run: bool, purge: bool, as_json: bool) -> None:
    """Remove toolgate from HOST's settings, or from those of every host on this machine.

    Removes exactly toolgate's own entries, and a file that holds nothing else. Works on a person's terminal; beneath an
    agent's process it refuses. It also removes what `toolgate deploy` put into this project.
    """
    here = read_surroundings()
    above = "" if dry_run else describe_agent_above(here.environ)
    if above:
        raise click.ClickException(f"an agent may not take the gate away: {above}; run it in a terminal of your own")
    for name in select_hosts(host, every, here):
        _uninstall_host(name, scope, dry_run, as_json, here)
    if purge and not dry_run:
        Vault(store_folder(find_folders(here.environ, here.home).state)).delete_older(math.inf)


def _uninstall_host(host: str, scope: str | None, dry_run: bool, as_json: bool, here: Surroundings) -> None:
    scopes = (scope,) if scope else EDITED_SCOPES
    plan = plan_uninstall(host, scopes, here.home, here.project, here.environ)
    plan = add_trust_removal(plan, scopes, here.home, here.project, here.environ)
    plan = without_status_line(plan, scopes, here.home, here.project, here.environ)
    if scope in (None, "user") and host == LAYOUT_HOST:
        plan = remove_layouts(plan, here.home, here.environ)
    if scope in (None, "project") and host == "claude-code":
        with report_os_errors():
            plan = replace(plan, changes=(*plan.changes, *plan_removal(here.project, here.home, here.environ)))
    carry_out(
        plan,
        dry_run,
        as_json,
        unchanged=f"toolgate is not registered with {host}",
        changed=f"toolgate is taken out of {host}'s settings",
    )
