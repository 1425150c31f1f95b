"""Prints a plan on a terminal, in a pipe, and as JSON."""

import json
import shlex
import sys

import click
from rich.console import Console
from rich.text import Text

from toolgate.install import Command, Plan, apply_plan
from toolgate.machine.environment import find_folders

from .surroundings import read_surroundings

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def carry_out(plan: Plan, dry_run: bool, as_json: bool, unchanged: str, changed: str) -> None:
    """Prints the plan, and carries it out unless it is a dry run."""
    if not as_json:
        for note in plan.notes:
            click.echo(f"note: {note}", err=True)
        _show_commands(plan.first)
        print_diff(plan.diff)
        _show_commands(plan.last)
    here = read_surroundings()
    kept = () if dry_run else apply_plan(plan, f"{find_folders(here.environ, here.home).state}/backups")
    if as_json:
        changes = [
            {"path": change.path, "created": change.before is None, "removed": change.after is None, "diff": change.diff}
            for change in plan.changes
        ]
        ran = {"first": plan.first, "last": plan.last} if plan.first or plan.last else {}
        told = {"host": plan.host, "dry_run": dry_run, "changes": changes, "backups": kept, "notes": plan.notes, **ran}
        click.echo(json.dumps(told))
        return
    for path in kept:
        click.echo(f"kept what was there: {path}", err=True)
    if not plan.changes:
        click.echo(unchanged, err=True)
    else:
        click.echo("nothing was changed: this is what would be" if dry_run else changed, err=True)


def _show_commands(commands: tuple[Command, ...]) -> None:
    for command in commands:
        click.echo(f"$ {shlex.join(command)}")


def print_diff(diff: str) -> None:
    """Prints a diff, in colours on a terminal."""
    if not sys.stdout.isatty():
        click.echo(diff, nl=False)
        return
    console = Console(highlight=False)
    for line in diff.splitlines():
        heading = line.startswith(("+++", "---"))
        console.print(Text(line, style="bold" if heading else COLOURS.get(line[:1], "")), soft_wrap=True)
