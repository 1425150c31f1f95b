"""Roots of the zones: the session's own places and the common ones, indexed by folder."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from toolgate import zones
from toolgate.model.glob import matches_path
from toolgate.model.place import WORKPLACES, Workplaces, Zone
from toolgate.model.world import ABSENT, World
from toolgate.overlay import Overlay
from toolgate.paths import resolve_path
from toolgate.world_memory import WorldMemory

RELOCATABLE_ZONES = frozenset(
    ("gate", "gate-state", "gate-programs", "agent-settings", "agent-hooks", "credentials", "team-policy")
)
"""Zones whose places may have another name: through a link, or as the same file."""


class SessionPlaces(NamedTuple):
    """The session's own places: absolute paths. `gate`, `settings`, `hooks`, `agents`: toolgate's files, the hosts' settings
    files, folders of scripts that a host runs by itself, and the hosts' own folders with agents' notes. `state`: the gate's
    state, which nobody else reads. `programs`: the environment that the gate's programs run in."""

    home: str
    project: str
    gate: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    places: Workplaces = WORKPLACES
    state: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Roots:
    """`at`: a root's zones, by path. `beneath`: the roots at or under a folder, by folder."""

    at: dict[str, frozenset[Zone]]
    exact: dict[str, frozenset[Zone]]
    beneath: dict[str, tuple[tuple[Zone, str], ...]]
    not_system: frozenset[str]
    homes: frozenset[str]
    roots: tuple[tuple[Zone, str], ...]
    blocked: tuple[str, ...] = ()
    safe: tuple[str, ...] = ()


_RELOCATED_ROOTS = WorldMemory()


def find_relocated_roots(grounds: SessionPlaces, world: World) -> tuple[tuple[Zone, str], ...]:
    """Returns roots that the table's paths do not name: the real paths of linked ones, and other working trees."""
    return _RELOCATED_ROOTS.compute_or_reuse(grounds, world, lambda noting: _compute_relocated_roots(grounds, noting))


def _compute_relocated_roots(grounds: SessionPlaces, world: World) -> tuple[tuple[Zone, str], ...]:
    linked = _resolve_linked_roots(grounds, world) if _has_linked_folders(grounds, world) else ()
    return linked + _find_worktree_roots(grounds, world)


def _has_linked_folders(grounds: SessionPlaces, world: World) -> bool:
    """Returns whether a folder with files of the gate, the hosts or the user is a link."""
    gone = "\0"
    for folder in _candidate_links(grounds):  # sorted, so that a folder precedes its content
        if folder.startswith(gone):
            continue
        kind = world.kind(folder)
        if kind == "link":
            return True
        if kind is ABSENT:
            gone = f"{folder}/"
    return False


@lru_cache(16)
def _candidate_links(grounds: SessionPlaces) -> tuple[str, ...]:
    home, project = grounds.home.rstrip("/"), grounds.project.rstrip("/")
    own = (f"{home}/.ssh", f"{home}/.aws", f"{home}/.gnupg", home, project)
    mine = (path for path in (*grounds.gate, *grounds.settings) if path.startswith((home + "/", project + "/")))
    return tuple(sorted({folder for path in (*own, *mine) for folder in _iter_parents(path)}))


def _iter_parents(path: str) -> Iterator[str]:
    while path not in ("", "/"):
        yield path
        path = path.rpartition("/")[0]


def _resolve_linked_roots(grounds: SessionPlaces, world: World) -> tuple[tuple[Zone, str], ...]:
    """Returns the real paths of roots that links may relocate."""
    overlay = Overlay(world)
    found: list[tuple[Zone, str]] = []
    for zone, root in _iter_roots(grounds):
        if zone in RELOCATABLE_ZONES or zone in ("home", "project", "project-root", "start-up"):
            found += [(zone, real) for real in resolve_path(root, overlay) if real != root]
    return tuple(found)


def _find_worktree_roots(grounds: SessionPlaces, world: World) -> tuple[tuple[Zone, str], ...]:
    """Returns roots for the other working trees of the project's repository, which belong to the project, unless one contains
    the home folder."""
    project, home = grounds.project.rstrip("/"), f"{grounds.home}/"
    tops = world.worktrees(project) if project else ()
    if not isinstance(tops, tuple) or project not in tops:
        return ()
    found: list[tuple[Zone, str]] = []
    for top in tops:
        if top != project and top.count("/") > 1 and not home.startswith(f"{top}/") and not _is_system(top):
            found += [("project", top), ("project-root", top), ("repository-data", f"{top}/.git")]
    return tuple(found)


