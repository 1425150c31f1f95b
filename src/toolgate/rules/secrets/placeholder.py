"""Writing a placeholder that toolgate put in a secret's place.

An agent that read a file with its secrets redacted, and writes back what it read, would overwrite the real values with
placeholders. An edit whose old text has the same placeholder changes only the text around it, and passes.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Write
from toolgate.model.rule import RuleContext
from toolgate.redaction.safe_values import OUR_PLACEHOLDER


def check(write: Write, _options: None, _context: RuleContext) -> Iterator[Match]:
    if any(_has_new_placeholder(text, kept) for text, kept in _iter_replacements(write)):
        yield Match(
            write,
            f"Writes one of toolgate's placeholders to {write.place.display_text}, instead of a real value.",
            instead="change only the lines around it, or write a reference such as ${NAME}.",
        )


def _iter_replacements(write: Write) -> Iterator[tuple[str, str]]:
    """Yields each written text with the text that it replaces, whose placeholders may stay."""
    if write.edits:
        yield from ((edit.new, edit.old) for edit in write.edits)
    else:
        yield from ((part, "") for part in (write.content.parts if write.content is not None else ()) if isinstance(part, str))


def _has_new_placeholder(text: str, old_text: str) -> bool:
    before = [found[0] for found in OUR_PLACEHOLDER.finditer(old_text)]
    for found in OUR_PLACEHOLDER.finditer(text):
        if found[0] not in before:
            return True
        before.remove(found[0])
    return False
