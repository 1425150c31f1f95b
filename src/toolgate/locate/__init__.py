"""Adds zones to places: the zones a path is in, and those that a recursive effect on it would reach.

A place's path is already resolved. The roots of zones that links may relocate (dot folders are often links) are resolved
here, by the same World.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from toolgate import zones
from toolgate.model.effect import Delete, Effect, Effects, Link, Mount, Move, Permission, Read, Run, Write
from toolgate.model.glob import match_root
from toolgate.model.place import LOCAL, NO_ZONES, OPEN_FILES, ZONES, Place, Zone
from toolgate.model.word import HoleKind, is_glob, is_search_result
from toolgate.model.world import ABSENT, GitState, World

from .found_files import finds_file
from .moved_trees import TreeArrivals, has_tree_movement
from .roots import (
    RELOCATABLE_ZONES,
    Roots,
    SessionPlaces,
    build_roots,
    covers_path,
    find_relocated_roots,
)

__all__ = ["SessionPlaces", "locate", "make_zone_finder"]

_ALWAYS_PRESENT = frozenset(
    ("root", "home", "home-parent", "whole-tree", "system", "project-root", "device", "temporary", "project")
)
_REMOTE_ZONES = frozenset(
    ("root", "home", "home-parent", "whole-tree", "system", "device", "scheduler", "credentials", "environment")
)
_HARMLESS_ZONES: frozenset[Zone] = frozenset(("temporary",))
_EXACT_ZONES: frozenset[Zone] = frozenset(("root", "home-parent", "whole-tree", "project-root"))
_SECRET_ZONES: frozenset[Zone] = frozenset(("credentials", "environment"))
_MAX_LISTED = 500  # names of a folder in which a glob is looked up
_GUARDED_ZONES = RELOCATABLE_ZONES - {"credentials", "gate-programs"}


def locate(effects: Effects, grounds: SessionPlaces, world: World) -> Effects:
    """Returns the same effects with zones on every place."""
    if not any(isinstance(effect, _EFFECTS_WITH_PLACES) for effect in effects.all):
        return effects
    locator = _Locator(grounds, world)
    if not has_tree_movement(effects):
        return replace(effects, all=tuple(locator.locate_effect(effect) for effect in effects.all))
    located = tuple(locator.locate_effect(effect) for effect in effects.all)
    arrivals = TreeArrivals(located, locator.list_roots_beneath, world)
    brought = (each for effect in located for each in (effect, *map(locator.locate_effect, arrivals.find_arrivals(effect))))
    return replace(effects, all=tuple(brought))


def make_zone_finder(grounds: SessionPlaces, world: World) -> Callable[[str], frozenset[Zone]]:
    """Returns a function that finds the zones of a resolved path, for many paths of one session."""
    locator = _Locator(grounds, world)
    return locator.find_zones


_EFFECTS_WITH_PLACES = (Read, Write, Delete, Move, Link, Permission, Mount, Run)


class _Locator:
    def __init__(self, grounds: SessionPlaces, world: World) -> None:
        self._world, self._work = world, grounds.places
        self._found: dict[Place, Place] = {}
        self._zones_by_pattern: dict[_Pattern, _PatternZones] = {}
        self._map = build_roots(grounds, find_relocated_roots(grounds, world), world.folds_case)

    def locate_effect(self, effect: Effect) -> Effect:
        # spelled out: dataclasses.replace is slow, and this runs for every effect of every call
        match effect:
            case Read(place, origin, tree):
                return Read(self._locate_read_tree(place) if tree else self.locate_place(place), origin, tree)
            case Write(place=place):
                return effect._replace(place=self.locate_written_place(place))
            case Run(place=Place() as place):
                return effect._replace(place=self.locate_place(place))
            case Delete(place, recursive, origin):
                return Delete(self.locate_place(place), recursive, origin)
            case Move(place, to, origin):
                return Move(self.locate_place(place), self.locate_place(to), origin)
            case Link(place, to, symbolic, origin):
                return Link(self.locate_place(place), self.locate_place(to), symbolic, origin)
            case Permission(place, mode, recursive, origin):
                return Permission(self.locate_place(place), mode, recursive, origin)
            case Mount(place, origin, to):
                return Mount(self.locate_place(place), origin, None if to is None else self.locate_place(to))
            case _:
                return effect

    def find_zones(self, path: str) -> frozenset[Zone]:
        return self._zones_inside(self._fold_case(path))

    def list_roots_beneath(self, folder: str) -> list[tuple[str, bool]]:
        """Returns the protected paths at or below a folder, by table or by name, each with whether it exists there."""
        folder = self._fold_case(folder)
        found = {
            root: self._is_present(zone, root, folder)
            for zone, root in self._map.beneath.get(folder, ())
            if zone in _GUARDED_ZONES
        }
        return [*found.items(), *((path, True) for path in zones.find_guarded_below(folder) if path not in found)]

    def _locate_read_tree(self, place: Place) -> Place:
        """Locates a folder that is copied or searched: below the home folder, the gate's state counts as reached."""
        place = self.locate_place(place)
        beneath = self._map.beneath.get(place.path or "", ())
        holds_state = place.path not in self._map.homes and any(zone == "gate-state" for zone, _ in beneath)
        return place._replace(maybe_above=place.maybe_above | {"gate-state"}) if holds_state else place

    def locate_written_place(self, place: Place) -> Place:
        """Locates a written place. Writing to an open file opens nothing: that was reported when it was opened."""
        is_open = place.path is not None and place.path.removeprefix(OPEN_FILES).isdigit()
        return place._replace(inside=_HARMLESS_ZONES) if is_open else self.locate_place(place)

    def locate_place(self, place: Place) -> Place:
        """Locates a place, with a cache: the same place may occur in a thousand effects."""
        found = self._found.get(place)
        if found is None:
            found = self._found[place] = self._locate_new_place(place)
        return found

    def _locate_new_place(self, place: Place) -> Place:
        if place.path is not None:
            return self._locate_known(place, self._fold_case(place.path))
        if place.anchor is None and not place.rest:
            every = frozenset(ZONES)
            return place._replace(maybe_inside=every, maybe_above=every)
        return self._locate_pattern(place)

    def _fold_case(self, path: str) -> str:
        return path.casefold() if self._world.folds_case else path

    # ---- known paths

    def _locate_known(self, place: Place, path: str) -> Place:
        if place.machine != LOCAL:
            return self._with_zones(place, self._zones_inside(path) & _REMOTE_ZONES, self._zones_above(path) & _REMOTE_ZONES)
        inside = self._zones_inside(path)
        if not inside & RELOCATABLE_ZONES:
            identity = self._world.identity(path)
            if isinstance(identity, tuple):
                inside |= self._zones_of_same_file(identity)
        found = self._with_zones(place, inside, self._zones_above(path))
        other = frozenset() if path.islower() else (zones.by_name(path.casefold()) & RELOCATABLE_ZONES) - inside
        return found._replace(maybe_inside=other) if other else found  # the volume may fold case

    def _with_zones(self, place: Place, zones_inside: frozenset[Zone], zones_above: frozenset[Zone]) -> Place:
        return place.with_zones(zones_inside, NO_ZONES, zones_above, NO_ZONES)

    def _zones_inside(self, path: str) -> frozenset[Zone]:
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
        if at_home and not temporary:  # a home folder in a temporary folder is a home
            found.discard("temporary")
        if "home-parent" in self._map.exact.get(path.rpartition("/")[0], NO_ZONES) and "project" not in found:
            found.add("whole-tree")
        found |= zones.by_name(path)
        if found & {"credentials"} and zones.is_public(path):
            found = (found - {"credentials"}) | {"public-credentials"}
        if "device" in found and zones.is_harmless(path):
            found = (found - {"device", "system"}) | {"temporary"}
        self._apply_policy_zones(path, found)
        if found.isdisjoint(self._work.zones) and self._map.exact.get(path, NO_ZONES) <= {"whole-tree"}:
            found.add("outside")
        return frozenset(found)

    def _apply_policy_zones(self, path: str, found: set[Zone]) -> None:
        """Applies the policy's own places: blocked first, then safe, then repositories."""
        work = self._work
        if "blocked" in found or any(covers_path(glob, path) for glob in self._map.blocked):
            found.add("blocked")
            found -= {"safe", *work.zones}
            return
        if any(covers_path(glob, path) for glob in self._map.safe):
            found.add("safe")
        if "repository" in work.zones and found.isdisjoint(work.zones):
            git = self._world.git(path)
            if isinstance(git, GitState) and git.ours:
                found.add("repository")

    def _zones_above(self, path: str) -> frozenset[Zone]:
        roots = self._map.beneath.get(path, ())
        return frozenset(zone for zone, root in roots if self._is_present(zone, root, path))

    def _zones_of_same_file(self, identity: tuple[int, int]) -> frozenset[Zone]:
        """Returns the zones of the gate's and the hosts' files that have another name."""
        return frozenset(
            zone for zone, root in self._map.roots if zone in RELOCATABLE_ZONES and self._world.identity(root) == identity
        )

    # ---- half known paths

    def _locate_pattern(self, place: Place) -> Place:
        anywhere = place.anchor is None
        pattern = _Pattern(
            anywhere,
            self._fold_case(place.anchor or "/"),
            _merge_unknown_names(place.rest),
            place.machine == LOCAL,
            not anywhere and _is_shell_glob(place),
            not anywhere and _is_search_output(place),
            not anywhere and _prints_all_found(place),
        )
        zones_of_pattern = self._zones_by_pattern.get(pattern)
        if zones_of_pattern is None:
            zones_of_pattern = self._zones_by_pattern[pattern] = self._find_pattern_zones(pattern)
        return place.with_zones(*zones_of_pattern)

    def _find_pattern_zones(self, pattern: "_Pattern") -> "_PatternZones":
        anywhere, anchor, rest, is_local, globbed, searched, _ = pattern
        names = rest.split("/")
        inside: frozenset[Zone] = NO_ZONES if anywhere else self._zones_around(anchor, rest)
        above: set[Zone] = set()
        sure_inside: set[Zone] = set()
        maybe_inside: set[Zone] = {"outside", "project", "temporary"} if anywhere else set()
        maybe_above: set[Zone] = set()
        if not anywhere:
            for zone in self._map.at.get(anchor, NO_ZONES) | self._map.exact.get(anchor, NO_ZONES):
                if names in (["*"], ["**"]):
                    above.add(zone)  # everything in it: as severe as the folder itself
                elif "**" in names[0] or names[0].startswith(".*"):
                    maybe_above.add(zone)
        for zone, root, within, reaches in _match_roots(self._map, anchor, rest):
            if root == anchor and not anywhere:
                continue
            is_present = self._is_present(zone, root)
            if within and zone not in _RELIEF_ZONES and (is_present or not searched):
                # a missing root may still be created; only a glob cannot match it
                (sure_inside if globbed and is_present else maybe_inside).add(zone)
            if reaches and is_present:
                (above if globbed else maybe_above).add(zone)
        if not is_local:
            inside, above, maybe_inside, maybe_above = (
                inside & _REMOTE_ZONES,
                above & _REMOTE_ZONES,
                maybe_inside & _REMOTE_ZONES,
                maybe_above & _REMOTE_ZONES,
            )
        if not anywhere and names[0] in ("**", "?**") and (above | maybe_above) & {"root", "home-parent", "home", "system"}:
            sure_inside.add("outside")  # everything below such a folder is included: some of it is certainly outside
        inside |= self._zones_found(pattern) if is_local else NO_ZONES
        path = f"{'' if anywhere else anchor.rstrip('/')}/{rest}"
        by_name, is_glob = _zones_by_name(path, names[-1], frozenset(above | maybe_above))
        if (len(names) > 1 and (names[0] == "**" or globbed)) or (is_glob and globbed):
            inside |= by_name  # found by that very name
        return (
            inside | sure_inside,
            frozenset(maybe_inside) | by_name,
            frozenset(above),
            frozenset(maybe_above),
        )

    def _zones_found(self, pattern: "_Pattern") -> frozenset[Zone]:
        """Returns the zones of existing files that a pattern is known to find, because a shell or a search lists them all."""
        if pattern.is_shell_glob:
            return self._zones_of_names_found(pattern.anchor, pattern.rest)
        return self._find_credentials(pattern.anchor, pattern.rest) if pattern.prints_all else NO_ZONES

    def _find_credentials(self, folder: str, pattern: str) -> frozenset[Zone]:
        """Returns the zone of credentials if a path of such a place below a folder matches a pattern."""
        roots = (root for zone, root in self._map.beneath.get(folder, ()) if zone == "credentials")
        whole = f"{folder.rstrip('/')}/{pattern}"
        found = any(finds_file(root, whole, self._world) for root in roots if self._is_present("credentials", root))
        return frozenset(("credentials",)) if found else NO_ZONES

    def _zones_of_names_found(self, folder: str, pattern: str) -> frozenset[Zone]:
        """Returns the zones that the names of files for secrets have, which a glob finds in a folder: `config/*` beside a
        `master.key`."""
        if "/" in pattern or not zones.may_find_secrets(pattern):
            return NO_ZONES
        names = self._world.listing(folder, _MAX_LISTED)
        found = [name for name in names if fnmatchcase(name, pattern)] if isinstance(names, tuple) else []
        visible = (name for name in found if not name.startswith(".") or pattern.startswith("."))
        return frozenset(zone for name in visible for zone in zones.by_name(f"{folder.rstrip('/')}/{name}") & _SECRET_ZONES)

    def _zones_around(self, folder: str, rest: str) -> frozenset[Zone]:
        """Returns the zones of the folder that a pattern is in. `~/.ssh/*.pub` finds public keys alone."""
        found = self._zones_inside(folder) - _EXACT_ZONES
        is_public = "credentials" in found and zones.is_public(f"{folder}/{rest}")
        return (found - {"credentials"}) | {"public-credentials"} if is_public else found

    def _is_present(self, zone: Zone, root: str, folder: str = "") -> bool:
        """Returns whether the root exists. A root directly in a dot folder counts for that folder even if it does not exist."""
        if zone in _ALWAYS_PRESENT or (root.rpartition("/")[0] == folder and folder.rpartition("/")[2].startswith(".")):
            return True
        return self._world.kind(root) is not ABSENT


