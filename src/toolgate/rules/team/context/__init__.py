"""Identifies the calling agents and their team, and reads that team's files, as far as the rules of this family need it.

Pure and lazy: a file is read through the World when a rule needs it. A team keeps its files in a folder of its own, under its
present or its former name; a worktree's team is that of the main checkout. The caller is named by the program that started the
agent, by the host, or by the environment; never by the call itself. An unknown caller has the fewest rights.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from toolgate.designs import TEAM_FOLDERS, TEAM_PROMPT
from toolgate.model.event import AGENT, PHASE
from toolgate.model.glob import literal_folder, matches_path, overlaps_pattern, split_path
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe, maybe_any
from toolgate.model.world import ABSENT, World
from toolgate.overlay import Overlay
from toolgate.paths import resolve_path

from . import sources
from .roster import parse_roster
from .sources import Role

Cached = TypeVar("Cached")

FOLDER_NAMES = frozenset(TEAM_FOLDERS)
READ_LIMIT = 262_144  # bytes of a team's file
_MAX_PARENTS = 12  # folders above the session's own in which a team is searched


class Agent(NamedTuple):
    """A calling agent. `name` is empty where it is unknown; names are compared without regard to case."""

    name: str
    role: Role
    phase: str
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()

    def has_name(self, name: str) -> bool:
        return bool(self.name) and self.name.casefold() == name.casefold()

    @property
    def display_name(self) -> str:
        return self.name or "This agent, whose name is not known,"


@dataclass(frozen=True, slots=True)
class Team:
    """`root`: the folder that holds the team's folder. `tops`: checkouts of the same project, that of the session first.
    `folders`: the team's folder under every path that names it, with links followed; none needs to exist. `name`: the name of the
    team's folder. `exists`: whether it is there."""

    root: str
    tops: tuple[str, ...]
    folders: tuple[str, ...]
    name: str
    exists: bool

    @property
    def own_folder(self) -> str:
        """The team's folder at the root, whether it exists or not; the older name only where nothing else exists."""
        return f"{self.root.rstrip('/')}/{self.name}"

    def inner_path(self, path: str) -> str | None:
        """Returns the path inside the team's folder; None for one that is outside."""
        return _relative_path(path, self.folders)

    def project_path(self, path: str) -> str | None:
        """Returns the path inside the project, as people and policies write it."""
        return _relative_path(path, self.tops)

    def reaches_files(self, place: Place, *patterns: str, whole: Maybe = False) -> Maybe:
        """Returns whether an effect on this place touches files of the team that match. `whole`: whether it touches everything
        inside the place too."""
        return touches_globs(place, tuple(f"{folder}/{pattern}" for folder in self.folders for pattern in patterns), whole=whole)


def find_team(context: RuleContext) -> Team:
    scene = context.scene
    return find_team_of_folder(scene.spawn.root or scene.project, context.world)


def find_team_of_folder(start: str, world: World) -> Team:
    """Returns the team of the agents that work in this folder."""
    return compute_once(world, ("team", start), lambda: _find_team_of_folder(start, world))


def compute_once(world: World, key: tuple[Hashable, ...], work_out: Callable[[], Cached]) -> Cached:
    """Returns a value that is the same throughout a call, computed once for the world of that call."""
    found: tuple[World, Cached] | None = _COMPUTED.get(key)
    if found is None or found[0] is not world:
        if len(_COMPUTED) > 16:
            _COMPUTED.clear()
        found = _COMPUTED[key] = (world, work_out())
    return found[1]


_COMPUTED: dict[tuple[Hashable, ...], tuple[World, Any]] = {}


def _find_team_of_folder(start: str, world: World) -> Team:
    top = _find_top_folder(start.rstrip("/") or "/", world)
    main = _find_main_checkout(top, world)
    tops = (top,) if main in ("", top) else (top, main)
    root = next((each for each in reversed(tops) if _has_team(each, world)), top)
    folders = [f"{each.rstrip('/')}/{name}" for each in tops for name in TEAM_FOLDERS]
    overlay = Overlay(world)
    real = [each for folder in folders if world.kind(folder) == "link" for each in resolve_path(folder, overlay)]
    name = next((each for each in TEAM_FOLDERS if world.kind(f"{root.rstrip('/')}/{each}") is not ABSENT), "")
    return Team(root, tops, tuple(dict.fromkeys((*folders, *real))), name or TEAM_FOLDERS[0], bool(name))


