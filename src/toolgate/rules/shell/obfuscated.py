"""Running code that the same call decoded, decompressed or decrypted.

The command does not show what the code does, and hiding that is the usual purpose of such an encoding. Decode it into a file,
read it, then run it in a call of its own.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Interpret, Operation
from toolgate.model.rule import RuleContext

_DATA_LANGUAGES = frozenset(("sql", "mongo", "sed", "awk"))
"""Languages of data: dumps are often compressed."""


def check(code: Interpret, _options: None, context: RuleContext) -> Iterator[Match]:
    if code.language in _DATA_LANGUAGES:
        return
    sources = context.effects.commands_feeding(code.code.src)
    for effect in context.effects.of_kind(Operation) if sources else ():
        if effect.name == "text.decode" and effect.origin.command in sources:
            message = f"Runs code that arrives encoded or compressed, from {context.effects.describe(effect)}."
            yield Match(code, message, instead="decode it to a file, read it, then run it.")
            return
