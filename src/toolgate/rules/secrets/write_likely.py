"""Writing a likely secret into a file: a value that looks like one, under a name that says so.

`DB_PASSWORD=...` may be a secret or a test value; only its author knows. The call goes on, with a note.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Write
from toolgate.model.rule import Context
from toolgate.redaction.detectors import tier
from toolgate.redaction.settings import in_word


def check(write: Write, _options: None, context: Context) -> Iterator[Match]:
    if write.content is None:
        return
    if any(tier(hit.kind) == "likely" for hit in in_word(write.content, context.redaction)):
        yield Match(write, f"This may write a secret to {write.place.shown}.", instead="a reference to it, such as ${NAME}")
