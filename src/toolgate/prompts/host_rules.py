"""Compares the host's deny and ask rules with the effects of a call, whatever its text looks like."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from toolgate.model.effect import Delete, Effects, Link, Move, Permission, Run, Write, list_places
from toolgate.model.event import Scene
from toolgate.model.glob import literal_folder, matches_path
from toolgate.model.permission import HostRule

from .observers import OBSERVERS
from .plain_text import PlainText
from .surroundings import Ground

_READING = frozenset(("Read", "Grep", "Glob", "LS", "NotebookRead"))
_WRITING = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
_ELSEWHERE = frozenset(("WebFetch", "WebSearch", "Agent", "Task", "Skill", "SlashCommand", "mcp", "PowerShell", "Monitor"))
"""Tools whose calls are never answered; a rule about them concerns another call."""
_NAME = re.compile(r"[\w.+*/-]+")
_CHANGES = (Write, Delete, Move, Link, Permission)
_DELETERS = frozenset("rm rmdir unlink shred".split())
_WRITERS = frozenset("touch tee cp mv install dd ln mkdir truncate chmod chown".split())


def may_match(rule: HostRule, tool: str, effects: Effects, plain_text: PlainText, ground: Ground, scene: Scene) -> bool:
    """Returns whether a rule may concern this call, by its tool, a command or an effect; true in doubt."""
    name = rule.tool
    if "*" in name:
        return fnmatchcase(tool, name) or not name.startswith("mcp__")
    if name == "Bash":
        return tool == "Bash" and (_about_commands(rule.pattern, effects, plain_text) or _about_operands(rule, ground, scene))
    if name in _READING:
        return _about_paths(rule, iter(ground.looked_at), scene)
    if name in _WRITING:
        return _about_paths(rule, _iter_changed_paths(effects), scene)
    return name == tool or not (name in _ELSEWHERE or name.startswith("mcp__"))


def _about_commands(pattern: str | None, effects: Effects, plain_text: PlainText) -> bool:
    words = [] if pattern is None else pattern.replace(":*", " *").split()
    if not words or not words[0].strip("*") or not _NAME.fullmatch(words[0]):
        return True
    program = words[0].rpartition("/")[2]
    if program in _DELETERS and effects.of_kind(Delete):
        return True
    if program in _WRITERS and any(isinstance(effect, _CHANGES) for effect in effects.all):
        return True
    verb = words[1] if len(words) > 1 and words[1].isalnum() else ""
    for run in effects.of_kind(Run):
        texts = [word.text for word in run.argv]
        name = (texts[0] or "").rpartition("/")[2] if texts else ""
        if fnmatchcase(name, program) and (not verb or verb in texts or None in texts):
            return True
    named = {each for each in plain_text.names if fnmatchcase(each, program)}
    return bool(named) and not any((run.argv[0].text if run.argv else "") in named for run in effects.of_kind(Run))


def _about_operands(rule: HostRule, ground: Ground, scene: Scene) -> bool:
    """Returns whether a rule that names a reading program and a path covers a path that the call reads."""
    words = (rule.pattern or "").replace(":*", " *").split()
    if not words or words[0] not in OBSERVERS:
        return False
    paths = (word for word in words[1:] if "/" in word or "." in word)
    return any(_about_paths(HostRule("Read", path, rule.folder), iter(ground.looked_at), scene) for path in paths)


def _iter_changed_paths(effects: Effects) -> Iterator[tuple[str, bool]]:
    for effect in effects.all:
        if isinstance(effect, _CHANGES):
            yield from ((place.path or place.anchor or "/", True) for place in list_places(effect))


def _about_paths(rule: HostRule, paths: Iterator[tuple[str, bool]], scene: Scene) -> bool:
    if rule.pattern is None or rule.pattern in ("*", "**"):
        return any(True for _ in paths)
    candidates = tuple(_candidates(rule, scene))
    return any(_overlaps(each, path, tree) for path, tree in paths for each in candidates)


def _candidates(rule: HostRule, scene: Scene) -> Iterator[str]:
    """Yields the absolute globs that a pattern may denote: read as gitignore does, from every folder it may be relative to."""
    pattern = (rule.pattern or "").rstrip("/")
    if not pattern or any(char in pattern for char in "!{}\\") or ".." in pattern:
        yield "/**"
    elif pattern.startswith("//"):
        yield pattern[1:]
    elif pattern.startswith("~/"):
        yield f"{scene.home.rstrip('/')}/{pattern[2:]}"
    else:
        bare = pattern.removeprefix("./").lstrip("/")
        for folder in {rule.folder, scene.project, scene.cwd}:
            yield f"{folder.rstrip('/')}/{bare}"
        if not pattern.startswith("/"):
            yield f"/**/{bare}"


def _overlaps(pattern: str, path: str, tree: bool) -> bool:
    pattern, path = pattern.lower(), path.lower()
    if matches_path(pattern, path) is not False or matches_path(f"{pattern}/**", path) is not False:
        return True
    fixed = literal_folder(pattern).rstrip("/")
    return tree and (f"{path}/".startswith(f"{fixed}/") or f"{fixed}/".startswith(f"{path.rstrip('/')}/"))