def _iter_roots(grounds: SessionPlaces) -> Iterator[tuple[Zone, str]]:
    home, project = grounds.home.rstrip("/") or "/", grounds.project.rstrip("/") or "/"
    usable = project not in ("/", home.rpartition("/")[0]) and not _is_system(project)
    for table in (zones.TREES, zones.EXACT):
        for zone, paths in table.items():
            for path in paths.replace("\\ ", "\1").split():
                if path.startswith("./") and not usable:
                    continue
                yield zone, _expand_path(path.replace("\1", " "), home, project)
    yield from _iter_session_roots(grounds, home, project)


def _iter_session_roots(grounds: SessionPlaces, home: str, project: str) -> Iterator[tuple[Zone, str]]:
    own: tuple[tuple[Zone, tuple[str, ...]], ...] = (("blocked", grounds.places.blocked), ("safe", grounds.places.safe))
    for zone, mine in own:
        yield from ((zone, _expand_path(path, home, project)) for path in mine if not _is_glob(path))
    yield from (("gate", path.rstrip("/")) for path in grounds.gate)
    yield from (("gate-state", path.rstrip("/")) for path in grounds.state)
    yield from (("gate-programs", path.rstrip("/")) for path in grounds.programs)
    yield from (("agent-settings", path.rstrip("/")) for path in grounds.settings)
    yield from (("agent-hooks", path.rstrip("/")) for path in grounds.hooks)
    for path in grounds.agents:  # its name comes from a variable, so it counts only as a folder of its own
        if not f"{home}/".startswith(f"{path}/") and not _is_system(path):
            yield "safe", path


def _is_glob(path: str) -> bool:
    return any(char in path for char in "*?[")


def covers_path(glob: str, path: str) -> bool:
    """Returns whether the glob matches the path, or a parent of it."""
    return matches_path(glob, path) is True or matches_path(f"{glob}/**", path) is True


def _expand_path(path: str, home: str, project: str) -> str:
    if path.startswith("~"):
        return home.rstrip("/") + path[1:]
    if path.startswith("./"):
        return (project.rstrip("/") + path[1:]).rstrip("/") or "/"
    return path


def _is_system(path: str) -> bool:
    """Returns whether a path is the system's: a session started in /etc has no project there."""
    if any(path == tree or path.startswith(tree + "/") for tree in zones.NOT_SYSTEM.split() if tree != "./"):
        return False
    return any(path == tree or path.startswith(tree + "/") for tree in zones.TREES["system"].split())


@lru_cache(16)
def build_roots(grounds: SessionPlaces, extra_roots: tuple[tuple[Zone, str], ...], folds_case: bool) -> Roots:
    at: dict[str, set[Zone]] = {}
    exact: dict[str, set[Zone]] = {}
    beneath: dict[str, dict[tuple[Zone, str], None]] = {}
    roots = [(zone, root.casefold() if folds_case else root) for zone, root in (*_iter_roots(grounds), *extra_roots)]
    for zone, root in roots:
        (exact if zone in zones.EXACT else at).setdefault(root, set()).add(zone)
        for folder in (*_iter_parents(root), "/"):
            beneath.setdefault(folder, {})[(zone, root)] = None
    not_system = {_expand_path(path, grounds.home, grounds.project) for path in zones.NOT_SYSTEM.split()}
    return Roots(
        {root: frozenset(found) for root, found in at.items()},
        {root: frozenset(found) for root, found in exact.items()},
        {folder: tuple(found) for folder, found in beneath.items()},
        frozenset(path.casefold() if folds_case else path for path in not_system),
        frozenset(root for zone, root in roots if zone == "home"),
        tuple(dict.fromkeys(roots)),
        *(
            tuple(_expand_path(path, grounds.home, grounds.project) for path in mine if _is_glob(path))
            for mine in (grounds.places.blocked, grounds.places.safe)
        ),
    )
