"""Writing a token, a private key or a password of a known form into a file.

What stands in a file is committed, copied and backed up, and a secret that was once in a repository stays in its history. Keep
it in the environment or in a secret store, and write a reference to it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Run, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context
from toolgate.model.word import Word
from toolgate.redaction.detectors import tier
from toolgate.redaction.finder import UNREAD
from toolgate.redaction.settings import in_word


def check(write: Write, _options: None, context: Context) -> Iterator[Match]:
    """A file of the environment is where one keeps them, if anywhere: there a person is asked. So one is where
    what is written is not known, and the command that writes has a secret among its own words."""
    kinds = _kinds(write.content, context)
    sure = None if write.place.machine == LOCAL and write.place.is_in("environment") else True
    if not kinds and (write.content is None or write.content.text is None):
        kinds, sure = _said(write, context), None
    if kinds and kinds.keys() == {UNREAD}:
        reason = f"What this writes to {write.place.shown} holds more that may be a secret than the gate looks at."
        yield Match(write, reason, sure=None)
    elif kinds:
        yield Match(
            write,
            f"This writes a secret ({', '.join(kinds)}) to {write.place.shown}.",
            instead="write a reference to it, such as ${NAME}, and keep the value in the environment or a secret store",
            sure=sure,
        )


def _kinds(content: Word | None, context: Context) -> dict[str, None]:
    """Of what the policy looks for, too, and without what it says is no secret."""
    if content is None:
        return {}
    hits = in_word(content, context.redaction)
    return dict.fromkeys(hit.kind for hit in hits if tier(hit.kind) == "sure")


def _said(write: Write, context: Context) -> dict[str, None]:
    runs = (each for each in context.effects.of(write.origin.command) if isinstance(each, Run))
    words = dict.fromkeys(word for run in runs for word in run.argv if word.parts)
    return {kind: None for word in words for kind in _kinds(word, context)}
