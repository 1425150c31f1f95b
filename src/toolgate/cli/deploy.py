"""`toolgate deploy`: registers the gate in a project's own settings, before a headless agent starts there."""

import json
import os

import click

from toolgate.designs.safety_hook.deployment import Deployment, ensure_deployed, plan_deployment, resolve_target
from toolgate.install import Plan, apply_plan
from toolgate.launching.folder_profiles import plan_removal
from toolgate.machine.environment import find_folders
from toolgate.model.errors import ToolgateError

from .person import refuse_beneath_agent
from .plan_view import print_diff
from .surroundings import read_surroundings


@click.command(
    epilog="""\b
Examples:
  toolgate deploy ~/work/api && ./start-agent ~/work/api
  toolgate deploy --resume ~/work/api || exit 1
  toolgate deploy --dry-run ~/work/*
  toolgate deploy --forget ~/work/deleted
"""
)
@click.argument("projects", metavar="DIR...", nargs=-1, required=True)
@click.option("--resume", is_flag=True, help="For a resumed session: accept verified files if nothing can be written.")
@click.option("--forget", is_flag=True, help="Remove folders that no longer exist from the record of deployments.")
@click.option("--dry-run", is_flag=True, help="Show the difference, change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def deploy(projects: tuple[str, ...], resume: bool, forget: bool, dry_run: bool, as_json: bool) -> int:
    """Put the safety hook into each DIR, merged into its settings, and verify it.

    Exit 0: the hook is in place; start the agent. Exit 1: it is not; do not start the agent. Run it before every launch: it
    restores changed files. In these folders the profile for fleets applies: nobody is ever asked, and every decision is
    logged.
    """
    if forget:
        return _forget_folders(projects, dry_run, as_json)
    rows, failed = [], False
    for project in projects:
        try:
            rows.append(
                _plan_project(project, as_json) if dry_run else _deployment_fields(ensure_deployed(project, strict=not resume))
            )
        except ToolgateError as problem:
            failed = True
            rows.append({"project": project, "deployed": False, "problem": str(problem)})
        if not as_json:
            _print_result(rows[-1])
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    return 1 if failed else 0


def _forget_folders(projects: tuple[str, ...], dry_run: bool, as_json: bool) -> int:
    """Takes folders that are gone off the record. One that is still there stays: `uninstall` removes its hook."""
    surroundings = read_surroundings()
    refuse_beneath_agent(surroundings, "change which folders are guarded")
    rows = []
    for project in map(os.path.abspath, projects):
        if os.path.isdir(project):
            problem = "it is still there; run `toolgate uninstall claude-code --scope project` in it"
        else:
            changes = plan_removal(project, surroundings.home, surroundings.environ)
            problem = "" if changes else "no deployment there is on record; `toolgate doctor` lists them"
            if not dry_run:
                apply_plan(Plan("claude-code", changes), f"{find_folders(surroundings.environ, surroundings.home).state}/backups")
        rows.append({"project": project, "forgotten": not problem and not dry_run, "problem": problem})
        if not as_json:
            click.echo(f"{project}: {problem or ('would be forgotten' if dry_run else 'forgotten')}", err=True)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    return 1 if any(row["problem"] for row in rows) else 0


def _deployment_fields(deployment: Deployment) -> dict[str, object]:
    return {
        "project": deployment.project,
        "deployed": True,
        "changed": deployment.changed,
        "notes": deployment.notes,
        "sha256": deployment.digest,
        "problem": deployment.problem,
    }


def _plan_project(project: str, as_json: bool) -> dict[str, object]:
    where = resolve_target(project)
    plan = plan_deployment(where)
    if not as_json:
        print_diff(plan.diff)
    return {
        "project": where.project,
        "dry_run": True,
        "changed": [change.path for change in plan.changes],
        "notes": plan.notes,
        "diff": plan.diff,
    }


def _print_result(row: dict[str, object]) -> None:
    """Prints to standard error: standard output is for programs."""
    for note in _as_text_list(row.get("notes")):
        click.echo(f"note: {note}", err=True)
    if row.get("dry_run"):
        click.echo("nothing was changed: this is what would be", err=True)
    elif not row["deployed"]:
        click.echo(f"toolgate: {row['project']} is not guarded; do not start an agent there: {row['problem']}", err=True)
    elif row["problem"]:
        click.echo(f"toolgate: {row['project']}: {row['problem']}; what is there is what should be, so go on", err=True)
    else:
        changed = _as_text_list(row["changed"])
        click.echo(f"{row['project']} is guarded: {', '.join(changed) or 'nothing had to be changed'}", err=True)


def _as_text_list(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list | tuple) else []
