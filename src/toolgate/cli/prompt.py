"""`toolgate prompt`: prints the guidance on the gate that a system prompt needs."""

import json
from collections.abc import Iterator, Mapping

import click

from toolgate.designs import PLAN_PROFILE
from toolgate.policy import load
from toolgate.policy import profiles as shipped
from toolgate.rules.team.context.policies import POLICIES

from .surroundings import AS_JSON, DIRECTORY, PROFILE, read_surroundings
from .team_members import Member, iter_members

CHARACTERS_PER_TOKEN = 3.3
"""For English prose with paths in it, as the team design counts."""
OPENING_LINES = (
    "toolgate judges every tool call before it runs.",
    "A denied call did not run: the reason says what to do instead. Do not try the same another way.",
)
ASKING_LINE = "A call that asks waits for the user's word; go on with other work meanwhile."
UNATTENDED_LINE = "Nobody can be asked: calls that would ask are denied."
PLAN_LINE = "What may be run is in the plan of this iteration; anything else needs a new plan."


@click.command(epilog="\b\nExamples:\n  toolgate team prompt\n  toolgate team prompt --agent fenster >> charter.md")
@PROFILE
@DIRECTORY
@AS_JSON
@click.option("--agent", default="", help="Add what this agent of a team may write; `coordinator` for the coordinator.")
def prompt(profile: str | None, directory: str | None, as_json: bool, agent: str) -> int:
    """Print the short guidance on the gate that a system prompt needs. Its size goes to standard error."""
    surroundings = read_surroundings(directory)
    in_force = load(surroundings.environ, surroundings.home, surroundings.project, profile=profile or "")
    named = profile or in_force.profile
    teams = shipped.load_profile({}, named).switches.get("journal") == "security-audit"
    lines = [*OPENING_LINES, ASKING_LINE if in_force.human else UNATTENDED_LINE]
    if teams:
        found = [each for each in iter_members(surroundings) if agent and agent.casefold() in (each.name.casefold(), each.role)]
        if agent and not found:
            raise click.ClickException(f"the team has no {agent!r}; see: toolgate team show")
        lines += _iter_team_lines(found[0] if found else None)
    if named == PLAN_PROFILE:
        lines.append(PLAN_LINE)
    text = "\n".join(f"- {line}" for line in lines) + "\n"
    cost = count_costs(text)
    if as_json:
        click.echo(json.dumps({"text": text, **cost}))
    else:
        click.echo(text, nl=False)
        click.echo(f"{cost['bytes']} bytes, about {cost['tokens']} tokens", err=True)
    return 0


def count_costs(text: str) -> Mapping[str, int]:
    return {"bytes": len(text.encode()), "tokens": round(len(text) / CHARACTERS_PER_TOKEN)}


def _iter_team_lines(member: Member | None) -> Iterator[str]:
    to = "" if member is None else "coordinator" if member.role == "coordinator" else "agent"
    for policy in POLICIES:
        if policy.reminder and (not to or policy.to in ("", to)):
            yield policy.reminder
    if member is not None and to == "agent":
        yield "You may write: " + "; ".join(", ".join(patterns) for patterns, _ in member.writes) + "."
        if member.locked_out:
            yield f"You are locked out of {', '.join(member.locked_out)}: others revise it."
