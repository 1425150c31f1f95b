"""Volumes of a compose project: whether its files define any."""

from collections.abc import Sequence
from typing import Any

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.locality import COMPOSE_FILES, is_for_tests
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_MAX_LENGTH = 16_000  # characters of a file
_FILES = (*COMPOSE_FILES, *(name.replace(".y", ".override.y") for name in COMPOSE_FILES))
_REFERENCES = ("extends", "volumes_from")
"""Keys with which a service takes over what is defined elsewhere."""


def keeps_no_volume(named: Sequence[Word], context: ExecutionContext) -> bool:
    """Returns whether the project's files are known and define no volume. `named`: the files that the command names."""
    if context.get_variables("COMPOSE_FILE"):
        return False
    files = named or [name for name in map(known_word, _FILES) if context.read_alternatives(name)]
    texts = [[text.text for text in context.read_alternatives(file)] for file in files]
    return bool(texts) and all(len(each) == 1 and _defines_no_volume(each[0]) for each in texts)


def keeps_test_volumes(named: Sequence[Word], context: ExecutionContext) -> bool:
    """Returns whether all named files are for tests, by their names, and share no volume with the files that are not."""
    if not named or not all(is_for_tests((name.text or "").rpartition("/")[2]) for name in named):
        return False
    if not all(context.read_alternatives(name) for name in named):
        return False
    own, others = (_list_volumes(files, context) for files in (named, list(map(known_word, _FILES))))
    return own is not None and others is not None and own.isdisjoint(others)


def _list_volumes(files: Sequence[Word], context: ExecutionContext) -> frozenset[str] | None:
    """Returns the names of the volumes that files define, as far as these are there; None if a text is not known."""
    found: set[str] = set()
    for text in (text for file in files for text in context.read_alternatives(file)):
        document = _parse(text.text)
        if document is None or "include" in document:
            return None
        volumes = document.get("volumes") or {}
        if not isinstance(volumes, dict) or any(isinstance(each, dict) and each for each in volumes.values()):
            return None  # one that is external, or has another name
        found |= {str(name) for name in volumes}
    return frozenset(found)


def _parse(text: str | None) -> dict[str, Any] | None:
    try:
        document: Any = read_yaml(text) if text is not None and len(text) <= _MAX_LENGTH else None
    except InvalidDocument:
        return None
    return document if isinstance(document, dict) else None


def _defines_no_volume(text: str | None) -> bool:
    document = _parse(text)
    services = document.get("services") if document is not None else None
    if document is None or not isinstance(services, dict) or document.get("volumes") or "include" in document:
        return False
    return all(isinstance(each, dict) and _mounts_folders_only(each) for each in services.values())


def _mounts_folders_only(service: dict[str, Any]) -> bool:
    mounts = service.get("volumes") or []
    if not isinstance(mounts, list) or any(key in service for key in _REFERENCES):
        return False
    return all(
        each.get("type") in ("bind", "tmpfs")
        if isinstance(each, dict)
        else isinstance(each, str) and each[:1] in "./~" and ":" in each
        for each in mounts
    )
