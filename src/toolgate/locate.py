"""Adds zones to places: which zones a path lies in, and which ones an effect on all beneath it would reach.

A place's path is resolved already. The roots of the zones that links may move (dot folders are often links into a folder of
their own) are resolved here, by the same World.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from . import zones
from .model.effect import Delete, Effect, Effects, Link, Mount, Move, Permission, Read, Write
from .model.glob import leads_to, matches
from .model.place import LOCAL, NO_ZONES, OPEN_FILES, WORKPLACES, ZONES, Place, Workplaces, Zone
from .model.word import is_searched
from .model.world import ABSENT, GitState, World
from .overlay import Overlay
from .paths import resolve


class Grounds(NamedTuple):
    """Where the session's own places are: absolute paths. `gate`, `settings`, `hooks`, `agents`: toolgate's files, the hosts'
    settings files, folders of scripts that a host runs by itself, and the hosts' own folders, where agents keep their notes."""

    home: str
    project: str
    gate: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    places: Workplaces = WORKPLACES


@dataclass(frozen=True, slots=True, eq=False)
class _Map:
    """`at`: a root's zones, by path. `beneath`: the roots at or under a folder, by folder."""

    at: dict[str, frozenset[Zone]]
    exact: dict[str, frozenset[Zone]]
    beneath: dict[str, tuple[tuple[Zone, str], ...]]
    not_system: frozenset[str]
    homes: frozenset[str]
    roots: tuple[tuple[Zone, str], ...]
    blocked: tuple[str, ...] = ()
    safe: tuple[str, ...] = ()


_ALWAYS_THERE = frozenset(
    ("root", "home", "home-parent", "whole-tree", "system", "project-root", "device", "temporary", "project")
)
_ELSEWHERE = frozenset(("root", "home", "home-parent", "whole-tree", "system", "device", "scheduler"))
_HARMLESS: frozenset[Zone] = frozenset(("temporary",))
_EXACTLY: frozenset[Zone] = frozenset(("root", "home-parent", "whole-tree", "project-root"))
_WANDERING = frozenset(("gate", "agent-settings", "agent-hooks", "credentials", "team-policy"))


def locate(effects: Effects, grounds: Grounds, world: World) -> Effects:
    """The same effects, every place with its zones."""
    if not any(isinstance(effect, _PLACED) for effect in effects.all):
        return effects
    locator = _Locator(grounds, world)
    return replace(effects, all=tuple(locator.effect(effect) for effect in effects.all))


_PLACED = (Read, Write, Delete, Move, Link, Permission, Mount)


