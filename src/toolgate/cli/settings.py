"""`toolgate settings`: renders what an unattended campaign may touch and run as settings of its host."""

import json
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from toolgate.designs import CAMPAIGNS_FOLDER
from toolgate.designs.plan_enforcer import campaign
from toolgate.designs.plan_enforcer.campaign import PROFILE, Campaign
from toolgate.install import Plan, own_command, require_startable
from toolgate.launching.folder_profiles import record_named_profile, record_profile
from toolgate.launching.rendering import find_unbounded_programs, render_settings

from .command_groups import CommandGroup
from .plan_view import carry_out
from .surroundings import AS_JSON, read_surroundings

FOLDER_TYPE = click.Path(file_okay=False)
CAMPAIGN_OPTIONS = (
    click.option("--work-dir", type=FOLDER_TYPE, default=None, help="The campaign's own folder."),
    click.option("--repo", type=FOLDER_TYPE, default=None, help="The repository that it works on."),
    click.option("--run", default=None, metavar="ID", help=f"The work dir is {CAMPAIGNS_FOLDER}/ID in the repository."),
    click.option(
        "--plan", type=click.Path(exists=True, dir_okay=False), default=None, help="The plan whose commands may be run."
    ),
    click.option("--allow-bin", multiple=True, metavar="NAME", help="A further program that may be run; may be repeated."),
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Show the difference, change nothing.")


def add_campaign_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a campaign to a verb, which is given the campaign that they describe."""

    @wraps(verb)
    def build_and_call(
        work_dir: str | None, repo: str | None, run: str | None, plan: str | None, allow_bin: tuple[str, ...], **more: bool
    ) -> Any:
        return verb(_build_campaign(work_dir, repo, run, plan, allow_bin), **more)

    for option in reversed(CAMPAIGN_OPTIONS):
        build_and_call = option(build_and_call)
    return build_and_call


@click.group(
    cls=CommandGroup,
    epilog=f"""\b
Examples:
  toolgate campaign render --work-dir runs/7 --plan runs/7/plan.yaml
  toolgate campaign init --repo . --run 7
  toolgate campaign diff --repo . --run 7
  toolgate run -- claude --settings {CAMPAIGNS_FOLDER}/7/.claude/settings.json -p "$task"
""",
)
def settings() -> None:
    """Render, write and compare the settings of an unattended campaign.

    They replace --dangerously-skip-permissions: they permit the campaign's folders and the programs of its plan, and refuse
    everything else without asking.
    """


@settings.command("render", epilog="\b\nExample:\n  toolgate campaign render --work-dir runs/7 --allow-bin trace-tool")
@click.option("--work-dir", type=FOLDER_TYPE, required=True, help="The campaign's own folder.")
@CAMPAIGN_OPTIONS[1]
@CAMPAIGN_OPTIONS[3]
@CAMPAIGN_OPTIONS[4]
@click.option("--stop-hook", type=click.Path(), default=None, metavar="PATH", help="Called before a session ends.")
@click.option("--pre-tool-use-hook", type=click.Path(), default=None, metavar="PATH", help="Called before every command.")
def print_settings(
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
        whole = render_settings(str(folders[0]), folders[1], _read_plan_commands(plan), allow_bin, *hooks)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
    click.echo(json.dumps(whole, indent=2))
    if runs := find_unbounded_programs(whole):
        click.echo(f"note: allowing these is allowing any program: {', '.join(runs)}", err=True)


@settings.command(epilog="\b\nExample:\n  toolgate campaign init --repo . --run 7")
@add_campaign_options
@DRY_RUN
@AS_JSON
def init(wanted_campaign: Campaign, dry_run: bool, as_json: bool) -> None:
    """Write a campaign's settings and its two hooks. An existing settings file stays unchanged."""
    surroundings = read_surroundings()
    require_startable(wanted_campaign.settings_path, own_command())
    planned = campaign.plan_init(wanted_campaign)
    problem = (
        ""
        if dry_run
        else record_profile(
            wanted_campaign.work_dir, PROFILE, wanted_campaign.rendered_scripts, surroundings.home, surroundings.environ
        )
    )
    if not dry_run and wanted_campaign.repo:
        problem = problem or record_named_profile(wanted_campaign.repo, PROFILE, surroundings.home, surroundings.environ)
    notes = (*planned.notes, *([problem] if problem else ()))
    carry_out(
        Plan(planned.host, planned.changes, notes),
        dry_run,
        as_json,
        "everything is there",
        f"written to {wanted_campaign.work_dir}",
    )


@settings.command(epilog="\b\nExample:\n  toolgate campaign diff --repo . --run 7 || echo 'somebody changed them'")
@add_campaign_options
def diff(wanted_campaign: Campaign) -> int:
    """Show the difference between the rendered and the existing settings. Exit 1 when they differ."""
    text = campaign.diff_settings(wanted_campaign)
    sys.stdout.write(text)
    return 1 if text else 0


@settings.command(epilog="\b\nExample:\n  toolgate campaign merge --repo . --run 7 --dry-run")
@add_campaign_options
@DRY_RUN
@AS_JSON
def merge(wanted_campaign: Campaign, dry_run: bool, as_json: bool) -> None:
    """Add missing entries to an existing settings file. Its own entries stay."""
    carry_out(campaign.plan_merge(wanted_campaign), dry_run, as_json, "it lacks nothing", "merged")


def _build_campaign(
    work_dir: str | None, repo: str | None, run: str | None, plan: str | None, allow_bin: tuple[str, ...]
) -> Campaign:
    """Returns the campaign. A run's folder is inside the repository, or inside the work dir where no repository is named."""
    if not (work_dir or run):
        raise click.UsageError("give --work-dir, or --run with --repo")
    if work_dir and repo and run:
        raise click.UsageError("--run names the work dir within --repo: leave --work-dir out")
    base = os.path.realpath(repo or work_dir or os.getcwd())
    folder = campaign.locate_work_dir(base, run) if run else os.path.realpath(str(work_dir))
    wanted = Campaign(folder, base if repo or run else "", _read_plan_commands(plan), allow_bin)
    try:
        wanted.render_settings()
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
    return wanted


def _read_plan_commands(plan: str | None) -> tuple[str, ...]:
    """Returns the commands that a plan names. Raises ClickException for a file that is no plan."""
    if plan is None:
        return ()
    from toolgate.rules.plan.context import parse_plan

    with open(plan, encoding="utf-8") as file:
        said = parse_plan(file.read())
    if said.problem:
        raise click.ClickException(f"{plan}: {said.problem}")
    return (*(each.command for each in said.conditions), *said.programs)
