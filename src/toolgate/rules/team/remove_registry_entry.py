"""Removing a name from a team's casting registry, or leaving the registry unreadable.

A name stays reserved when its agent retires: histories and decisions refer to it. Change the entry's status, or add entries.
"""

import json
from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Write
from toolgate.model.rule import Context

from .context import READ_LIMIT, team
from .context.changes import Change, Changing, after, changes

FILE = "casting/registry.json"


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    for change in changes(effect, context):
        sure = team(context).reaches(change.place, FILE, whole=change.whole)
        if sure is not False and (problem := _problem(effect, change, context)):
            yield Match(
                effect, f"{change.place.shown}: {problem} Names stay reserved; change an entry's status instead.", sure=sure
            )
            return


def _problem(effect: Changing, change: Change, context: Context) -> str:
    """Returns what is wrong with the change; empty where nothing is."""
    if change.gone or change.whole or change.place.path is None:
        return "the registry would be gone."
    text = after(effect, context) if isinstance(effect, Write) else None
    if text is None:
        return "it cannot be told whether every entry stays."
    try:
        new = json.loads(text)
    except (ValueError, RecursionError):
        return "this would leave no JSON."
    if not isinstance(new, dict):
        return "the registry is an object."
    said = context.world.read(change.place.path, READ_LIMIT)
    try:
        old = json.loads(said) if isinstance(said, str) and said.strip() else {}
    except (ValueError, RecursionError):
        return ""  # the write repairs it
    missing = list(_missing(old, new, ()))
    return f"this removes {', '.join(missing[:5])}." if missing else ""


def _missing(old: object, new: object, path: tuple[str, ...]) -> Iterator[str]:
    """Yields entries that are gone, by their keys, and by their names in lists."""
    if isinstance(old, dict):
        for key, value in old.items():
            if not isinstance(new, dict) or key not in new:
                yield ".".join((*path, key))
            else:
                yield from _missing(value, new[key], (*path, key))
    elif isinstance(old, list) and all(isinstance(each, dict) for each in old):
        left = {_name(each) for each in new if isinstance(each, dict)} if isinstance(new, list) else set()
        yield from (".".join((*path, _name(each))) for each in old if _name(each) not in left)


def _name(entry: dict[str, object]) -> str:
    return next((str(entry[key]) for key in ("name", "persistent_name", "id") if key in entry), json.dumps(entry, sort_keys=True))