class _Pattern(NamedTuple):
    """The parts of a place with an unknown path that its zones depend on."""

    anywhere: bool
    anchor: str
    rest: str
    is_local: bool
    is_shell_glob: bool
    is_search_output: bool
    prints_all: bool


_PatternZones = tuple[frozenset[Zone], frozenset[Zone], frozenset[Zone], frozenset[Zone]]
"""Zones inside, maybe inside, above and maybe above."""


def _zones_by_name(whole: str, name: str, zones_above: frozenset[Zone]) -> tuple[frozenset[Zone], bool]:
    """Returns the zones of the last name, and whether that is a glob. Below a home folder `id_*` finds keys."""
    if not any(char in name for char in "*?["):
        return zones.by_name(whole), False
    if name == "id_*" and "home" in zones_above:
        return frozenset(("credentials",)), True
    return zones.by_name_glob(name), True


def _is_shell_glob(place: Place) -> bool:
    """Returns whether all unknown parts are globs that the shell expands: existing paths that they match are certainly named."""
    return all(isinstance(part, str) or is_glob(part) for part in place.word.parts) and place.base.text is not None


def _is_search_output(place: Place) -> bool:
    """Returns whether all unknown parts are a search's output, which contains only existing paths."""
    return all(isinstance(part, str) or is_search_result(part) for part in place.word.parts)


