"""Writing a token, a private key or a password of a known form into a file.

Files are committed, copied and backed up, and a secret that was once in a repository stays in its history. Keep it in the
environment or in a secret store, and write a reference to it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Effects, Run, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.word import Word
from toolgate.redaction.detectors import tier_of_kind
from toolgate.redaction.finder import UNREAD
from toolgate.redaction.settings import find_in_word


def check(write: Write, _options: None, context: RuleContext) -> Iterator[Match]:
    """Matches a write with a secret. For an environment file, the usual place of secrets, the match is unsure, and so it is where
    the content is unknown and the command that writes has a secret among its words."""
    if write.place.path == "/dev/null":
        return
    kinds = _find_secret_kinds(write.content, context)
    sure = None if write.place.machine == LOCAL and write.place.is_in("environment") else True
    if not kinds and (write.content is None or write.content.text is None):
        kinds, sure = _find_secrets_in_words(write, context), None
    if kinds and kinds.keys() == {UNREAD}:
        reason = f"Writes more text that may be secret to {write.place.display_text} than the gate examines."
        yield Match(write, reason, "write it in parts.", None)
    elif kinds:
        yield Match(
            write,
            f"Writes a secret ({', '.join(kinds)}) to {write.place.display_text}.",
            instead="write a reference to it, such as ${NAME}, and keep the value in the environment or a secret store.",
            sure=sure,
        )


def _find_secret_kinds(content: Word | None, context: RuleContext) -> dict[str, None]:
    """Returns the kinds of secrets that the policy looks for, without those that it exempts."""
    if content is None:
        return {}
    hits = find_in_word(content, context.redaction)
    return dict.fromkeys(hit.kind for hit in hits if tier_of_kind(hit.kind) == "sure")


def _find_secrets_in_words(write: Write, context: RuleContext) -> dict[str, None]:
    found = context.effects.derive(_new_cache)
    command = write.origin.command
    if command not in found:  # a command may write a thousand files
        found[command] = _find_secrets_in_command(command, context)
    return found[command]


def _new_cache(_effects: Effects) -> dict[int, dict[str, None]]:
    return {}


def _find_secrets_in_command(command: int, context: RuleContext) -> dict[str, None]:
    runs = (each for each in context.effects.of_command(command) if isinstance(each, Run))
    words = dict.fromkeys(word for run in runs for word in run.argv if word.parts)
    return {kind: None for word in words for kind in _find_secret_kinds(word, context)}
