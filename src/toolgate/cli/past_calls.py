"""Shows what the policy in force would have done with the last 30 days, after `toolgate install --history`."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import click

from toolgate.history.calls import PastCall, UnreadableLine
from toolgate.history.parallel import replay_in_processes
from toolgate.history.replay import ChangeGroup, Comparison, Replayer
from toolgate.machine.ancestry import describe_agent_above
from toolgate.model.decision import Verdict
from toolgate.policy import load

from .surroundings import Surroundings
from .transcripts import Veil, choose_files, choose_process_count, is_wanted, read_with_progress

DAYS = 30
SHOWN = 5
WIDTH = 160  # characters of an example


def offer_history(surroundings: Surroundings) -> None:
    """Reads the transcripts of this account's hosts, if the person at the terminal agrees, and prints what would have been
    stopped. Raises ClickException without a person."""
    if above := describe_agent_above(surroundings.environ):
        raise click.ClickException(f"an agent may not read the transcripts of other sessions: {above}")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.ClickException("--history reads your past sessions and asks you first: call it on a terminal")
    files = choose_files((), None, surroundings)
    if not files:
        click.echo("No host keeps records of past sessions here.", err=True)
    elif click.confirm(
        f"Read {len(files):,} files of past sessions, on this machine alone, and judge the calls again?", err=True
    ):
        for line in describe_history(judge_history(files, surroundings), Veil(surroundings)):
            click.echo(line)


def judge_history(files: list[str], surroundings: Surroundings) -> Comparison:
    since = (datetime.now(UTC) - timedelta(days=DAYS)).isoformat()

    def read_files(reports: bool) -> Iterator[Iterator[PastCall | UnreadableLine]]:
        for calls in read_with_progress(files, reports=reports):
            yield (call for call in calls if is_wanted(call, None, since))

    def make_replayer() -> Replayer:
        return Replayer(surroundings.environ, surroundings.home, lambda scene: load(scene.environ, scene.home, scene.project))

    return replay_in_processes(make_replayer, read_files, choose_process_count(files))


def describe_history(comparison: Comparison, veil: Veil) -> Iterator[str]:
    groups = list(comparison.groups.values())
    asked, denied = (
        sum(each.call_count for each in groups if each.verdict is verdict) for verdict in (Verdict.ASK, Verdict.DENY)
    )
    text = f"In your last {DAYS} days, {comparison.calls:,} calls: {asked:,} would have been asked about, {denied:,} denied"
    worst = sorted((each for each in groups if each.outcomes.get("ran")), key=_weigh_group)[:SHOWN]
    ran = sum(each.outcomes["ran"] for each in worst)
    yield f"{text}; these {len(worst)} would have mattered:" if len(worst) > 1 else f"{text}{':' if ran else '.'}"
    for group in worst:
        example = next((each for each in group.examples if each.call.outcome == "ran"), group.examples[0])
        times = f", {group.outcomes['ran']} times" if group.outcomes["ran"] > 1 else ""
        yield f"  {group.verdict.name.lower():4} {group.rule}{times}: {veil.example(example)[:WIDTH]}"
    if comparison.indeterminate:
        yield f"{sum(comparison.indeterminate.values()):,} could not be judged; toolgate replay --days {DAYS} says why."


def _weigh_group(group: ChangeGroup) -> tuple[int, int, str, str]:
    """Orders what was denied before what was asked about, and then by how often it ran."""
    return -group.verdict, -group.outcomes.get("ran", 0), group.rule, group.shape