class _Locator:
    def __init__(self, grounds: Grounds, world: World) -> None:
        self._world, self._work = world, grounds.places
        wandering = _wandering(grounds, world) if _has_links(grounds, world) else ()
        self._map = _map(grounds, wandering, world.folds_case)

    def effect(self, effect: Effect) -> Effect:
        # spelled out: dataclasses.replace is slow, and this runs for every effect of every call
        match effect:
            case Read(place, origin):
                return Read(self.place(place), origin)
            case Write(place, content, append, origin, edits, folder):
                return Write(self.written(place), content, append, origin, edits, folder)
            case Delete(place, recursive, origin):
                return Delete(self.place(place), recursive, origin)
            case Move(place, to, origin):
                return Move(self.place(place), self.place(to), origin)
            case Link(place, to, symbolic, origin):
                return Link(self.place(place), self.place(to), symbolic, origin)
            case Permission(place, mode, recursive, origin):
                return Permission(self.place(place), mode, recursive, origin)
            case Mount(place, origin, to):
                return Mount(self.place(place), origin, None if to is None else self.place(to))
            case _:
                return effect

    def written(self, place: Place) -> Place:
        """Writing what is open already opens nothing: that was told where it was opened."""
        is_open = place.path is not None and place.path.removeprefix(OPEN_FILES).isdigit()
        return place._replace(inside=_HARMLESS) if is_open else self.place(place)

    def place(self, place: Place) -> Place:
        if place.path is not None:
            return self._known(place, self._folded(place.path))
        if place.anchor is None and not place.rest:
            every = frozenset(ZONES)
            return place._replace(maybe_inside=every, maybe_above=every)
        return self._pattern(place)

    def _folded(self, path: str) -> str:
        return path.casefold() if self._world.folds_case else path

    # ---- known paths

    def _known(self, place: Place, path: str) -> Place:
        if place.machine != LOCAL:
            return self._zoned(place, self._inside(path) & _ELSEWHERE, self._above(path) & _ELSEWHERE)
        inside = self._inside(path)
        if not inside & _WANDERING:
            identity = self._world.identity(path)
            if isinstance(identity, tuple):
                inside |= self._same_file(identity)
        found = self._zoned(place, inside, self._above(path))
        other = frozenset() if path.islower() else (zones.by_name(path.casefold()) & _WANDERING) - inside
        return found._replace(maybe_inside=other) if other else found  # the volume may fold case

    def _zoned(self, place: Place, inside: frozenset[Zone], above: frozenset[Zone]) -> Place:
        return Place(
            place.word, place.base, place.path, place.anchor, place.rest, place.machine, inside, NO_ZONES, above, NO_ZONES
        )

    def _inside(self, path: str) -> frozenset[Zone]:
        found: set[Zone] = set(self._map.exact.get(path, NO_ZONES))
        at, not_system, within = self._map.at, self._map.not_system, False
        step = path
        at_home = temporary = False
        while True:
            if (here := at.get(step)) is not None:
                found |= here - {"system"} if within else here
            within = within or step in not_system
            if step in self._map.homes:
                at_home, temporary = True, "temporary" in found
            if step == "/":
                break
            step = step.rpartition("/")[0] or "/"
        if at_home and not temporary:  # a home that lies in a temporary folder is a home
            found.discard("temporary")
        if "home-parent" in self._map.exact.get(path.rpartition("/")[0], NO_ZONES) and "project" not in found:
            found.add("whole-tree")
        found |= zones.by_name(path)
        if found & {"credentials"} and zones.is_public(path):
            found = (found - {"credentials"}) | {"public-credentials"}
        if "device" in found and zones.is_harmless(path):
            found = (found - {"device", "system"}) | {"temporary"}
        self._by_policy(path, found)
        if found.isdisjoint(self._work.zones) and self._map.exact.get(path, NO_ZONES) <= {"whole-tree"}:
            found.add("outside")
        return frozenset(found)

    def _by_policy(self, path: str, found: set[Zone]) -> None:
        """Blocked first, then safe, then within a repository: what the policy itself says of places."""
        work = self._work
        if "blocked" in found or any(_covers(glob, path) for glob in self._map.blocked):
            found.add("blocked")
            found -= {"safe", *work.zones}
            return
        if any(_covers(glob, path) for glob in self._map.safe):
            found.add("safe")
        if "repository" in work.zones and found.isdisjoint(work.zones):
            git = self._world.git(path)
            if isinstance(git, GitState) and git.ours:
                found.add("repository")

    def _above(self, path: str) -> frozenset[Zone]:
        roots = self._map.beneath.get(path, ())
        return frozenset(zone for zone, root in roots if self._there(zone, root, path))

    def _same_file(self, identity: tuple[int, int]) -> frozenset[Zone]:
        """The gate's and the hosts' files by another name."""
        return frozenset(zone for zone, root in self._map.roots if zone in _WANDERING and self._world.identity(root) == identity)

    # ---- half known paths

    def _pattern(self, place: Place) -> Place:
        anchor, names = self._folded(place.anchor or "/"), place.rest.split("/")
        anywhere = place.anchor is None
        inside: frozenset[Zone] = NO_ZONES if anywhere else self._inside(anchor) - _EXACTLY
        above: set[Zone] = set()
        sure_inside: set[Zone] = set()
        maybe_inside: set[Zone] = {"outside", "project", "temporary"} if anywhere else set()
        maybe_above: set[Zone] = set()
        globbed = not anywhere and _only_globs(place)
        searched = not anywhere and _only_searched(place)
        if not anywhere:
            for zone in self._map.at.get(anchor, NO_ZONES) | self._map.exact.get(anchor, NO_ZONES):
                if names in (["*"], ["**"]):
                    above.add(zone)  # all that is in it: as bad as the folder itself
                elif "**" in names[0] or names[0].startswith(".*"):
                    maybe_above.add(zone)
        for zone, root, within, reaches in _led_to(self._map, anchor, place.rest):
            if root == anchor and not anywhere:
                continue
            there = self._there(zone, root)
            if within and zone not in _RELIEF and (there or not searched):
                # what is not there may still be made; only a glob cannot match it
                (sure_inside if globbed and there else maybe_inside).add(zone)
            if reaches and there:
                (above if globbed else maybe_above).add(zone)
        if place.machine != LOCAL:
            inside, above, maybe_inside, maybe_above = (
                inside & _ELSEWHERE,
                above & _ELSEWHERE,
                maybe_inside & _ELSEWHERE,
                maybe_above & _ELSEWHERE,
            )
        if not anywhere and names[0] in ("**", "?**") and (above | maybe_above) & {"root", "home-parent", "home", "system"}:
            sure_inside.add("outside")  # everything there is under such a folder: some of it surely is no work of the session's
        whole = f"{'' if anywhere else anchor.rstrip('/')}/{place.rest}"
        by_name = frozenset() if any(char in names[-1] for char in "*?[") else zones.by_name(whole)
        if len(names) > 1 and (names[0] == "**" or globbed):
            inside |= by_name  # found by that very name
        return Place(
            place.word,
            place.base,
            place.path,
            place.anchor,
            place.rest,
            place.machine,
            inside | sure_inside,
            (frozenset(maybe_inside) | by_name) - inside,
            frozenset(above),
            frozenset(maybe_above),
        )

    def _there(self, zone: Zone, root: str, folder: str = "") -> bool:
        """Is the root there to be reached? One that lies in a dot folder makes that folder what it is, there or not."""
        if zone in _ALWAYS_THERE or (root.rpartition("/")[0] == folder and folder.rpartition("/")[2].startswith(".")):
            return True
        return self._world.kind(root) is not ABSENT


