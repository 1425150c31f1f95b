"""Rules of a database or a storage that let everybody in, when they are deployed."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_FILES = {"firestore": "firestore.rules", "storage": "storage.rules", "database": "database.rules.json"}
"""The files of rules, by what `--only` names."""

_LETS_EVERYBODY_IN = re.compile(
    r"\ballow\s+(?:read|write|create|update|delete)[\w\s,]{0,60}(?:;|:\s*if\s+true\b)|\"\.(?:read|write)\"\s*:\s*(?:true|\"true\")"
)


def find_open_rules(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:  # noqa: ARG001
    """Yields rules without a condition that `firebase deploy` puts into effect."""
    texts = [word.text or "" for word in argv[1:]]
    if "deploy" not in texts:
        return
    only = " ".join(text for before, text in zip(["", *texts], texts, strict=False) if before == "--only" or "--only=" in text)
    for kind, file in _FILES.items():
        if (not only or kind in only) and any(map(_LETS_EVERYBODY_IN.search, context.read_project_file(file))):
            target = known_word(f"{file}, which lets everybody in")
            yield Operation("cloud.delete", context.origin, target, (("dry_run", False), ("rights", True)))
