"""`toolgate team`: shows what each agent of a team may read and write, and why; writes the team's first policy files."""

import json
import os

import click

from toolgate.designs import PROFILES, TEAM_PROFILE, load_module
from toolgate.machine import files
from toolgate.machine.world import MachineWorld
from toolgate.rules.team import context as teams
from toolgate.sessions.roster_check import describe_unread_roster

from .command_groups import CommandGroup
from .inventory import inventory
from .lockout import lockout
from .prompt import prompt
from .surroundings import AS_JSON, DIRECTORY, read_surroundings
from .team_members import Member, iter_members

STARTER_POLICY = """\
# What this project asks of the gate, beside everybody's own policy. Strangers may write it, so it only makes things stricter.
# That its agents are a team is for each user to say, in ~/.config/toolgate/policy.toml:
#
#     profile = "{profile}"
#     [project."{project}"]     # lets {team}/config/policies.json loosen what it speaks of

# [rules."databases.drop"]
# verdict = "deny"

# [[rule]]
# id = "releases.by-hand"
# on = {{ program = "helm", text = "(upgrade|rollback)" }}
# verdict = "deny"
# reason = "Releases go through the pipeline."
# instead = "make release"
# stops = ["helm upgrade api ./chart"]
# leaves = ["helm list"]
"""


@click.group(
    cls=CommandGroup,
    epilog="\b\nExamples:\n  toolgate team show\n  toolgate team lockout list\n  toolgate team prompt --agent fenster",
)
def team() -> None:
    """A team of agents: who may read and write what, and the files that define it."""


@team.command(epilog="\b\nExamples:\n  toolgate team show\n  toolgate team show --agent fenster --json")
@click.option("--agent", default="", help="Only this agent.")
@DIRECTORY
@AS_JSON
def show(agent: str, directory: str | None, as_json: bool) -> int:
    """Show what each agent may write and read, what grants it, and what it is locked out of."""
    surroundings = read_surroundings(directory)
    own_team = teams.find_team_of_folder(surroundings.project, MachineWorld())
    found = [each for each in iter_members(surroundings) if not agent or each.name.casefold() == agent.casefold()]
    if as_json:
        rows = [
            {**_grant_fields(each), "name": each.name, "role": each.role, "locked_out": list(each.locked_out)} for each in found
        ]
        click.echo(
            json.dumps({"root": own_team.root, "folder": own_team.own_folder if own_team.exists else None, "agents": rows})
        )
        return 0 if found else 1
    click.echo(f"{own_team.own_folder}{'' if own_team.exists else ' (not there: the design itself is what holds)'}")
    if problem := describe_unread_roster(surroundings.project, MachineWorld()):
        click.echo(problem, err=True)
    for each in found:
        click.secho(f"\n{each.name or '(an agent whose name is not known)'}, {each.role}", bold=True)
        for word, pairs in (("writes", each.writes), ("reads", each.reads)):
            for patterns, source in pairs:
                click.echo(f"  {word:7} {', '.join(patterns) or 'nothing'}   ({source})")
        if each.locked_out:
            click.echo(f"  locked out of {', '.join(each.locked_out)}")
    return 0 if found else 1


def _grant_fields(member: Member) -> dict[str, object]:
    def as_fields(pairs: tuple[tuple[tuple[str, ...], str], ...]) -> list[dict[str, object]]:
        return [{"patterns": list(patterns), "source": source} for patterns, source in pairs]

    return {"writes": as_fields(member.writes), "reads": as_fields(member.reads)}


@team.command(epilog="\b\nExample:\n  toolgate team init --dry-run")
@DIRECTORY
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
def init(directory: str | None, dry_run: bool) -> int:
    """Write the team's policies.json with its default values, and a commented policy for the project. Never overwrites files."""
    surroundings = read_surroundings(directory)
    own_team = teams.find_team_of_folder(surroundings.project, MachineWorld())
    shown = (
        surroundings.project.replace(surroundings.home, "~", 1)
        if surroundings.project.startswith(f"{surroundings.home}/")
        else surroundings.project
    )
    wanted = {
        f"{own_team.own_folder}/config/policies.json": load_module(PROFILES[TEAM_PROFILE], "policy_file").render_defaults(),
        f"{own_team.root.rstrip('/')}/.toolgate/policy.toml": STARTER_POLICY.format(
            project=shown, team=own_team.name, profile=TEAM_PROFILE
        ),
    }
    for path, text in wanted.items():
        before = files.read_file(path) if os.path.lexists(path) else None
        if before is not None:
            click.echo(
                f"{path}: left as it is{'' if before.decode('utf-8', 'replace') == text else ', with what somebody changed'}"
            )
            continue
        click.echo(f"{path}: {'would be written' if dry_run else 'written'}")
        if dry_run:
            click.echo("".join(f"+ {line}" for line in text.splitlines(keepends=True)), nl=False)
        else:
            files.write_file(path, text.encode())
    return 0


team.add_command(inventory)
team.add_command(lockout)
team.add_command(prompt)
