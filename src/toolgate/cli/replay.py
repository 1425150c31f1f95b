"""`toolgate replay`: judges the calls of past sessions again."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from toolgate import hosts
from toolgate.history import FORMS, UnknownForm, find_files, own_folders, read_file
from toolgate.history.calls import PastCall, Unreadable
from toolgate.history.replaying import Change, Comparison, Group, Judged, PolicyOf, Replayer
from toolgate.machine.ancestry import agent_above
from toolgate.machine.environment import folders
from toolgate.model.event import Scene
from toolgate.model.rule import Policy
from toolgate.policy import compiled, load
from toolgate.sessions.hushing import describe_action

from . import BROKEN_POLICY
from .approve import clean
from .surroundings import AS_JSON, PROFILE, Surroundings, surroundings, veiled

TITLES: dict[Change, str] = {
    "newly stopped": "Would be stopped, and is not today",
    "newly free": "Would pass, and is stopped today",
    "other reason": "Would be stopped for another reason",
    "stopped": "Would be stopped",
}
MOST_GROUPS = 20
WIDEST = 160  # characters of an example


@click.command(
    epilog="\b\nExamples:\n  toolgate replay --days 30\n  toolgate replay --profile paranoid\n"
    "  toolgate replay --policy draft.toml --max-new-stops 0 calls.jsonl"
)
@click.argument("paths", nargs=-1, type=click.Path(exists=True))
@PROFILE
@click.option("--policy", "draft", type=click.Path(exists=True, dir_okay=False), help="Compare with this file as your policy.")
@click.option("--host", "only", type=click.Choice(list(hosts.HOSTS)), default=None, help="Only the sessions of this host.")
@click.option("--days", type=click.IntRange(1), default=None, help="Only calls of the last N days.")
@click.option("--max-new-stops", type=click.IntRange(0), default=None, help="Exit with 1 if more calls are newly stopped.")
@AS_JSON
def replay(
    paths: tuple[str, ...],
    profile: str | None,
    draft: str | None,
    only: str | None,
    days: int | None,
    max_new_stops: int | None,
    as_json: bool,
) -> int:
    """Judge the calls in PATHS again; without PATHS, those that this account's hosts have recorded.

    With --policy or --profile, the answers are compared with those of the policy in force; without, what the policy in force
    would stop is shown. Nothing is executed, asked or recorded. Calls are judged on the machine as it is now.

    PATHS are transcripts of Claude Code, event files of Copilot, files with one call a line as `toolgate check --calls` takes
    them, or folders of such files.
    """
    here = surroundings()
    if above := agent_above(here.environ):
        raise click.ClickException(f"an agent may not read the transcripts of other sessions: {above}")
    if draft and profile:
        raise click.UsageError("give --policy or --profile, not both")
    since = (datetime.now(UTC) - timedelta(days=days)).isoformat() if days else ""
    with _policies(here, draft, profile) as (after, before):
        replayer = Replayer(here.environ, here.home, after, before)
        for calls in _progress(_chosen(paths, only, here)):
            replayer.add(call for call in calls if _is_wanted(call, only, since))
    found = replayer.comparison
    veil = _Veil(here)
    if as_json:
        _write_lines(found, veil)
    else:
        _show(found, veil)
    return 1 if max_new_stops is not None and found.count("newly stopped") > max_new_stops else 0


# ---- input


def _chosen(paths: tuple[str, ...], only: str | None, here: Surroundings) -> list[str]:
    if not paths:
        known = [only] if only else list(FORMS)
        paths = tuple(folder for host in known for folder in own_folders(host, here.home, dict(here.environ)))
        paths = tuple(folder for folder in paths if os.path.isdir(folder))
    return list(find_files(paths))


def _progress(files: list[str]) -> Iterator[Iterator[PastCall | Unreadable]]:
    with click.progressbar(files, label="Judging", file=sys.stderr, hidden=not sys.stderr.isatty()) as shown:
        for path in shown:
            try:
                yield read_file(path)
            except UnknownForm:
                click.echo(f"toolgate: {path}: in no form that is known; left out", err=True)
            except OSError as problem:
                click.echo(f"toolgate: {path}: {problem.strerror or problem}; left out", err=True)


def _is_wanted(call: PastCall | Unreadable, only: str | None, since: str) -> bool:
    return isinstance(call, Unreadable) or ((not only or call.host == only) and (not call.time or call.time >= since))


# ---- policies


@contextmanager
def _policies(here: Surroundings, draft: str | None, profile: str | None) -> Iterator[tuple[PolicyOf, PolicyOf | None]]:
    """Yields the policy to judge by, and the one to compare with: None where the policy in force judges."""

    def in_force(scene: Scene) -> Policy:
        return load(scene.environ, scene.home, scene.project)

    if profile:
        yield (lambda scene: load(scene.environ, scene.home, scene.project, profile=profile)), in_force
    elif draft:
        with tempfile.TemporaryDirectory(prefix="toolgate-replay-") as scratch:
            environ = _with_draft(here, draft, scratch)
            yield (lambda scene: load({**scene.environ, **environ}, scene.home, scene.project)), in_force
    else:
        yield in_force, None


def _with_draft(here: Surroundings, draft: str, scratch: str) -> dict[str, str]:
    """Returns the variables under which a draft replaces the user's policy; the other layers stay. Exits where the draft, or a
    policy that it is merged with, is broken."""
    if here.environ.get("TOOLGATE_HOME"):
        environ, place = {"TOOLGATE_HOME": scratch}, Path(scratch)
        place.joinpath("organisation").symlink_to(folders(here.environ, here.home).organisation)
    else:
        environ, place = {"XDG_CONFIG_HOME": scratch, "XDG_CACHE_HOME": f"{scratch}/cache"}, Path(scratch, "toolgate")
    place.mkdir(exist_ok=True)
    shutil.copyfile(draft, place / "policy.toml")
    problems = compiled({**here.environ, **environ}, here.home, here.project).problems
    for problem in problems:
        click.echo(f"toolgate: {str(problem).replace(str(place / 'policy.toml'), draft)}", err=True)
    if problems:
        sys.exit(BROKEN_POLICY)
    return environ


# ---- output


class _Veil:
    """Formats past calls for a terminal: without secrets, on one line, without control characters."""

    def __init__(self, here: Surroundings) -> None:
        self._policy = load(here.environ, here.home, here.project)

    def example(self, judged: Judged) -> str:
        return self.text(describe_action(judged.action))

    def text(self, text: str) -> str:
        hiding = veiled(self._policy)
        hiding.learn(text)
        return clean(" ".join(hiding.text(text).split()))


def _show(found: Comparison, veil: _Veil) -> None:
    gone = f", {found.gone:,} of them in folders that are gone" if found.gone else ""
    click.echo(f"{found.calls:,} calls of {len(found.sessions):,} sessions judged{gone}.")
    for cause, count in sorted(found.indeterminate.items(), key=lambda item: -item[1]):
        click.echo(f"{count:,} could not be judged ({cause}).")
    for change, title in TITLES.items():
        groups = found.largest(change)
        if not groups:
            continue
        click.echo()
        click.secho(f"{title}: {found.count(change):,}", bold=True)
        for group in groups[:MOST_GROUPS]:
            _show_group(group, veil)
        if len(groups) > MOST_GROUPS:
            click.echo(f"  and {len(groups) - MOST_GROUPS:,} more kinds; --json lists them all")
    if not found.groups:
        click.echo("Nothing would be different." if found.calls else "There are no calls to judge.")


def _show_group(group: Group, veil: _Veil) -> None:
    outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(group.outcomes.items(), key=lambda item: -item[1]))
    colour = {"ask": "cyan", "deny": "red"}.get(group.verdict.name.lower())
    click.echo(f"  {click.style(group.verdict.name.lower(), fg=colour)} {group.rule}: {veil.text(group.shape)} ({outcomes})")
    for judged in group.examples:
        text = veil.example(judged)
        click.echo(f"      {text if len(text) <= WIDEST else text[: WIDEST - 3] + '...'}")


def _write_lines(found: Comparison, veil: _Veil) -> None:
    for group in found.groups.values():
        examples = [
            {"operation": veil.example(each), "file": each.call.file, "line": each.call.line, "outcome": each.call.outcome}
            for each in group.examples
        ]
        row = {
            "change": group.change,
            "verdict": group.verdict.name.lower(),
            "rule": group.rule,
            "shape": veil.text(group.shape),
            "calls": group.calls,
            "outcomes": group.outcomes,
            "examples": examples,
        }
        click.echo(json.dumps(row))
    total = {
        "change": "summary",
        "calls": found.calls,
        "sessions": len(found.sessions),
        "repeated": found.repeated,
        "gone": found.gone,
        "indeterminate": found.indeterminate,
        **{change.replace(" ", "_"): found.count(change) for change in TITLES},
    }
    click.echo(json.dumps(total))
