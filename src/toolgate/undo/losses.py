"""Finds the paths that a call would lose, from its effects: deleted, overwritten, and otherwise changed ones."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from toolgate.model.effect import Delete, Effects, Link, Move, Permission, Run, Write
from toolgate.model.glob import ANY_FOLDERS, matches_path, name_matches, split_path
from toolgate.model.place import LOCAL, Place
from toolgate.model.world import World

_MAX_SCANNED = 20_000
"""Files and folders that are scanned to find what the globs of one call match."""


class LostPath(NamedTuple):
    """A path that loses its content. `place`: the place that the effect names; a glob covers many paths."""

    path: str
    place: Place


class _TooManyPaths(Exception):
    pass


class Scans:
    """What the globs of one call match. Each is looked for once, and all of them have one bound."""

    def __init__(self) -> None:
        self._left = _MAX_SCANNED
        self._found: dict[tuple[str, str], list[str] | None] = {}

    def expand_place(self, place: Place) -> list[str] | None:
        """Returns the paths that a place matches at this moment; None if that is unknown."""
        if place.path is not None:
            return [place.path]
        return self._find_matches(place.anchor, place.rest) if place.anchor is not None and place.rest else None

    def _find_matches(self, anchor: str, rest: str) -> list[str] | None:
        if (anchor, rest) not in self._found:
            try:
                self._found[anchor, rest] = list(self._iter_matching(anchor, rest))
            except (OSError, _TooManyPaths):
                self._found[anchor, rest] = None
        return self._found[anchor, rest]

    def _iter_matching(self, anchor: str, rest: str) -> Iterator[str]:
        """Yields every path that matches; paths inside a match are part of it."""
        names, any_depth = split_path(rest), ANY_FOLDERS in rest
        waiting = [(anchor.rstrip("/"), "", 0)] if names else []
        while waiting:
            folder, below, level = waiting.pop()
            with os.scandir(folder or "/") as entries:
                for entry in entries:
                    self._left -= 1
                    if self._left < 0:
                        raise _TooManyPaths
                    if any_depth:
                        matches, leads_on = matches_path(rest, f"{below}/{entry.name}") is not False, True
                    else:
                        leads_on = name_matches(names[level], entry.name)
                        matches = leads_on and level == len(names) - 1
                    if matches:
                        yield f"{folder}/{entry.name}"
                    elif leads_on and entry.is_dir(follow_symlinks=False):
                        waiting.append((f"{folder}/{entry.name}", f"{below}/{entry.name}", level + 1))


@dataclass(slots=True)
class Losses:
    """`trees`: paths that are lost with everything inside them, or overwritten. `single`: paths of which only they themselves
    change. `beside`: paths that change, and are not lost. `unknown`: places whose paths are unknown. `staged`: paths that git
    removes from its index, too. `scans`: what the call's globs match."""

    scans: Scans
    trees: list[LostPath] = field(default_factory=list)
    single: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    unknown: list[Place] = field(default_factory=list)
    staged: list[str] = field(default_factory=list)


def find_losses(effects: Effects, world: World, scans: Scans, *, edits: bool) -> Losses:
    """`edits`: whether edits count, too. An edit contains the old text in the call itself."""
    losses = Losses(scans)
    for deletion in _iter_local(effects.of_kind(Delete)):
        _add_deletion(deletion, losses, world)
    for write in _iter_local(effects.of_kind(Write)) if edits else ():
        _add_write(write, losses, world)
    for move in _iter_local(effects.of_kind(Move)):
        _add_move(move, losses, world, deletes=bool(losses.trees or losses.unknown))
    for link in _iter_local(effects.of_kind(Link)):
        _add_link(link, losses, world)
    for permission in _iter_local(effects.of_kind(Permission)):
        losses.single += _literal_paths(permission.place)
    by_git = _find_git_commands(effects)
    gone = [(each.place.path, each.origin.command) for each in effects.of_kind(Delete)]
    gone += [(each.place.path, each.origin.command) for each in effects.of_kind(Move)]
    losses.staged += [path for path, command in gone if path and command in by_git]
    return losses


def _find_git_commands(effects: Effects) -> set[int]:
    return {run.origin.command for run in effects.of_kind(Run) if run.argv and run.argv[0].file_name == "git"}


_Placed = TypeVar("_Placed", Delete, Write, Move, Link, Permission)


def _iter_local(effects: Iterable[_Placed]) -> Iterator[_Placed]:
    return (effect for effect in effects if effect.place.machine == LOCAL and effect.origin.sure is not False)


def _literal_paths(place: Place) -> list[str]:
    return [place.path] if place.path is not None else []


def _add_deletion(deletion: Delete, losses: Losses, world: World) -> None:
    for path in _expand_place(deletion.place, losses):
        if deletion.recursive is False and world.kind(path) == "folder":
            losses.single.append(path)  # it refuses, or the folder is empty
        else:
            losses.trees.append(LostPath(path, deletion.place))


def _add_write(write: Write, losses: Losses, world: World) -> None:
    if write.folder or write.edits or write.tree is not False:
        losses.single += [] if write.place.path is None else [write.place.path]
        return
    for path in _expand_place(write.place, losses):
        if world.kind(path) != "file":
            losses.single.append(path)
        elif write.append is True:
            losses.beside.append(path)
        else:
            losses.trees.append(LostPath(path, write.place))


def _add_link(link: Link, losses: Losses, world: World) -> None:
    """A link with `-f` replaces a file."""
    for path in _literal_paths(link.place):
        if world.kind(path) == "file":
            losses.trees.append(LostPath(path, link.place))
        else:
            losses.single.append(path)


def _add_move(move: Move, losses: Losses, world: World, *, deletes: bool) -> None:
    """A move loses nothing, unless the same call deletes something: that may be what was moved."""
    sources = _expand_place(move.place, losses)
    if deletes:
        losses.trees += [LostPath(path, move.place) for path in sources]
    else:
        losses.beside += sources
    target = move.to.path
    if target is None or move.to.machine != LOCAL:
        return
    if world.kind(target) == "folder":
        targets = [f"{target.rstrip('/')}/{path.rpartition('/')[2]}" for path in sources]
    else:
        targets = [target]
    for path in targets:
        if world.kind(path) == "file":
            losses.trees.append(LostPath(path, move.to))
        else:
            losses.beside.append(path)


# ---- globs


def _expand_place(place: Place, losses: Losses) -> list[str]:
    """Returns the paths that a place matches at this moment."""
    found = losses.scans.expand_place(place)
    if found is None:
        losses.unknown.append(place)
    return found or []


def drop_nested(paths: Iterable[str]) -> list[str]:
    """Returns the paths, each once, without those inside another one."""
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda each: each.rstrip("/").split("/")):
        if not kept or not f"{path}/".startswith(f"{kept[-1].rstrip('/')}/"):
            kept.append(path)
    return kept
