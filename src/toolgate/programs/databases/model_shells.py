"""Code that a command line gives to a framework's shell, where the framework runs in production: `rails runner`, `artisan tinker`."""

import re
from collections.abc import Iterator

from toolgate.framework_environments import runs_in_production
from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_RUNNERS = {"rails": ("ruby", "runner"), "artisan": ("php", "tinker"), "mix": ("beam", "run")}
"""The language of a framework, and the verb after which code follows, by program."""
_CHANGES = {
    "ruby": re.compile(
        r"\.(?:update\w*|save|create|destroy\w*|delete\w*|insert_all|upsert\w*|increment|decrement|toggle|touch)!?(?![\w?])"
        r"|\bperform_(?:now|later)\b"
    ),
    "php": re.compile(
        r"(?:->|::)(?:save|update|create|delete|forceDelete|insert|upsert|truncate|increment|decrement|send|sendNow|notify|queue|dispatch)\b"
    ),
    "beam": re.compile(r"\bRepo\.(?:insert|update|delete)\w*!?|\bMailer\.deliver\w*"),
}


def find_production_changes(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields a change that such code makes in production."""
    language, verb = _RUNNERS[name]
    texts = [word.outline for word in argv[1:]]
    if verb not in texts[:2] or not any(map(_CHANGES[language].search, texts)):
        return
    is_named = any(text in ("production", "prod") for text in texts)
    if is_named or runs_in_production(language, context):
        yield Operation("production.change", context.origin, known_word(f"{name} {verb}"), (("named", True),))
