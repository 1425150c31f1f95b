"""Saving a placeholder that toolgate put in a secret's place.

An agent that read a file with its secrets hidden, and writes back what it read, would overwrite the real values with marks that
mean nothing to any program.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Write
from toolgate.model.rule import Context
from toolgate.redaction.safe import OUR_PLACEHOLDER


def check(write: Write, _options: None, _context: Context) -> Iterator[Match]:
    for part in write.content.parts if write.content is not None else ():
        if isinstance(part, str) and OUR_PLACEHOLDER.search(part):
            yield Match(
                write,
                f"This would write a placeholder of toolgate's to {write.place.shown}, where a real value was or should be.",
                instead="change only the lines around it, or write a reference such as ${NAME}",
            )
            return
