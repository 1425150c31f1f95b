"""The members of a project's team of agents: what each may read and write, and what grants it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolgate.designs import COORDINATOR
from toolgate.judge import Evidence
from toolgate.machine.world import MachineWorld
from toolgate.model.effect import Effects
from toolgate.model.event import Caller, Scene, Spawn
from toolgate.policy import load
from toolgate.rules.team import context as teams
from toolgate.rules.team.context.lockouts import read_lockouts
from toolgate.rules.team.context.scope import find_scope

from .surroundings import Surroundings, open_user_store


@dataclass(frozen=True, slots=True)
class Member:
    """`writes` and `reads` are pairs: globs, and the source that grants them."""

    name: str
    role: str
    writes: tuple[tuple[tuple[str, ...], str], ...]
    reads: tuple[tuple[tuple[str, ...], str], ...]
    locked_out: tuple[str, ...]


def iter_members(surroundings: Surroundings) -> Iterator[Member]:
    """Yields the coordinator, everybody on the roster, and an unknown agent."""
    environ = {name: value for name, value in surroundings.environ.items() if not name.startswith("TOOLGATE_")}
    gate_variables = {
        name: value for name, value in surroundings.environ.items() if name in ("TOOLGATE_HOME", "TOOLGATE_STORE_URL")
    }
    scene = Scene(
        Caller("toolgate"), surroundings.project, surroundings.project, surroundings.home, {**environ, **gate_variables}
    )
    world, store = MachineWorld(), open_user_store(surroundings)

    def build_evidence(spawn: Spawn) -> Evidence:
        mine = scene._replace(spawn=spawn)
        return Evidence(Effects(), mine, world, None, lambda key: store.load((key,), 0.0)[0])

    names = list(teams.read_original_roster(build_evidence(Spawn())))
    additional = _read_additional_paths(surroundings)
    yield _build_member(build_evidence(Spawn(COORDINATOR, "coordinator")), additional)
    for name in [each for each in names if each.casefold() != COORDINATOR.casefold()]:
        yield _build_member(build_evidence(Spawn(name)), additional)
    yield _build_member(build_evidence(Spawn()), additional)


def _read_additional_paths(surroundings: Surroundings) -> Mapping[str, tuple[str, ...]]:
    ruling = load(surroundings.environ, surroundings.home, surroundings.project).rulings.get("team.write-outside-scope")
    additional = ruling.options.get("additional", {}) if ruling else {}
    return {name: tuple(paths) for name, paths in additional.items()} if isinstance(additional, Mapping) else {}


def _build_member(evidence: Evidence, additional: Mapping[str, tuple[str, ...]]) -> Member:
    me, own = teams.calling_agent(evidence), teams.find_team(evidence)
    entries, _ = read_lockouts(own, evidence)
    locked = tuple(sorted(entry for entry, names in entries.items() if any(map(me.has_name, names))))
    if me.role == "coordinator":
        everything = ((f"{own.name}/**",), "the coordinator writes the team's own files, and nothing else")
        return Member(me.name, me.role, (everything,), ((("**",), "the coordinator reads all"),), locked)
    scope = find_scope(me, additional, evidence)
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
