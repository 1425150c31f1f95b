"""`toolgate lockout`: lists, adds and clears lockouts of agents whose work a reviewer rejected."""

import json
import os
import time

import click

from toolgate.machine.ancestry import describe_agent_above
from toolgate.model.event import AGENT, ROLE
from toolgate.sessions import lockouts
from toolgate.sessions.lockouts import LockoutBook

from .command_groups import CommandGroup
from .person import demand_person
from .surroundings import AS_JSON, DIRECTORY, Surroundings, open_user_store, read_surroundings


@click.group(
    cls=CommandGroup,
    epilog="""\b
Examples:
  toolgate team lockout add src/auth.ts --agent fenster
  toolgate team lockout list
  toolgate team lockout clear src/auth.ts
""",
)
def lockout() -> None:
    """Lock an agent out of an artifact that another agent has to revise; list and clear lockouts."""


@lockout.command(epilog="\b\nExample:\n  toolgate team lockout add 'src/auth/**' --agent fenster")
@click.argument("artifact")
@click.option("--agent", required=True, help="The agent whose work on it was rejected.")
@DIRECTORY
def add(artifact: str, agent: str, directory: str | None) -> int:
    """Lock AGENT out of ARTIFACT, a path or a glob inside the project. For reviewers, the coordinator and the Scribe."""
    here, now = read_surroundings(directory), time.time()
    found = _open_book(here)
    count = lockouts.add_lockout(found, _resolve_artifact(artifact, here), agent, _name_caller(here), now)
    click.echo(f"{agent} is locked out of {artifact}; {count} agent{'s' if count != 1 else ''} by now")
    return 0


@lockout.command(name="list", epilog="\b\nExample:\n  toolgate team lockout list --json")
@DIRECTORY
@AS_JSON
def list_lockouts(directory: str | None, as_json: bool) -> int:
    """List artifacts, and who is locked out of them."""
    entries, problem = lockouts.read_entries(_open_book(read_surroundings(directory)), time.time())
    if problem:
        click.echo(f"{lockouts.LOCKOUT_FILE}: {problem}", err=True)
    if as_json:
        click.echo(json.dumps({artifact: list(agents) for artifact, agents in sorted(entries.items())}))
    else:
        for artifact, agents in sorted(entries.items()):
            click.echo(f"{artifact}: {', '.join(agents)}")
    return 1 if problem else 0


@lockout.command(epilog="\b\nExample:\n  toolgate team lockout clear src/auth.ts --agent fenster")
@click.argument("artifact", default="")
@click.option("--agent", default="", help="Only this agent's lockouts.")
@click.option("--all", "every", is_flag=True, help="The lockouts of every artifact.")
@DIRECTORY
def clear(artifact: str, agent: str, every: bool, directory: str | None) -> int:
    """Clear the lockouts of ARTIFACT. For a person, and the team's coordinator."""
    if every == bool(artifact):
        raise click.UsageError("name an artifact, or say --all")
    surroundings = read_surroundings(directory)
    if surroundings.environ.get(ROLE, "").strip().casefold() != "coordinator":
        demand_person(surroundings, "clear lockouts")
    gone = lockouts.clear_lockouts(
        _open_book(surroundings), _resolve_artifact(artifact, surroundings), agent, _name_caller(surroundings), time.time()
    )
    click.echo(f"{gone} cleared")
    return 0


def _open_book(surroundings: Surroundings) -> LockoutBook:
    return lockouts.open_book(surroundings.project, open_user_store(surroundings))


def _resolve_artifact(artifact: str, surroundings: Surroundings) -> str:
    return os.path.join(surroundings.project, artifact) if artifact and not artifact.startswith("/") else artifact


def _name_caller(surroundings: Surroundings) -> str:
    who = surroundings.environ.get(AGENT) or surroundings.environ.get(ROLE) or surroundings.environ.get("USER", "")
    return f"{who} (an agent)" if describe_agent_above(surroundings.environ) else who
