"""Volumes of a compose project: whether its files define any."""

from collections.abc import Sequence
from typing import Any

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.locality import COMPOSE_FILES
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


def _defines_no_volume(text: str | None) -> bool:
    try:
        document: Any = read_yaml(text) if text is not None and len(text) <= _MAX_LENGTH else None
    except InvalidDocument:
        return False
    services = document.get("services") if isinstance(document, dict) else None
    if not isinstance(services, dict) or document.get("volumes") or "include" in document:
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
