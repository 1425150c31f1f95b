"""What a session created on this machine, as its own calls proved it: the files and folders that were absent before a call that
certainly writes them, and were there when the host reported its result.

The facts are a document of the session (model.store, MADE). `pending`: by call, the paths and branches that it would create or
change, and when that was asked; `made`: by path, the identity of what is there; `branches`: see toolgate.branch_creations. A
path with another identity belongs to somebody else.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from . import branch_creations
from .model.effect import Effects, Link, Mount, Move, Opaque, Write
from .model.place import LOCAL, Place
from .model.rule import RuleContext
from .model.store import MADE, Document, ledger_key
from .model.world import ABSENT, Entry, NoAnswer, World

MAX_ENTRIES = 2_000  # files and folders of one tree, and of a session
MAX_PENDING = 64  # calls
_CLOCK_STEP = 10_000_000  # nanoseconds by which a file system's clock may be late


# ---- recording


def list_created_paths(effects: Effects) -> tuple[str, ...]:
    """Returns the paths on this machine that a call certainly writes, and where nothing existing is copied, moved or linked to.
    A call that was not read completely proves nothing."""
    if any(isinstance(effect, Opaque) and effect.is_unread for effect in effects.all):
        return ()
    paths = dict.fromkeys(effect.place.path for effect in effects.all if isinstance(effect, Write) and _is_certain(effect))
    receivers = effects.derive(_list_receivers)
    return tuple(path for path in paths if path is not None and receivers.isdisjoint((path, None)))


def _is_certain(write: Write) -> bool:
    return write.origin.sure is True and write.place.machine == LOCAL and write.source is None and write.place.path is not None


def add_pending(facts: Document, call: str, candidates: Iterable[str], effects: Effects, world: World, now_ns: int) -> Document:
    """Returns the facts after a call was permitted that has these effects and would write these paths. Only absent ones and the
    session's own may become its own; a folder that has to be created for a path is created with it."""
    made, branches = facts.get("made", {}), facts.get("branches", {})
    paths: dict[str, bool] = {}
    for candidate in candidates:
        top = _find_topmost_absent(candidate, world)
        if top is not None:
            paths[top] = True
        elif _is_identical(candidate, made, world):
            paths[candidate] = False
    created = [key for key in branch_creations.list_created_branches(effects) if branch_creations.is_absent(key, world)]
    extended = branch_creations.list_extended_branches(effects, branches) if branches else ()
    changed = [*created, *(key for key in extended if branch_creations.is_as_left(key, branches[key], world))]
    if not paths and not changed:
        return facts
    pending = dict(list(facts.get("pending", {}).items())[-MAX_PENDING + 1 :])
    return {**facts, "pending": {**pending, call: {"at": now_ns, "paths": paths, "branches": changed}}}


def settle_pending(facts: Document, call: str, world: World, *, proves: bool) -> Document:
    """Returns the facts after the result of a call. `proves`: the result tells that the call has ended well."""
    pending = dict(facts.get("pending", {}))
    entry = pending.pop(call, None)
    if entry is None:
        return facts
    made = dict(facts.get("made", {}))
    for path, was_absent in entry["paths"].items() if proves else ():
        found = world.tree(path, MAX_ENTRIES) if was_absent else _read_single(path, world)
        if isinstance(found, NoAnswer) or (was_absent and any(_is_older(each, entry["at"]) for each in found)):
            continue
        for each in found:
            made.pop(_join(path, each.name), None)
            made[_join(path, each.name)] = list(each.identity)
    branches = dict(facts.get("branches", {}))
    for key in entry.get("branches", ()) if proves else ():
        if commits := branch_creations.settle_branch(key, branches.pop(key, ()), world, entry["at"] - _CLOCK_STEP):
            branches[key] = commits
    kept = dict(list(branches.items())[-branch_creations.MAX_BRANCHES :])
    return {"pending": pending, "made": dict(list(made.items())[-MAX_ENTRIES:]), **({"branches": kept} if kept else {})}


