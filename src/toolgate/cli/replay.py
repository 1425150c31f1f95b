"""`toolgate replay`: judges the calls of past sessions again."""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from toolgate import hosts
from toolgate.history.calls import PastCall, UnreadableLine
from toolgate.history.parallel import replay_in_processes
from toolgate.history.replay import AnswerChange, ChangeGroup, Comparison, PolicyLookup, Replayer
from toolgate.history.saved_answers import SavedAnswers
from toolgate.machine.environment import find_folders
from toolgate.model.event import Scene
from toolgate.model.rule import Policy
from toolgate.model.stakes_measurement import format_count
from toolgate.policy import load

from . import EXIT_BROKEN_POLICY
from .person import refuse_beneath_agent
from .surroundings import AS_JSON, PROFILE, Surroundings, read_surroundings
from .tier import find_audit_folder
from .transcripts import Veil, choose_files, choose_process_count, is_wanted, place_draft, read_with_progress

TITLES: dict[AnswerChange, str] = {
    "newly stopped": "Would be stopped, and is not today",
    "newly free": "Would pass, and is stopped today",
    "other reason": "Would be stopped for another reason",
    "stopped": "Would be stopped",
}
MAX_GROUPS = 20
MAX_EXAMPLE_WIDTH = 160  # characters of an example


