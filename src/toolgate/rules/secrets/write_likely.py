"""Writing a likely secret into a file: a value that looks like one, under a name that says so.

`DB_PASSWORD=...` may be a secret or a test value; only its author knows. The call goes on, with a note.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Write
from toolgate.model.rule import RuleContext
from toolgate.redaction.detectors import tier_of_kind
from toolgate.redaction.settings import find_in_word


def check(write: Write, _options: None, context: RuleContext) -> Iterator[Match]:
    if write.content is None:
        return
    if any(tier_of_kind(hit.kind) == "likely" for hit in find_in_word(write.content, context.redaction)):
        yield Match(
            write, f"May write a secret to {write.place.display_text}.", instead="write a reference to it, such as ${NAME}."
        )
