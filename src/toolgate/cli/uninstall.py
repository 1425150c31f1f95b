"""`toolgate uninstall`: removes the gate from hosts. For people."""

import math
from dataclasses import replace

import click

from toolgate.hosts import HOSTS
from toolgate.install import EDITED_SCOPES, ROOTS, in_words, plan_uninstall, without_trust
from toolgate.install.status_line import without_status_line
from toolgate.launching.chosen import plan_forgetting
from toolgate.machine.ancestry import agent_above
from toolgate.machine.environment import folders
from toolgate.undo.calls import folder_of
from toolgate.undo.vault import Vault

from .plan_view import carry_out
from .surroundings import Surroundings, surroundings
from .tier import named_hosts

SCOPES = click.Choice((*EDITED_SCOPES, ROOTS))


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
@click.option("--scope", type=SCOPES, help="Only this settings file of the host.  [default: all but the managed one]")
@click.option("--dry-run", is_flag=True, help="Show the difference, change nothing.")
@click.option("--purge", is_flag=True, help="Delete the copies that toolgate undo keeps, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def uninstall(host: str | None, every: bool, scope: str | None, dry_run: bool, purge: bool, as_json: bool) -> None:
    """Remove toolgate from HOST's settings, or from those of every host on this machine.

    Removes exactly toolgate's own entries, and a file that holds nothing else. Works on a person's terminal; beneath an
    agent's process it refuses. It also removes what `toolgate deploy` put into this project.
    """
    here = surroundings()
    above = "" if dry_run else agent_above(here.environ)
    if above:
        raise click.ClickException(f"an agent may not take the gate away: {above}; run it in a terminal of your own")
    for name in named_hosts(host, every, here):
        _uninstall(name, scope, dry_run, as_json, here)
    if purge and not dry_run:
        Vault(folder_of(folders(here.environ, here.home).state)).expire(math.inf)


def _uninstall(host: str, scope: str | None, dry_run: bool, as_json: bool, here: Surroundings) -> None:
    scopes = (scope,) if scope else EDITED_SCOPES
    plan = plan_uninstall(host, scopes, here.home, here.project, here.environ)
    plan = without_trust(plan, scopes, here.home, here.project, here.environ)
    plan = without_status_line(plan, scopes, here.home, here.project, here.environ)
    if scope in (None, "project") and host == "claude-code":
        with in_words():
            plan = replace(plan, changes=(*plan.changes, *plan_forgetting(here.project, here.home, here.environ)))
    carry_out(
        plan,
        dry_run,
        as_json,
        unchanged=f"toolgate is not registered with {host}",
        changed=f"toolgate is taken out of {host}'s settings",
    )