@click.command(
    epilog="\b\nExamples:\n  toolgate replay --days 30\n  toolgate replay --profile paranoid\n"
    "  toolgate replay --policy draft.toml --max-new-stops 0 calls.jsonl"
)
@click.argument("paths", nargs=-1, type=click.Path(exists=True))
@PROFILE
@click.option("--policy", "draft", type=click.Path(exists=True, dir_okay=False), help="Compare with this file as your policy.")
@click.option("--host", "only", metavar="HOST", type=click.Choice(list(hosts.HOSTS)), help="Only the sessions of this host.")
@click.option("--audit", "from_audit", is_flag=True, help="Judge the calls of the gate's own audit log.")
@click.option("--days", type=click.IntRange(1), default=None, help="Only calls of the last N days.")
@click.option("--max-new-stops", type=click.IntRange(0), default=None, help="Exit with 1 if more calls are newly stopped.")
@click.option("--jobs", type=click.IntRange(1, 64), default=None, help="Processes; default: two for a long history.")
@AS_JSON
def replay(
    paths: tuple[str, ...],
    profile: str | None,
    draft: str | None,
    only: str | None,
    from_audit: bool,
    days: int | None,
    max_new_stops: int | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Judge the calls in PATHS again; without PATHS, those that this account's hosts have recorded.

    With --policy or --profile, the answers are compared with those of the policy in force; without, what the policy in force
    would stop is shown. Nothing is executed, asked or recorded. Calls are judged on the machine as it is now.

    PATHS are transcripts of Claude Code, event files of Copilot, rollouts of Codex, databases of OpenCode, days of the audit log,
    files with one call a line as `toolgate check --calls` takes them, or folders of such files. Of the audit log, calls that were
    redacted or cut are not judged, but counted.
    """
    surroundings = read_surroundings()
    refuse_beneath_agent(surroundings, "read the transcripts of other sessions")
    if draft and profile:
        raise click.UsageError("give --policy or --profile, not both")
    since = (datetime.now(UTC) - timedelta(days=days)).isoformat() if days else ""
    with _choose_policies(surroundings, draft, profile) as (after, before):
        files = choose_files((*paths, find_audit_folder(surroundings)) if from_audit else paths, only, surroundings)

        def read_files(reports: bool) -> Iterator[Iterator[PastCall | UnreadableLine]]:
            for calls in read_with_progress(files, reports=reports):
                yield (call for call in calls if is_wanted(call, only, since))

        veil = Veil(surroundings)
        folder = f"{find_folders(surroundings.environ, surroundings.home).cache}/replay"
        saved = SavedAnswers(folder, lambda shape: veil.text(shape) == shape)
        try:
            found = replay_in_processes(
                lambda: Replayer(surroundings.environ, surroundings.home, after, before, saved),
                read_files,
                jobs or choose_process_count(files),
            )
        finally:
            saved.write()  # also where it is interrupted
    saved.remove()
    if found.continued:
        click.echo(f"{found.continued:,} calls were judged before an earlier replay was interrupted.", err=True)
    if as_json:
        _write_lines(found, veil)
    else:
        _print_comparison(found, veil)
    return 1 if max_new_stops is not None and found.count_calls("newly stopped") > max_new_stops else 0


# ---- policies


@contextmanager
def _choose_policies(
    surroundings: Surroundings, draft: str | None, profile: str | None
) -> Iterator[tuple[PolicyLookup, PolicyLookup | None]]:
    """Yields the policy to judge by, and the one to compare with: None where the policy in force judges."""

    def in_force(scene: Scene) -> Policy:
        return load(scene.environ, scene.home, scene.project)

    if profile:
        yield (lambda scene: load(scene.environ, scene.home, scene.project, profile=profile)), in_force
    elif draft:
        with tempfile.TemporaryDirectory(prefix="toolgate-replay-") as scratch:
            environ = _place(surroundings, draft, scratch)
            yield (lambda scene: load({**scene.environ, **environ}, scene.home, scene.project)), in_force
    else:
        yield in_force, None


def _place(surroundings: Surroundings, draft: str, scratch: str) -> dict[str, str]:
    """Exits where the draft, or what it joins, is broken."""
    environ, result = place_draft(surroundings, Path(draft).read_bytes(), scratch)
    for problem in result.problems:
        file = draft if problem.file.startswith(scratch) else problem.file
        click.echo(f"toolgate: {str(problem).replace(problem.file, file)}", err=True)
    if result.problems:
        sys.exit(EXIT_BROKEN_POLICY)
    return environ


# ---- output


def _print_comparison(comparison: Comparison, veil: Veil) -> None:
    gone = f", {comparison.gone:,} of them in folders that are gone" if comparison.gone else ""
    calls, sessions = (
        format_count(comparison.calls, "call", "calls"),
        format_count(len(comparison.sessions), "session", "sessions"),
    )
    click.echo(f"{calls} of {sessions} judged{gone}.")
    for cause, count in sorted(comparison.indeterminate.items(), key=lambda item: -item[1]):
        click.echo(f"{count:,} could not be judged ({cause}).")
    for change, title in TITLES.items():
        groups = comparison.largest_groups(change)
        if not groups:
            continue
        click.echo()
        click.secho(f"{title}: {comparison.count_calls(change):,}", bold=True)
        for group in groups[:MAX_GROUPS]:
            _print_group(group, veil)
        if len(groups) > MAX_GROUPS:
            click.echo(f"  and {len(groups) - MAX_GROUPS:,} more kinds; --json lists them all")
    if not comparison.groups:
        click.echo("Nothing would be different." if comparison.calls else "There are no calls to judge.")


def _print_group(group: ChangeGroup, veil: Veil) -> None:
    outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(group.outcomes.items(), key=lambda item: -item[1]))
    colour = {"ask": "cyan", "deny": "red"}.get(group.verdict.name.lower())
    click.echo(f"  {click.style(group.verdict.name.lower(), fg=colour)} {group.rule}: {veil.text(group.shape)} ({outcomes})")
    for judged in group.examples:
        text = veil.example(judged)
        click.echo(f"      {text if len(text) <= MAX_EXAMPLE_WIDTH else text[: MAX_EXAMPLE_WIDTH - 3] + '...'}")


def _write_lines(comparison: Comparison, veil: Veil) -> None:
    for group in comparison.groups.values():
        examples = [
            {"operation": veil.example(each), "file": each.call.file, "line": each.call.line, "outcome": each.call.outcome}
            for each in group.examples
        ]
        row = {
            "change": group.change,
            "verdict": group.verdict.name.lower(),
            "rule": group.rule,
            "shape": veil.text(group.shape),
            "calls": group.call_count,
            "outcomes": group.outcomes,
            "examples": examples,
        }
        click.echo(json.dumps(row))
    total = {
        "change": "summary",
        "calls": comparison.calls,
        "sessions": len(comparison.sessions),
        "repeated": comparison.repeated,
        "continued": comparison.continued,
        "gone": comparison.gone,
        "indeterminate": comparison.indeterminate,
        **{change.replace(" ", "_"): comparison.count_calls(change) for change in TITLES},
    }
    click.echo(json.dumps(total))