def _iter_folders_above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _read_single(path: str, world: World) -> tuple[Entry, ...] | NoAnswer:
    found = world.entry(path)
    return found if isinstance(found, NoAnswer) else (found,)


def _find_topmost_absent(path: str, world: World) -> str | None:
    """Returns the path, or the topmost folder above it, that does not exist; None if the path exists or that is unknown."""
    if world.kind(path) is not ABSENT:
        return None
    top = path
    for parent in _iter_folders_above(path):
        if world.kind(parent) is not ABSENT:
            return top if world.kind(parent) == "folder" else None
        top = parent
    return None


def _is_older(entry: Entry, at: int) -> bool:
    """Returns whether an entry was there before the call: what is moved, unpacked or linked keeps its time."""
    return entry.modified < at - _CLOCK_STEP


def _join(path: str, name: str) -> str:
    return f"{path.rstrip('/')}/{name}" if name else path


# ---- asking


def is_own(place: Place, context: RuleContext) -> bool:
    """Returns whether the session created everything at and below a place, and nothing else has changed it since."""
    return is_made(place, _load_made(context), context.effects, context.world)


def is_own_tree(path: str, context: RuleContext) -> bool:
    """Returns whether the session created everything at and below a path of this machine, and nothing else has changed it."""
    return _is_made_path(path, _load_made(context), context.effects, context.world)


def is_made(place: Place, creations: Mapping[str, Any], effects: Effects, world: World) -> bool:
    """Returns whether everything at and below a place is as the session created it."""
    path = _owned_path(place)
    return path is not None and place.machine == LOCAL and _is_made_path(path, creations, effects, world)


def _is_made_path(path: str, creations: Mapping[str, Any], effects: Effects, world: World) -> bool:
    if path not in creations or not effects.derive(_list_receivers).isdisjoint((path, None)):
        return False
    found = world.tree(path, MAX_ENTRIES)
    return not isinstance(found, NoAnswer) and all(creations.get(_join(path, each.name)) == list(each.identity) for each in found)


def is_in_own_folder(place: Place, context: RuleContext) -> bool:
    """Returns whether a place is a folder that the session created, or in one, and the session's own where it exists."""
    path = _owned_path(place)
    if path is None or place.machine != LOCAL or not (made := _load_made(context)):
        return False
    kind = context.world.kind(path)
    if kind is not ABSENT and not is_own(place, context):
        return False
    parent = next((each for each in _iter_folders_above(path) if context.world.kind(each) is not ABSENT), "/")
    return kind == "folder" or (parent in made and _is_identical(parent, made, context.world))


def _owned_path(place: Place) -> str | None:
    """Returns the path of a place, or of the folder whose whole content it is."""
    return place.path if place.path is not None else place.anchor if place.rest == "*" else None


def _load_made(context: RuleContext) -> Mapping[str, Any]:
    caller = context.scene.caller
    found: Mapping[str, Any] = context.load_document(ledger_key(caller.host, caller.session, MADE)).get("made", {})
    return found


def _list_receivers(effects: Effects) -> frozenset[str | None]:
    """Returns the paths at or below which this call moves, links or mounts something; None among them stands for any path."""
    targets = [move.to.path for move in effects.of_kind(Move)]
    targets += [link.place.path for link in effects.of_kind(Link)] + [mount.place.path for mount in effects.of_kind(Mount)]
    return frozenset(folder for path in targets for folder in ((path, "/", *_iter_folders_above(path)) if path else (None,)))


def _is_identical(path: str, creations: Mapping[str, Any], world: World) -> bool:
    """Returns whether this is the file or folder that the session created, whatever the folder contains."""
    if path not in creations:
        return False
    found = world.entry(path)
    return isinstance(found, Entry) and creations[path] == list(found.identity)
