"""`toolgate watch`: reports changes of files that the gate depends on."""

import json
import time

import click

from toolgate.launching import watch as watching
from toolgate.launching.watch import Drift

from .surroundings import AS_JSON, read_surroundings


@click.command(
    epilog="""\b
Examples:
  toolgate watch --once || echo 'something changed'
  toolgate watch --json >> drift.jsonl
"""
)
@click.option("--once", is_flag=True, help="Check once. Exit 1 when something is wrong.")
@click.option(
    "--every", type=click.FloatRange(0.1), default=5.0, show_default=True, metavar="SECONDS", help="Time between checks."
)
@AS_JSON
def watch(once: bool, every: float, as_json: bool) -> int:
    """Report drift: settings that register the gate, deployed scripts, the client, the policy, the gate's own code.

    Reports present problems first, then every change, until it is interrupted. It repairs nothing; `toolgate deploy` and
    `toolgate doctor --repair` do.
    """
    surroundings = read_surroundings()
    before = watching.read_state(surroundings.home, surroundings.project, surroundings.environ)
    wrong = list(watching.find_problems(surroundings.home, surroundings.project, surroundings.environ, time.time()))
    for drift in wrong:
        _print_drift(drift, as_json)
    if once:
        if not (wrong or as_json):
            click.echo("everything is as it should be")
        return 1 if wrong else 0
    click.echo(f"watching {len(before)} places", err=True)
    try:
        while True:
            time.sleep(every)
            after = watching.read_state(surroundings.home, surroundings.project, surroundings.environ)
            for drift in watching.compare_states(before, after, time.time()):
                _print_drift(drift, as_json)
            before = after
    except KeyboardInterrupt:
        return 0


def _print_drift(drift: Drift, as_json: bool) -> None:
    row = drift.as_row()
    click.echo(json.dumps(row) if as_json else f"{row['time']} {row['where']}: {row['what']}")
