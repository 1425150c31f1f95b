"""Code that a command line gives to a framework's shell, where the framework runs in production: `rails runner`, `artisan tinker`."""

import re
from collections.abc import Iterator

from toolgate.framework_environments import runs_in_production
from toolgate.model.effect import Carrier, Interpret, Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_RUNNERS = {"rails": ("ruby", "runner"), "artisan": ("php", "tinker"), "mix": ("beam", "run"), "manage.py": ("python", "shell")}
"""The language of a framework, and the verb after which code follows, by program."""
_CHANGES = {
    "ruby": re.compile(
        r"\.(?:update\w*|save|create|destroy\w*|delete\w*|insert_all|upsert\w*|increment|decrement|toggle|touch)!?(?![\w?])"
        r"|\bperform_(?:now|later)\b"
    ),
    "php": re.compile(
        r"(?:->|::)(?:save|update|create|delete|forceDelete|insert|upsert|truncate|increment|decrement|send|sendNow|notify|queue|dispatch)\b"
    ),
    "python": re.compile(r"\.(?:update|delete|save|create|bulk_\w+|get_or_create|update_or_create)\s*\("),
    "beam": re.compile(r"\bRepo\.(?:insert|update|delete)\w*!?|\bMailer\.deliver\w*"),
}


def run_release_code(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Interpret]:
    """`bin/shop rpc 'Shop.Repo.delete_all(Shop.Order)'`: a release of Elixir runs code, as `mix run -e` does."""
    if _CALLS_ELIXIR(argv[2].outline):
        yield Interpret("beam", argv[2], context.origin, via=Carrier("mix", argv[1].text or ""))


_CALLS_ELIXIR = re.compile(r"\s*(?:[a-z_]\w*\s*=\s*)?[A-Z]\w*(?:\.[A-Z]\w*)*\.\w+[!?]?\s*\(").match


def find_production_changes(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields a change that such code makes in production."""
    language, verb = _RUNNERS[name]
    texts = [word.outline for word in argv[1:]]
    if verb not in texts[:2] or not any(map(_CHANGES[language].search, texts)):
        return
    is_named = any(text in ("production", "prod") for text in texts)
    if is_named or runs_in_production(language, context):
        yield Operation("production.change", context.origin, known_word(f"{name} {verb}"), (("named", True),))
