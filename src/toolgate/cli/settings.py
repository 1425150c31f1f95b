"""`toolgate settings`: renders what an unattended campaign may touch and run as settings of its host."""

import json
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from toolgate.install import Plan, must_start, own_command
from toolgate.launching import campaign
from toolgate.launching.campaign import PROFILE, Campaign
from toolgate.launching.chosen import choose
from toolgate.launching.rendering import any_code, render

from .plan_view import carry_out
from .surroundings import AS_JSON, surroundings

FOLDER = click.Path(file_okay=False)
OPTIONS = (
    click.option("--work-dir", type=FOLDER, default=None, help="The campaign's own folder."),
    click.option("--repo", type=FOLDER, default=None, help="The repository that it works on."),
    click.option("--run", default=None, metavar="ID", help="The work dir is .nous/ID in the repository."),
    click.option(
        "--plan", type=click.Path(exists=True, dir_okay=False), default=None, help="The plan whose commands may be run."
    ),
    click.option("--allow-bin", multiple=True, metavar="NAME", help="A further program that may be run; may be repeated."),
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Show the difference, change nothing.")


def of_a_campaign(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a campaign to a verb, which is given the campaign that they describe."""

    @wraps(verb)
    def asked(
        work_dir: str | None, repo: str | None, run: str | None, plan: str | None, allow_bin: tuple[str, ...], **more: bool
    ) -> Any:
        return verb(_campaign(work_dir, repo, run, plan, allow_bin), **more)

    for option in reversed(OPTIONS):
        asked = option(asked)
    return asked


@click.group(
    epilog="""\b
Examples:
  toolgate settings render --work-dir runs/7 --repo . --plan runs/7/experiment_plan.yaml
  toolgate settings init --repo . --run 7
  toolgate settings diff --repo . --run 7
  toolgate run -- claude --settings .nous/7/.claude/settings.json -p "$task"
"""
)
def settings() -> None:
    """Render, write and compare the settings of an unattended campaign.

    They replace --dangerously-skip-permissions: its folders, the programs of its plan, and nothing that would ask.
    """


@settings.command("render", epilog="\b\nExample:\n  toolgate settings render --work-dir runs/7 --allow-bin trace-tool")
@click.option("--work-dir", type=FOLDER, required=True, help="The campaign's own folder.")
@OPTIONS[1]
@OPTIONS[3]
@OPTIONS[4]
@click.option("--stop-hook", type=click.Path(), default=None, metavar="PATH", help="Called before a session ends.")
@click.option("--pre-tool-use-hook", type=click.Path(), default=None, metavar="PATH", help="Called before every command.")
def rendered(
    work_dir: str,
    repo: str | None,
    plan: str | None,
    allow_bin: tuple[str, ...],
    stop_hook: str | None,
    pre_tool_use_hook: str | None,
) -> None:
    """Print the settings. Writes nothing."""
    folders = [os.path.realpath(each) if each else None for each in (work_dir, repo)]
    hooks = [os.path.abspath(each) if each else None for each in (stop_hook, pre_tool_use_hook)]
    try:
        whole = render(str(folders[0]), folders[1], _commands(plan), allow_bin, *hooks)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
    click.echo(json.dumps(whole, indent=2))
    if runs := any_code(whole):
        click.echo(f"note: allowing these is allowing any program: {', '.join(runs)}", err=True)


@settings.command(epilog="\b\nExample:\n  toolgate settings init --repo . --run 7")
@of_a_campaign
@DRY_RUN
@AS_JSON
def init(wanted: Campaign, dry_run: bool, as_json: bool) -> None:
    """Write a campaign's settings and its two hooks. An existing settings file stays unchanged."""
    here = surroundings()
    must_start(wanted.settings_path, own_command())
    planned = campaign.plan_init(wanted)
    told = "" if dry_run else choose(wanted.work_dir, PROFILE, wanted.scripts, here.home, here.environ)
    notes = (*planned.notes, *([told] if told else ()))
    carry_out(
        Plan(planned.host, planned.changes, notes), dry_run, as_json, "everything is there", f"written to {wanted.work_dir}"
    )


@settings.command(epilog="\b\nExample:\n  toolgate settings diff --repo . --run 7 || echo 'somebody changed them'")
@of_a_campaign
def diff(wanted: Campaign) -> int:
    """Show the difference between the rendered and the existing settings. Exit 1 when they differ."""
    text = campaign.difference(wanted)
    sys.stdout.write(text)
    return 1 if text else 0


@settings.command(epilog="\b\nExample:\n  toolgate settings merge --repo . --run 7 --dry-run")
@of_a_campaign
@DRY_RUN
@AS_JSON
def merge(wanted: Campaign, dry_run: bool, as_json: bool) -> None:
    """Add missing entries to an existing settings file. Its own entries stay."""
    carry_out(campaign.plan_merge(wanted), dry_run, as_json, "it lacks nothing", "merged")


def _campaign(work_dir: str | None, repo: str | None, run: str | None, plan: str | None, allow_bin: tuple[str, ...]) -> Campaign:
    """Returns the campaign. A run's folder is inside the repository, or inside the work dir where no repository is named."""
    if not (work_dir or run):
        raise click.UsageError("give --work-dir, or --run with --repo")
    if work_dir and repo and run:
        raise click.UsageError("--run names the work dir within --repo: leave --work-dir out")
    base = os.path.realpath(repo or work_dir or os.getcwd())
    folder = campaign.work_dir_of(base, run) if run else os.path.realpath(str(work_dir))
    wanted = Campaign(folder, base if repo or run else "", _commands(plan), allow_bin)
    try:
        wanted.settings()
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
    return wanted


def _commands(plan: str | None) -> tuple[str, ...]:
    """Returns the commands that a plan names. Raises ClickException for a file that is no plan."""
    if plan is None:
        return ()
    from toolgate.rules.plan.context import document

    with open(plan, encoding="utf-8") as file:
        said = document(file.read())
    if said.problem:
        raise click.ClickException(f"{plan}: {said.problem}")
    return (*(each.command for each in said.conditions), *said.programs)
