"""`toolgate uninstall`: removes the gate from hosts. For people."""

from dataclasses import replace

import click

from toolgate.hosts import HOSTS
from toolgate.install import EDITED_SCOPES, MANAGED_SCOPE, add_trust_removal, plan_uninstall, remove_layouts, report_os_errors
from toolgate.install.status_line import without_status_line
from toolgate.launching.folder_profiles import plan_removal
from toolgate.model.errors import ToolgateError

from .leftovers import Leftover, delete_leftovers, list_leftovers
from .person import refuse_beneath_agent
from .plan_view import carry_out
from .surroundings import Surroundings, read_surroundings
from .tier import find_registrations, select_hosts

LAYOUT_HOST = "claude-code"
SCOPE_TYPE = click.Choice((*EDITED_SCOPES, MANAGED_SCOPE))


@click.command(
    epilog="""\b
Examples:
  toolgate uninstall claude-code                wherever it is registered
  toolgate uninstall claude-code --dry-run      only show what would change
  toolgate uninstall claude-code --scope local  only in this project
  toolgate uninstall --all                      every host on this machine
  toolgate uninstall claude-code --purge        also delete its data
"""
)
@click.argument("host", metavar="[HOST]", type=click.Choice(tuple(HOSTS)), required=False)
@click.option("--all", "every", is_flag=True, help="Every host whose program or settings are on this machine.")
@click.option("--scope", type=SCOPE_TYPE, help="Only this settings file of the host.  [default: all but the managed one]")
@click.option("--dry-run", is_flag=True, help="Show the difference, change nothing.")
@click.option("--purge", is_flag=True, help="Also delete your policy, the audit log, the approvals and the copies for undo.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def uninstall(host: str | None, every: bool, scope: str | None, dry_run: bool, purge: bool, as_json: bool) -> None:
    """Remove toolgate from HOST's settings, or from those of every host on this machine.

    Removes exactly toolgate's own entries, and a file that holds nothing else. Works on a person's terminal; beneath an
    agent's process it refuses. It also removes what `toolgate deploy` put into this project.
    """
    surroundings = read_surroundings()
    if not dry_run:
        refuse_beneath_agent(surroundings, "take the gate away")
    for name in select_hosts(host, every, surroundings):
        _uninstall_host(name, scope, dry_run, as_json, surroundings)
    guarded = [name for name in HOSTS if find_registrations(name, surroundings)]
    if purge and guarded and not dry_run:
        raise ToolgateError(f"nothing was purged: {', '.join(guarded)} still calls the gate; toolgate uninstall --all --purge")
    left = list_leftovers(surroundings)
    if purge and not dry_run:
        delete_leftovers(left)
    if not as_json:
        _print_leftovers(left, "would be deleted" if purge and dry_run else "deleted" if purge else "")


def _print_leftovers(leftovers: list[Leftover], outcome: str) -> None:
    if leftovers and not outcome:
        click.echo("left in place; `--purge` deletes it:", err=True)
    for each in leftovers:
        click.echo(f"  {each.path}  {each.what}, {each.size:,} bytes{f': {outcome}' if outcome else ''}", err=True)
    click.echo("left in place: toolgate itself; remove it as you installed it (`pipx uninstall toolgate`)", err=True)


def _uninstall_host(host: str, scope: str | None, dry_run: bool, as_json: bool, surroundings: Surroundings) -> None:
    scopes = (scope,) if scope else EDITED_SCOPES
    plan = plan_uninstall(host, scopes, surroundings.home, surroundings.project, surroundings.environ)
    plan = add_trust_removal(plan, scopes, surroundings.home, surroundings.project, surroundings.environ)
    plan = without_status_line(plan, scopes, surroundings.home, surroundings.project, surroundings.environ)
    if scope in (None, "user") and host == LAYOUT_HOST:
        plan = remove_layouts(plan, surroundings.home, surroundings.environ)
    if scope in (None, "project") and host == "claude-code":
        with report_os_errors():
            plan = replace(
                plan, changes=(*plan.changes, *plan_removal(surroundings.project, surroundings.home, surroundings.environ))
            )
    carry_out(
        plan,
        dry_run,
        as_json,
        unchanged=f"toolgate is not registered with {host}",
        changed=f"toolgate is taken out of {host}'s settings",
    )
