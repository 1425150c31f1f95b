"""Sending the whole environment over the network.

Its variables hold tokens and passwords as often as settings. Send the one value that is needed, by name.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Operation
from toolgate.model.rule import Context
from toolgate.model.word import NOTHING


def check(connection: Connect, _options: None, context: Context) -> Iterator[Match]:
    sent = connection.target.src | (connection.sends.src if connection.sends is not None else NOTHING)
    sources = context.effects.feeding(sent) if sent else NOTHING
    for effect in context.effects.all:
        if isinstance(effect, Operation) and effect.name == "environment.print" and effect.origin.command in sources:
            yield Match(connection, f"This sends the whole environment to {connection.target.shown}.")
            return
