"""Erasing records of what was done: the shell's history, the system's logs.

A later investigation of a fault finds nothing. Keep them; rotate a log that grows too large instead of emptying it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Environment, Operation
from toolgate.model.rule import RuleContext

_HISTORY_OFF = {"HISTFILE": ("", "/dev/null"), "HISTSIZE": ("0",), "HISTFILESIZE": ("0",), "SAVEHIST": ("0",)}
"""With these values a shell keeps no history."""

_ADVICE = "leave the records to the user."


def check(effect: Operation | Environment, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation):
        message = f"Wipes a record of what was done: {context.effects.describe(effect) or 'a log'}."
        yield Match(effect, message, _ADVICE)
    elif effect.name in _HISTORY_OFF and effect.value.text in _HISTORY_OFF[effect.name]:
        yield Match(effect, f"Sets {effect.name}, so that the shell keeps no history.", _ADVICE)
