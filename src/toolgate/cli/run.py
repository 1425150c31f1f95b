"""`toolgate run`: starts a host's client with the gate locked on."""

import json
import os
import sys
import time
from shlex import join
from typing import NoReturn

import click

from toolgate.launching import bypass, launcher

from .person import demand_person, demand_shown_number
from .surroundings import Surroundings, read_surroundings

MINUTES_TYPE = click.FloatRange(0, bypass.MAX_MINUTES, min_open=True)


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  toolgate run -- claude -p "$task"
  toolgate run --strict -- claude --settings campaign.json -p "$task"
  toolgate run --no-hooks --for 10 --reason 'upgrade of the gate' -- claude
""",
)
@click.option("--strict", is_flag=True, help="Also refuse a client that runs calls when the gate fails.")
@click.option("--dry-run", is_flag=True, help="Show what would be written and started.")
@click.option("--no-hooks", is_flag=True, help="Start without the gate. Needs a person at a terminal; recorded.")
@click.option("--for", "minutes", type=MINUTES_TYPE, metavar="MIN", help="How many minutes without the gate: at most 60.")
@click.option("--reason", default="", help="The reason to record.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True)
def run(strict: bool, dry_run: bool, no_hooks: bool, minutes: float | None, reason: str, command: tuple[str, ...]) -> int:
    """Start COMMAND, a host's client, with the gate in settings that no project overrides.

    Removes --dangerously-skip-permissions from COMMAND. The client starts only if the registration is verified. Settings
    given with --settings are passed on together with the gate's.
    """
    surroundings = read_surroundings()
    if no_hooks:
        return _run_unguarded(surroundings, command, minutes, reason)
    if minutes is not None or reason:
        raise click.UsageError("--for and --reason go with --no-hooks")
    launch = launcher.prepare_launch(command, surroundings.home, surroundings.project, surroundings.environ, strict=strict)
    for note in launch.notes:
        click.echo(f"note: {note}", err=True)
    if dry_run:
        click.echo(json.dumps({"argv": launch.argv, "diff": launch.plan.diff}, indent=2))
        return 0
    launcher.write_settings(launch)
    return _replace_process(launch.argv, surroundings)


def _replace_process(argv: tuple[str, ...], surroundings: Surroundings) -> NoReturn:
    """Replaces this process with the client, which then has the terminal and gets its signals."""
    sys.stdout.flush()
    os.execve(argv[0], argv, dict(surroundings.environ))


def _run_unguarded(surroundings: Surroundings, command: tuple[str, ...], minutes: float | None, reason: str) -> int:
    if minutes is None or len(reason.split()) < 2:
        raise click.UsageError("--no-hooks wants --for MIN and a --reason in words")
    demand_person(surroundings, "start a client without the gate")
    click.secho(f"For {minutes:g} minutes nothing stands between the agent and this machine.", fg="red", bold=True, err=True)
    demand_shown_number("start it without the gate")
    problem = bypass.record_bypass(join(command), minutes, reason, surroundings.home, surroundings.environ, time.time())
    if problem:
        raise click.ClickException(f"{problem}; without a record there is no bypass")
    code = bypass.run_client(command, minutes)
    if code == bypass.EXIT_TIME_OVER:
        click.secho("The time without the gate is over: the client was ended.", fg="red", bold=True, err=True)
    return code