def _only_globs(place: Place) -> bool:
    """Globs that the shell itself expands: what they match and is there, they surely name."""
    return (
        all(isinstance(part, str) or part.why[:1] in ("*", "?", "[") for part in place.word.parts) and place.base.text is not None
    )


def _only_searched(place: Place) -> bool:
    """Paths that a search printed: it finds what is there."""
    return all(isinstance(part, str) or is_searched(part) for part in place.word.parts)


_RELIEF = frozenset(("project", "temporary", "public-credentials", "system-data", "safe", "repository"))
"""Zones that make things better: a glob that finds one of them finds others beside it."""


@lru_cache(256)
def _led_to(roots: _Map, folder: str, rest: str) -> tuple[tuple[Zone, str, bool, bool], ...]:
    """The roots beneath a folder that a glob below it may lead into or hold, and which of both."""
    names, base = rest.split("/"), folder.rstrip("/") + "/"
    found = []
    for zone, root in roots.beneath.get(folder, ()):
        within, reaches = leads_to(names, root[len(base) :].split("/"))
        if reaches or (within and zone not in _RELIEF):
            found.append((zone, root, within, reaches))
    return tuple(found)


# ---- the map


def _has_links(grounds: Grounds, world: World) -> bool:
    """Is one of the folders that hold the gate's, the hosts' and the user's own files a link?"""
    gone = "\0"
    for folder in _likely_links(grounds):  # what lies in a folder comes behind it
        if folder.startswith(gone):
            continue
        kind = world.kind(folder)
        if kind == "link":
            return True
        if kind is ABSENT:
            gone = f"{folder}/"
    return False


@lru_cache(16)
def _likely_links(grounds: Grounds) -> tuple[str, ...]:
    home, project = grounds.home.rstrip("/"), grounds.project.rstrip("/")
    own = (f"{home}/.ssh", f"{home}/.aws", f"{home}/.gnupg", home, project)
    mine = (path for path in (*grounds.gate, *grounds.settings) if path.startswith((home + "/", project + "/")))
    return tuple(sorted({folder for path in (*own, *mine) for folder in _steps(path)}))


