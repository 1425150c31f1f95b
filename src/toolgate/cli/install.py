"""`toolgate install`: registers the gate between a host's agent and its tools."""

import json
import sys

import click

from toolgate.designs import LAYOUTS
from toolgate.hosts import HOSTS
from toolgate.hosts.capabilities import load_capabilities
from toolgate.install import EDITED_SCOPES, add_layout, apply_plan, own_command, plan_install, plan_trust
from toolgate.install.status_line import with_status_line
from toolgate.install.wiring import find_version_problems
from toolgate.machine import files, integrity
from toolgate.machine.ancestry import describe_agent_above
from toolgate.machine.environment import find_folders

from .live_proofs import prove_hosts
from .plan_view import carry_out, print_diff
from .surroundings import Surroundings, read_surroundings
from .tier import select_hosts

NPM_NOTE = """\
note: on Node 20 and older, `npm install @anthropic-ai/claude-code` without a version installs such an old client.
      Install a current one by its version, or with Node 22: npm install -g @anthropic-ai/claude-code@latest"""
SCOPES = ("user", "project", "local", "managed", "launcher")


@click.command(
    epilog="""\b
Examples:
  toolgate install claude-code                all your sessions
  toolgate install claude-code --dry-run      only show what would change
  toolgate install claude-code --scope local  this project, for you alone
  toolgate install --all                      every host on this machine
  toolgate install claude-code --history      also replay the last 30 days
"""
)
@click.argument("host", metavar="[HOST]", type=click.Choice(tuple(HOSTS)), required=False)
@click.option("--all", "every", is_flag=True, help="Every host whose program or settings are on this machine.")
@click.option("--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="Which settings file of the host.")
@click.option("--layout", type=click.Choice(tuple(LAYOUTS)), default=None, help="Also write the files of another design.")
@click.option("--statusline", is_flag=True, help="Also show the gate in the client's status line (Claude Code).")
@click.option(
    "--host-rules/--no-host-rules",
    default=None,
    help="Also add deny rules of the host's own for credential files (Claude Code).  [default: as before, or yes]",
)
@click.option("--history", is_flag=True, help="Then replay the calls of your last 30 days; asks first.")
@click.option("--dry-run", is_flag=True, help="Show the difference, change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def install(
    host: str | None,
    every: bool,
    scope: str,
    layout: str | None,
    statusline: bool,
    host_rules: bool | None,
    history: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Register toolgate with HOST, or with every host on this machine, for every event.

    Changes only its own entries: every other byte of the settings file stays, and a copy of the file is kept. The difference
    goes to standard output, everything else to standard error. Running it again updates entries that are out of date.
    """
    surroundings = read_surroundings()
    if statusline and scope not in EDITED_SCOPES:
        raise click.UsageError(f"--statusline is for the settings of a person: --scope {', '.join(EDITED_SCOPES)}")
    for name in select_hosts(host, every, surroundings):
        _install_host(name, scope, layout, statusline, host_rules, dry_run, as_json, surroundings)
    if dry_run:
        return 0
    try:
        integrity.write_record()
        _record_command(surroundings)
    except OSError as problem:
        click.echo(f"the packages of this installation could not be recorded: {problem}", err=True)
    if history:
        from .past_calls import offer_history

        offer_history(surroundings)
    return prove_hosts(surroundings) if every and not as_json else 0


def _install_host(
    host: str,
    scope: str,
    layout: str | None,
    statusline: bool,
    host_rules: bool | None,
    dry_run: bool,
    as_json: bool,
    surroundings: Surroundings,
) -> None:
    if scope == "launcher":
        from toolgate.launching.launcher import plan_settings

        plan = plan_settings(surroundings.home, surroundings.environ)
    else:
        plan = plan_install(host, scope, surroundings.home, surroundings.project, surroundings.environ, host_rules=host_rules)
    if statusline:
        plan = with_status_line(plan, scope, surroundings.home, surroundings.project, surroundings.environ)
    if layout is not None:
        plan = add_layout(plan, layout, surroundings.home, surroundings.environ)
    carry_out(
        plan,
        dry_run,
        as_json,
        unchanged=f"toolgate is registered with {host} already",
        changed=f"toolgate is registered with {host}; prove it with: toolgate doctor --live",
    )
    if not as_json:
        _print_client_problems(host, surroundings)
    if not dry_run:
        _ask_for_trust(host, scope, surroundings)


def _print_client_problems(host: str, surroundings: Surroundings) -> None:
    """Prints a note where the host's client is too old to refuse a call when the gate fails."""
    for problem in find_version_problems(host, surroundings.environ):
        click.echo(f"note: {problem.where}: {problem.what}; {problem.remedy}", err=True)
        if host == "claude-code":
            click.echo(NPM_NOTE, err=True)


def _ask_for_trust(host: str, scope: str, surroundings: Surroundings) -> None:
    """Asks for the trust that the host requires from its user; without a terminal, prints how to give it."""
    if scope == "launcher":
        return
    plan = plan_trust(host, scope, surroundings.home, surroundings.project, surroundings.environ)
    if not plan.changes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or describe_agent_above(surroundings.environ):
        click.echo(load_capabilities(host).activation, err=True)
        return
    print_diff(plan.diff)
    if click.confirm(f"Trust these hooks in {host}, as the difference shows?", err=True):
        apply_plan(plan, f"{find_folders(surroundings.environ, surroundings.home).state}/backups")
    else:
        click.echo(f"{host} is not guarded yet. {load_capabilities(host).activation}", err=True)


def _record_command(surroundings: Surroundings) -> None:
    """Records the command for programs that start the gate themselves (`clients/node`)."""
    command = json.dumps(own_command()).encode()
    files.write_file(f"{find_folders(surroundings.environ, surroundings.home).state}/hook-command.json", command)