def _find_top_folder(start: str, world: World) -> str:
    """Returns the nearest parent folder that has a team or is a checkout; the start where there is none."""
    at = start
    for _ in range(_MAX_PARENTS):
        if _has_team(at, world) or world.kind(f"{at.rstrip('/')}/.git") is not ABSENT:
            return at
        if at in ("", "/"):
            break
        at = at.rpartition("/")[0] or "/"
    return start


def _find_main_checkout(top: str, world: World) -> str:
    """Returns the repository that a worktree's `.git` file names; empty for anything else."""
    pointer = f"{top.rstrip('/')}/.git"
    pointer_text = world.read(pointer, 4096) if world.kind(pointer) == "file" else ""
    if not isinstance(pointer_text, str) or not pointer_text.startswith("gitdir:"):
        return ""
    git = pointer_text.removeprefix("gitdir:").strip()
    absolute = git if git.startswith("/") else f"{top}/{git}"
    main, found, _ = next(iter(resolve_path(absolute, Overlay(world)))).partition("/.git/worktrees/")
    return main if found else ""


def _has_team(folder: str, world: World) -> bool:
    return any(world.kind(f"{folder.rstrip('/')}/{name}") is not ABSENT for name in TEAM_FOLDERS)


def _relative_path(path: str, folders: tuple[str, ...]) -> str | None:
    unified = path.replace("\\", "/")
    for folder in folders:
        if unified == folder or unified.startswith(folder.rstrip("/") + "/"):
            return unified[len(folder.rstrip("/")) + 1 :]
    return None


# ---- callers


def calling_agent(context: RuleContext) -> Agent:
    """Returns the agent that makes the call."""
    return list_callers(context)[0]


def list_callers(context: RuleContext) -> tuple[Agent, ...]:
    """Returns the agent that makes the call, and the agent that it is made for: the limits of both apply.

    A subagent does not inherit the session's role: its role is the one in the team's roster, and never the coordinator's. One
    that no roster lists has the rights of the agent that it works for. A coordinator routes: its limits do not apply to its
    agents, and neither do those of a session without an identity."""
    session, named = _session_agent(context), _host_agent_name(context)
    if not context.scene.caller.agent:
        return (session,)
    known = named.casefold() in read_roster(context)
    itself = Agent(named, _find_subagent_role(named, context), session.phase)
    if session.role == "coordinator" or not (session.name or session.writes or context.scene.session_role):
        return (itself,)
    return (itself, session) if known else (session,)


def _session_agent(context: RuleContext) -> Agent:
    """Returns the session's agent: as named by the program that started it, else the host, else the environment."""
    scene = context.scene
    spawn, environ = scene.spawn, scene.environ
    phase = (spawn.phase or environ.get(PHASE, "")).strip().casefold()
    named = "" if scene.caller.agent else _host_agent_name(context)
    name = spawn.agent or named or environ.get(AGENT, "")
    role = _ROLES_BY_NAME.get(scene.session_role) or _find_role(name, context)
    return Agent(name, role, phase, scene.session_writes, scene.session_reads)


_ROLES_BY_NAME: dict[str, Role] = {"coordinator": "coordinator", "reviewer": "reviewer", "scribe": "scribe", "agent": "agent"}


def _host_agent_name(context: RuleContext) -> str:
    """Returns the agent's name among the id and the kind that a host reports: the one in the roster. An id that a host generated
    is no name."""
    names = [each for each in (context.scene.caller.kind, context.scene.caller.agent) if each]
    if len(names) < 2:
        return names[0] if names else ""
    members = read_roster(context)
    return next((each for each in names if each.casefold() in members), names[0])


def _find_role(name: str, context: RuleContext) -> Role:
    return sources.guess_role(name, read_roster(context).get(name.casefold(), "")) if name else "agent"


def _find_subagent_role(name: str, context: RuleContext) -> Role:
    role = _find_role(name, context)
    return "agent" if role == "coordinator" else role


# ---- the team's files


