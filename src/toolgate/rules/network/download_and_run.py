"""Running what was just downloaded, without anybody having seen it.

Whoever controls the server, or the way to it, runs commands here. Download to a file, read it, then run it in a call of its own.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Interpret
from toolgate.model.rule import Context


def check(code: Interpret, _options: None, context: Context) -> Iterator[Match]:
    sources = context.effects.feeding(code.code.src)
    for effect in context.effects.all:
        if isinstance(effect, Connect) and effect.origin.command in sources and effect.sends != code.code:
            yield Match(
                code, f"This runs what {effect.target.shown} sends, unseen.", instead="download to a file, read it, then run it"
            )
            return
