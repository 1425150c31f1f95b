"""Removing a name from a team's casting registry, or leaving the registry unreadable.

A name stays reserved when its agent retires: histories and decisions refer to it. Change the entry's status, or add entries.
"""

import json
from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Write
from toolgate.model.rule import RuleContext

from .context import READ_LIMIT, find_team
from .context.changes import Change, FileChange, iter_changes, predict_contents

REGISTRY_FILE = "casting/registry.json"


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    for change in iter_changes(effect, context):
        sure = find_team(context).reaches_files(change.place, REGISTRY_FILE, whole=change.whole)
        if sure is not False and (problem := _find_problem(effect, change, context)):
            yield Match(
                effect,
                f"{change.place.display_text}: {problem} Names stay reserved; change an entry's status instead.",
                sure=sure,
            )
            return


def _find_problem(effect: FileChange, change: Change, context: RuleContext) -> str:
    """Returns what is wrong with the change; empty where nothing is."""
    if change.gone or change.whole or change.place.path is None:
        return "the registry would be gone."
    text = predict_contents(effect, context) if isinstance(effect, Write) else None
    if text is None:
        return "it cannot be told whether every entry stays."
    try:
        new = json.loads(text)
    except (ValueError, RecursionError):
        return "this would leave no JSON."
    if not isinstance(new, dict):
        return "the registry is an object."
    content = context.world.read(change.place.path, READ_LIMIT)
    try:
        old = json.loads(content) if isinstance(content, str) and content.strip() else {}
    except (ValueError, RecursionError):
        return ""  # the write repairs it
    missing = list(_iter_missing_entries(old, new, ()))
    return f"this removes {', '.join(missing[:5])}." if missing else ""


def _iter_missing_entries(old: object, new: object, path: tuple[str, ...]) -> Iterator[str]:
    """Yields entries that are gone, by their keys, and by their names in lists."""
    if isinstance(old, dict):
        for key, value in old.items():
            if not isinstance(new, dict) or key not in new:
                yield ".".join((*path, key))
            else:
                yield from _iter_missing_entries(value, new[key], (*path, key))
    elif isinstance(old, list) and all(isinstance(each, dict) for each in old):
        left = {_entry_name(each) for each in new if isinstance(each, dict)} if isinstance(new, list) else set()
        yield from (".".join((*path, _entry_name(each))) for each in old if _entry_name(each) not in left)


def _entry_name(entry: dict[str, object]) -> str:
    return next((str(entry[key]) for key in ("name", "persistent_name", "id") if key in entry), json.dumps(entry, sort_keys=True))