def read_roster(context: RuleContext) -> Mapping[str, str]:
    """Returns name -> role as in team.md, with names in lower case."""
    return {name.casefold(): role for name, role in read_original_roster(context).items()}


def read_original_roster(context: RuleContext) -> Mapping[str, str]:
    return parse_roster(read_team_file(context, "team.md"))


def read_ownership_table(context: RuleContext) -> tuple[sources.Entry, ...]:
    """Returns the Source-of-Truth table: the team's own where it has one, followed by the design's."""
    top = find_team(context)
    for place in (*(f"{each}/{TEAM_PROMPT}" for each in top.tops), *(f"{each}/team.md" for each in top.folders)):
        if entries := sources.parse_ownership_table(_read_text(context.world, place)):
            return (*entries, *sources.BUILT_IN)
    return sources.BUILT_IN


def read_charter(context: RuleContext, name: str) -> str:
    return read_team_file(context, f"agents/{name}/charter.md") or read_team_file(context, f"agents/{name.lower()}/charter.md")


def read_team_file(context: RuleContext, name: str) -> str:
    """Returns the text of a file of the team; empty where it does not exist or cannot be read."""
    found = (_read_text(context.world, f"{folder}/{name}") for folder in find_team(context).folders)
    return next((each for each in found if each), "")


def _read_text(world: World, path: str) -> str:
    text = world.read(path, READ_LIMIT)
    return text if isinstance(text, str) else ""


# ---- places of effects


def touches_globs(place: Place, patterns: tuple[str, ...], *, whole: Maybe = False) -> Maybe:
    """Returns whether one of these absolute globs matches the place. `whole`: or a path inside it."""
    if place.machine != LOCAL or (place.is_anywhere and FOLDER_NAMES.isdisjoint(split_path(place.rest))):
        return False
    return maybe_any(_touches_glob(place, pattern, whole=whole) for pattern in patterns)


def _touches_glob(place: Place, pattern: str, *, whole: Maybe) -> Maybe:
    if place.path is not None:
        path = place.path.replace("\\", "/")
        if matches_path(pattern, path) is not False:
            return matches_path(pattern, path)
        if whole is False or (whole is None and not _is_near_pattern(path, pattern)):
            return False
        return whole if overlaps_pattern(pattern, path, "**") is not False else False
    if not _is_near_pattern(place.anchor, pattern) and _is_open_ended(place.rest) and not _has_pattern_end(place.rest, pattern):
        return False
    rest = f"{place.rest}/**" if whole is not False else place.rest
    return overlaps_pattern(pattern, place.anchor or "/", rest if place.anchor is not None else f"**/{rest}")


def _is_near_pattern(anchor: str | None, pattern: str) -> bool:
    """Returns whether the known part of a path is within the team's folder already, or in the folder that the pattern names."""
    if anchor is None:
        return False
    if not FOLDER_NAMES.isdisjoint(split_path(pattern)):
        return not FOLDER_NAMES.isdisjoint(split_path(anchor))
    return _relative_path(anchor, (literal_folder(pattern).rpartition("/")[0],)) is not None


def _is_open_ended(rest: str) -> bool:
    """Returns whether the path may continue with any name. A shell's `*` matches no name that begins with a dot, and a variable
    may be anything: `find . -name '*.pyc' -delete` and `rm -r $BUILD` may reach every file, which tells nothing about a team's.
    """
    first = rest.partition("/")[0]
    return not first.startswith(".") and any(char in first for char in "*?[")


def _has_pattern_end(rest: str, pattern: str) -> bool:
    """Returns whether the known end of such a path matches the pattern's."""
    given, asked = split_path(rest), split_path(pattern)
    return not FOLDER_NAMES.isdisjoint(given) or (bool(given) and given[-1] == asked[-1])


@lru_cache(256)
def split_segments(path: str) -> tuple[str, ...]:
    return tuple(name for name in path.replace("\\", "/").split("/") if name)


def find_file_owner(inner: str) -> str:
    """Returns the owner of a file inside `agents/`; empty for any other."""
    names = split_segments(inner)
    return names[1] if len(names) > 2 and names[0] == "agents" else ""


def iter_shortened(names: tuple[str, ...]) -> Iterator[str]:
    yield from names[:8]
    if len(names) > 8:
        yield f"and {len(names) - 8} more"
