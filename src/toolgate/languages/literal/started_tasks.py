"""Tasks of Mix that a command starts: what they change through a repository of Ecto, if that is the one of production."""

import re
from collections.abc import Iterator

from toolgate.framework_environments import runs_in_production
from toolgate.model.effect import Interpret, Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import known_word

_CHANGES = re.compile(r"\bRepo\.(?:delete_all|update_all|truncate)\b")
_REHEARSALS = "dry_run count list check pretend preview plan noop show".split()


def report_changed_tables(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the change of many rows of production, unless an option asks for a rehearsal."""
    options = [(word.text or "").lstrip("-").replace("-", "_") for word in code.args if word.head.startswith("--")]
    is_rehearsed = any(option in _REHEARSALS and re.search(rf"\b{option}\b", text) for option in options)
    if _CHANGES.search(text) and not is_rehearsed and runs_in_production(code.language, context):
        yield Operation(
            "database.delete", context.origin, known_word("rows of a table"), (("disposable", False), ("local", False))
        )