def _prints_all_found(place: Place) -> bool:
    """Returns whether all unknown parts are the whole output of a search, which contains every path of the pattern."""
    return all(isinstance(part, str) or part.kind is HoleKind.ALL_FOUND for part in place.word.parts)


_RELIEF_ZONES = frozenset(("project", "temporary", "public-credentials", "system-data", "safe", "repository"))
"""Zones that loosen: a glob that finds one of them finds others beside it."""


def _merge_unknown_names(rest: str) -> str:
    """Returns a pattern with the unknown names before its first known one as one: `$A/$B/dist` may be what `$A/dist` may be."""
    return _UNKNOWN_NAMES.sub("**/", rest)


_UNKNOWN_NAMES = re.compile(r"^\*\*(?:/\*\*?)+/(?=[^*?/.])")


@lru_cache(256)
def _match_roots(roots: Roots, folder: str, rest: str) -> tuple[tuple[Zone, str, bool, bool], ...]:
    """Returns the roots below a folder that a glob may match a path in, or contain, and which of both."""
    names, base = rest.split("/"), folder.rstrip("/") + "/"
    found = []
    for zone, root in roots.beneath.get(folder, ()):
        within, reaches = match_root(names, root[len(base) :].split("/"))
        if reaches or (within and zone not in _RELIEF_ZONES):
            found.append((zone, root, within, reaches))
    return tuple(found)
