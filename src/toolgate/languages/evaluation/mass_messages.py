"""Messages that code sends to each item of a list whose length nobody knows: to all customers, to every number of a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgate.model.address import is_loopback
from toolgate.model.word import known_word

from .values import MapValue, Value, text_of

if TYPE_CHECKING:
    from .shared_state import Arguments, Evaluation

_sends_mail = re.compile(r"(?i)send.*(?:mail|sms)|(?:mail|sms).*send").search
_RECIPIENTS = frozenset(("to", "to_", "recipient", "recipients"))


def report_mass_message(evaluation: Evaluation, name: str, arguments: Arguments, maker: str = "") -> None:
    """Reports a method that sends a mail or a text message by its name: `send_email(..)`, `messages.create({to, body})`.
    `maker`: what made the object whose method it is."""
    owner, _, method = name.rpartition(".")
    makes_message = method == "create" and "messages" in (owner.rpartition(".")[2], maker.rpartition(".")[2])
    if _sends_mail(method) or (makes_message and _names_recipient(arguments)):
        send_mail(evaluation)


def send_mail(evaluation: Evaluation, server: Value | None = None) -> None:
    """Reports a mail that is sent in a loop of unknown length. A file's code is its author's responsibility."""
    is_local = is_loopback((text_of(server) or "").partition(":")[0])
    if evaluation.repeats and not is_local and not evaluation.report.is_trusted:
        evaluation.report.operation("tool.act", known_word("code with a message for each item of a list"), sends=True)


def _names_recipient(arguments: Arguments) -> bool:
    settings = [*arguments.named, *(key for each in arguments.positional if isinstance(each, MapValue) for key in each.entries)]
    return not _RECIPIENTS.isdisjoint(settings)
