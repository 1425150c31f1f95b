"""`toolgate team`: shows what each agent of a team may read and write, and why; writes the team's first policy files."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import click

from toolgate.designs import COORDINATOR, PROFILES, TEAM_PROFILE, load_module
from toolgate.judge import Evidence
from toolgate.machine import files
from toolgate.machine.world import MachineWorld
from toolgate.model.effect import Effects
from toolgate.model.event import Caller, Scene, Spawn
from toolgate.policy import load
from toolgate.rules.team import context as teams
from toolgate.rules.team.context.lockouts import read_lockouts
from toolgate.rules.team.context.scope import find_scope
from toolgate.sessions.roster_check import describe_unread_roster

from .surroundings import AS_JSON, DIRECTORY, Surroundings, open_user_store, read_surroundings

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


@click.group()
def team() -> None:
    """A team of agents: who may read and write what, and the files that define it."""


@dataclass(frozen=True, slots=True)
class Member:
    """`writes` and `reads` are pairs: globs, and the source that grants them."""

    name: str
    role: str
    writes: tuple[tuple[tuple[str, ...], str], ...]
    reads: tuple[tuple[tuple[str, ...], str], ...]
    locked_out: tuple[str, ...]


@team.command(epilog="\b\nExamples:\n  toolgate team show\n  toolgate team show --agent fenster --json")
@click.option("--agent", default="", help="Only this agent.")
@DIRECTORY
@AS_JSON
def show(agent: str, directory: str | None, as_json: bool) -> int:
    """Show what each agent may write and read, what grants it, and what it is locked out of."""
    here = read_surroundings(directory)
    own = teams.find_team_of_folder(here.project, MachineWorld())
    found = [each for each in iter_members(here) if not agent or each.name.casefold() == agent.casefold()]
    if as_json:
        rows = [
            {**_grant_fields(each), "name": each.name, "role": each.role, "locked_out": list(each.locked_out)} for each in found
        ]
        click.echo(json.dumps({"root": own.root, "folder": own.own_folder if own.there else None, "agents": rows}))
        return 0 if found else 1
    click.echo(f"{own.own_folder}{'' if own.there else ' (not there: the design itself is what holds)'}")
    if problem := describe_unread_roster(here.project, MachineWorld()):
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


def iter_members(here: Surroundings) -> Iterator[Member]:
    """Yields the coordinator, everybody on the roster, and an unknown agent."""
    environ = {name: value for name, value in here.environ.items() if not name.startswith("TOOLGATE_")}
    told = {name: value for name, value in here.environ.items() if name in ("TOOLGATE_HOME", "TOOLGATE_STORE_URL")}
    scene = Scene(Caller("toolgate"), here.project, here.project, here.home, {**environ, **told})
    world, store = MachineWorld(), open_user_store(here)

    def build_evidence(spawn: Spawn) -> Evidence:
        mine = scene._replace(spawn=spawn)
        return Evidence(Effects(), mine, world, None, lambda key: store.load((key,), 0.0)[0])

    names = list(teams.read_original_roster(build_evidence(Spawn())))
    additional = _read_additional_paths(here)
    yield _build_member(build_evidence(Spawn(COORDINATOR, "coordinator")), additional)
    for name in [each for each in names if each.casefold() != COORDINATOR.casefold()]:
        yield _build_member(build_evidence(Spawn(name)), additional)
    yield _build_member(build_evidence(Spawn()), additional)


def _read_additional_paths(here: Surroundings) -> Mapping[str, tuple[str, ...]]:
    ruling = load(here.environ, here.home, here.project).rulings.get("team.write-outside-scope")
    said = ruling.options.get("additional", {}) if ruling else {}
    return {name: tuple(paths) for name, paths in said.items()} if isinstance(said, Mapping) else {}


def _build_member(seen: Evidence, additional: Mapping[str, tuple[str, ...]]) -> Member:
    me, own = teams.calling_agent(seen), teams.find_team(seen)
    entries, _ = read_lockouts(own, seen)
    locked = tuple(sorted(entry for entry, names in entries.items() if any(map(me.has_name, names))))
    if me.role == "coordinator":
        everything = ((f"{own.name}/**",), "the coordinator writes the team's own files, and nothing else")
        return Member(me.name, me.role, (everything,), ((("**",), "the coordinator reads all"),), locked)
    scope = find_scope(me, additional, seen)
    writes = [(grant.patterns, grant.source) for grant in scope.grants if grant.patterns]
    if not scope.limited:
        writes.append((("what no row of that table speaks of",), "nothing limits it to paths"))
    private = f"{own.name}/agents/{me.name}/**" if me.name else ""
    mine = tuple(each for each in (private, f"{own.name}/decisions.md") if each)
    histories = ((f"{own.name}/agents/*/history.md",), "the Scribe reads every history")
    others = (("everything but other agents' charters and histories",), "these are their own")
    return Member(
        me.name, me.role, tuple(writes), ((mine, "its own"), *((histories,) if me.role == "scribe" else ()), others), locked
    )


@team.command(epilog="\b\nExample:\n  toolgate team init --dry-run")
@DIRECTORY
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
def init(directory: str | None, dry_run: bool) -> int:
    """Write the team's policies.json with its default values, and a commented policy for the project. Never overwrites."""
    here = read_surroundings(directory)
    own = teams.find_team_of_folder(here.project, MachineWorld())
    shown = here.project.replace(here.home, "~", 1) if here.project.startswith(f"{here.home}/") else here.project
    wanted = {
        f"{own.own_folder}/config/policies.json": load_module(PROFILES[TEAM_PROFILE], "policy_file").render_defaults(),
        f"{own.root.rstrip('/')}/.toolgate/policy.toml": STARTER_POLICY.format(
            project=shown, team=own.name, profile=TEAM_PROFILE
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
