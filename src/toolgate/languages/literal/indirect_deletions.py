"""Deletions of what a walk through a literal folder finds, and of the argument of a function that deletes its parameter."""

import re
from collections.abc import Iterator

from toolgate.languages import glob_word
from toolgate.model.effect import Delete, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import known_word

from .texts import find_closing

_PATH = re.compile(r"\s*(?:\w+:\s*)?&?[\"']([^\"'\n$#`{}]+)[\"']")
"""A literal argument, with its label or without."""
_DELETING = (
    r"delete(?:IfExists|Dir|Recursively|Sync|File|Tree)?|remove(?:File|Dir|Item|_file|_dir_all|_all|_dir)?|deleteDirectory|forceDelete"
    r"|removePathForcibly|removeDirectoryRecursive|Delete|rm(?:_rf|dir_all|dirRecurse|dir|Dir|File)?!?|unlink|RemoveAll|Remove"
)
_DELETES_FOUND = re.compile(
    rf"\b(?:{_DELETING})\b!?(?:\s*\(\s*(?![\"'])(?:at(?:Path)?:\s*)?(?![\"')])|\s*[)}}]|/1)|\bremove(?:File|Dir)\s+\w|(?<=[\w)])\.(?:{_DELETING})\(\)"
)
_DELETES_ARGUMENT = re.compile(
    rf"\b(?:{_DELETING})\b!?(?:\s*\(\s*|\s+)(?:at(?:Path)?:\s*)?&?(?:mut\s+)?\w|\w\s*\.\s*(?:{_DELETING})\s*\(|->\s*\w+\.delete"
)
_FUNCTION = re.compile(
    r"\b(?:func?|fn|fun|def|defp|proc|let\s+rec|function|void|bool(?:ean)?|Unit|int|long|u?size_t|auto|Task(?:<\w+>)?|Future<void>|static\s+[\w.<>]+)\s+"
    r"(\w+)(?:\s*<[^()\n]{0,80}>)?\s*\(\s*(?:(?:final|mut|const|in|_)\s+)*(?:[\w.<>&*]+(?:::[\w.<>&*]+)*\s+)?(\w+)"
    r"\s*(?::[\w.&<>?\[\]!' ]{1,80})?[,)]|\b(\w+)\s*(?:<-|=)\s*function\s*\(\s*(\w+)"
)
_IS_CURRENT = re.compile(r"\s*(?:\w+:\s*)?&?\"\.?/?\"")
_REACH = 600
"""Characters after a walk, or within a function, in which a deletion belongs to it."""
_REACH_OF_BODY = 2500
"""Characters of a function's body that are read."""
_MOST_FUNCTIONS = 60


def report_indirect_deletions(text: str, walks: re.Pattern[str], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the deletion of what a walk through a literal folder finds, and of the literal argument of a function that deletes
    its parameter, or what it finds below it."""
    for match in walks.finditer(text):
        if _DELETES_FOUND.search(text, match.end(), match.end() + _REACH):
            yield from _delete_inside(text, match.end(), context)
    for function, _ in zip(_FUNCTION.finditer(text), range(_MOST_FUNCTIONS), strict=False):
        name, parameter = map(re.escape, (group for group in function.groups() if group))
        is_deleted = _deletes_parameter(text, function, parameter)
        if is_deleted or _deletes_found(text, function, name):
            for call in re.finditer(rf"(?<![\w.])(?:this\.|self\.|Self::)?{name}\s*!?\(", text):
                if is_deleted or _IS_CURRENT.match(text, call.end()) is None:  # a project may clean itself of what it builds
                    yield from _delete_inside(text, call.end(), context)


def _deletes_parameter(text: str, function: re.Match[str], parameter: str) -> bool:
    deletion = re.compile(rf"\b{parameter}\s*\.\s*(?:{_DELETING})\b|\b(?:{_DELETING})\s*\(\s*(?:at(?:Path)?:\s*)?&?{parameter}\b")
    return deletion.search(text, function.end(), function.end() + _REACH) is not None


def _deletes_found(text: str, function: re.Match[str], name: str) -> bool:
    """Returns whether a function calls itself for what it finds, and deletes something of it: its parameter stands for a folder
    and everything below."""
    opening, following = text.find("{", function.end(), function.end() + 80), _FUNCTION.search(text, function.end())
    end = find_closing(text, opening) if opening >= 0 else following.start() if following is not None else len(text)
    end = min(end, function.end() + _REACH_OF_BODY)
    calls_itself = re.compile(rf"(?<![\w.])(?:this\.|self\.|Self::)?{name}\s*!?\(\s*(?![\"'])")
    return calls_itself.search(text, function.end(), end) is not None and (
        _DELETES_ARGUMENT.search(text, function.end(), end) is not None
    )


def _delete_inside(text: str, at: int, context: ExecutionContext) -> Iterator[ReportedEffect]:
    path = _PATH.match(text, at)
    if path is not None:
        folder = path[1].rstrip("/")
        folder = f"{context.home}{folder[1:]}" if folder == "~" or folder.startswith("~/") else folder
        pattern = folder if "*" in folder else f"{folder}/*"
        yield Delete(context.resolve_place(glob_word(known_word(pattern)), follow=False), True, context.origin)
