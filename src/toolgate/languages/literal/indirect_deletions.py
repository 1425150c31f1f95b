"""Deletions of what a walk through a literal folder finds, and of the argument of a function that deletes its parameter."""

import re
from collections.abc import Iterator

from toolgate.languages import glob_word
from toolgate.model.effect import Delete, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import known_word

_PATH = re.compile(r"\s*[\"']([^\"'\n$#`{}]+)[\"']")
_DELETING = (
    r"delete(?:IfExists|Dir|Recursively|Sync|File|Tree)?|remove(?:File|Dir|Item|_file|_dir_all)?|deleteDirectory|forceDelete"
    r"|removePathForcibly|removeDirectoryRecursive|Delete|rm(?:_rf|dir_all|dir)?!?|unlink"
)
_DELETES_FOUND = re.compile(rf"\b(?:{_DELETING})\b!?(?:\s*\(\s*(?![\"'])|\s*[)}}]|/1)|\bremove(?:File|Dir)\s+\w")
_FUNCTION = re.compile(
    r"\b(?:func?|fun|def|defp|proc|function|void|bool(?:ean)?|Unit|int|static\s+[\w.<>]+)\s+(\w+)\s*\(\s*(?:(?:final\s+)?[\w.<>&*]+\s+)?(\w+)"
    r"\s*(?::\s*[\w.&<>?\[\] ]+)?[,)]"
)
_REACH = 600
"""Characters after a walk, or within a function, in which a deletion belongs to it."""


def report_indirect_deletions(text: str, walks: re.Pattern[str], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the deletion of what a walk through a literal folder finds, and of the literal argument of a function that deletes
    its parameter."""
    for match in walks.finditer(text):
        if _DELETES_FOUND.search(text, match.end(), match.end() + _REACH):
            yield from _delete_inside(text, match.end(), context)
    for function in _FUNCTION.finditer(text):
        name, parameter = map(re.escape, function.groups())
        deletion = re.compile(rf"\b{parameter}\s*\.\s*(?:{_DELETING})\b|\b(?:{_DELETING})\s*\(\s*{parameter}\b")
        if deletion.search(text, function.end(), function.end() + _REACH):
            for call in re.finditer(rf"(?<![\w.])(?:this\.)?{name}\s*\(", text):
                yield from _delete_inside(text, call.end(), context)


def _delete_inside(text: str, at: int, context: ExecutionContext) -> Iterator[ReportedEffect]:
    path = _PATH.match(text, at)
    if path is not None:
        folder = path[1].rstrip("/")
        folder = f"{context.home}{folder[1:]}" if folder == "~" or folder.startswith("~/") else folder
        pattern = folder if "*" in folder else f"{folder}/*"
        yield Delete(context.resolve_place(glob_word(known_word(pattern)), follow=False), True, context.origin)
