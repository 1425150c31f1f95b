"""Prints a plan on a terminal, in a pipe, and as JSON."""

import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby

import click
from rich.console import Console
from rich.text import Text

from toolgate.install import Command, Plan, apply_plan
from toolgate.machine.environment import find_folders

from .surroundings import read_surroundings

MAX_RULES = 4
"""Rules of a host in a row that a terminal shows one by one."""
HOST_RULE = re.compile(r'[+-]\s*"Read\(')
COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def carry_out(plan: Plan, dry_run: bool, as_json: bool, unchanged: str, changed: str) -> None:
    """Prints the plan, and carries it out unless it is a dry run."""
    if not as_json:
        for note in plan.notes:
            click.echo(f"note: {note}", err=True)
        _show_commands(plan.first)
        print_diff(plan.diff)
        _show_commands(plan.last)
    surroundings = read_surroundings()
    kept = () if dry_run else apply_plan(plan, f"{find_folders(surroundings.environ, surroundings.home).state}/backups")
    if as_json:
        changes = [
            {"path": change.path, "created": change.before is None, "removed": change.after is None, "diff": change.diff}
            for change in plan.changes
        ]
        ran = {"first": plan.first, "last": plan.last} if plan.first or plan.last else {}
        fields = {"host": plan.host, "dry_run": dry_run, "changes": changes, "backups": kept, "notes": plan.notes, **ran}
        click.echo(json.dumps(fields))
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


def fold_rules(lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines of a diff, with one line for many rules of a host that are added or removed together."""
    for (sign, is_rule), run in groupby(lines, lambda line: (line[:1], HOST_RULE.match(line) is not None)):
        group = list(run)
        if not is_rule or len(group) <= MAX_RULES:
            yield from group
            continue
        yield from group[:2]
        yield f"{sign}     ... {len(group) - 2} more rules like these: in full with `--dry-run | cat`"


def print_diff(diff: str) -> None:
    """Prints a diff, in colours on a terminal."""
    if not sys.stdout.isatty():
        click.echo(diff, nl=False)
        return
    console = Console(highlight=False)
    for line in fold_rules(diff.splitlines()):
        heading = line.startswith(("+++", "---"))
        console.print(Text(line, style="bold" if heading else COLOURS.get(line[:1], "")), soft_wrap=True)
