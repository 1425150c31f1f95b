"""Text messages that the command lines of telephone services send: nobody can take them back, and each costs money."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, known_word

SENDERS = {
    "twilio": ("api:core:messages:create", "api:core:calls:create"),
    "aws": ("sns publish", "pinpoint-sms-voice-v2 send-text-message"),
    "vonage": ("sms", "messages"),
    "plivo": ("message create", "call create"),
}
"""GROWS: by program, the subcommands with which it sends a message."""
_RECIPIENT_OPTIONS = ("--to", "--phone-number", "--destination-phone-number", "--dst")
_NUMBERS_FOR_TESTS = "+1500555"


def find_text_messages(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields a message to a number that an option names. Twilio's numbers for tests reach nobody."""
    words = " ".join(word.text or "" for word in argv[1:4])
    if not any(words == form or words.startswith(f"{form} ") for form in SENDERS[name]):
        return
    given = {}
    for option, following in pairwise((*argv[1:], known_word(""))):
        flag, attached, value = option.partition("=")
        given[flag.text] = value if attached else following
    recipients = [given[option] for option in _RECIPIENT_OPTIONS if option in given]
    is_rehearsed = any(number.head.startswith(_NUMBERS_FOR_TESTS) for number in (*recipients, given.get("--from", EMPTY)))
    if recipients and not is_rehearsed:
        yield Operation("tool.act", context.origin, known_word(words.partition(" -")[0]), (("sends", True),))