def _steps(path: str) -> Iterator[str]:
    while path not in ("", "/"):
        yield path
        path = path.rpartition("/")[0]


def _wandering(grounds: Grounds, world: World) -> tuple[tuple[Zone, str], ...]:
    """Where the roots that links may move really are."""
    overlay = Overlay(world)
    found: list[tuple[Zone, str]] = []
    for zone, root in _roots(grounds):
        if zone in _WANDERING or zone in ("home", "project", "project-root", "start-up"):
            found += [(zone, real) for real in resolve(root, overlay) if real != root]
    return tuple(found)


def _roots(grounds: Grounds) -> Iterator[tuple[Zone, str]]:
    home, project = grounds.home.rstrip("/") or "/", grounds.project.rstrip("/") or "/"
    usable = project not in ("/", home.rpartition("/")[0]) and not _is_system(project)
    for table in (zones.TREES, zones.EXACT):
        for zone, paths in table.items():
            for path in paths.replace("\\ ", "\1").split():
                if path.startswith("./") and not usable:
                    continue
                yield zone, _absolute(path.replace("\1", " "), home, project)
    yield from _of_the_session(grounds, home, project)


def _of_the_session(grounds: Grounds, home: str, project: str) -> Iterator[tuple[Zone, str]]:
    own: tuple[tuple[Zone, tuple[str, ...]], ...] = (("blocked", grounds.places.blocked), ("safe", grounds.places.safe))
    for zone, mine in own:
        yield from ((zone, _absolute(path, home, project)) for path in mine if not _is_glob(path))
    yield from (("gate", path.rstrip("/")) for path in grounds.gate)
    yield from (("agent-settings", path.rstrip("/")) for path in grounds.settings)
    yield from (("agent-hooks", path.rstrip("/")) for path in grounds.hooks)
    for path in grounds.agents:  # a variable names it: it is taken for no more than a folder of its own
        if not f"{home}/".startswith(f"{path}/") and not _is_system(path):
            yield "safe", path


def _is_glob(path: str) -> bool:
    return any(char in path for char in "*?[")


def _covers(glob: str, path: str) -> bool:
    """Does it match the path, or a folder above it?"""
    return matches(glob, path) is True or matches(f"{glob}/**", path) is True


def _absolute(path: str, home: str, project: str) -> str:
    if path.startswith("~"):
        return home.rstrip("/") + path[1:]
    if path.startswith("./"):
        return (project.rstrip("/") + path[1:]).rstrip("/") or "/"
    return path


def _is_system(path: str) -> bool:
    """A session started in /etc has no project there."""
    if any(path == tree or path.startswith(tree + "/") for tree in zones.NOT_SYSTEM.split() if tree != "./"):
        return False
    return any(path == tree or path.startswith(tree + "/") for tree in zones.TREES["system"].split())


@lru_cache(16)
def _map(grounds: Grounds, wandering: tuple[tuple[Zone, str], ...], folds_case: bool) -> _Map:
    at: dict[str, set[Zone]] = {}
    exact: dict[str, set[Zone]] = {}
    beneath: dict[str, dict[tuple[Zone, str], None]] = {}
    roots = [(zone, root.casefold() if folds_case else root) for zone, root in (*_roots(grounds), *wandering)]
    for zone, root in roots:
        (exact if zone in zones.EXACT else at).setdefault(root, set()).add(zone)
        for folder in (*_steps(root), "/"):
            beneath.setdefault(folder, {})[(zone, root)] = None
    not_system = {_absolute(path, grounds.home, grounds.project) for path in zones.NOT_SYSTEM.split()}
    return _Map(
        {root: frozenset(found) for root, found in at.items()},
        {root: frozenset(found) for root, found in exact.items()},
        {folder: tuple(found) for folder, found in beneath.items()},
        frozenset(path.casefold() if folds_case else path for path in not_system),
        frozenset(root for zone, root in roots if zone == "home"),
        tuple(dict.fromkeys(roots)),
        *(
            tuple(_absolute(path, grounds.home, grounds.project) for path in mine if _is_glob(path))
            for mine in (grounds.places.blocked, grounds.places.safe)
        ),
    )
