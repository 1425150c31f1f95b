"""Messages that code sends to each item of a list whose length nobody knows: to all customers, to every number of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolgate.model.address import host_of, is_loopback
from toolgate.model.effect import Connect, Effect
from toolgate.model.word import known_word

from .values import Instance, MapValue, Value, word_of

if TYPE_CHECKING:
    from .shared_state import Arguments, Evaluation

_sends_mail = re.compile(r"(?i)send.*(?:mail|sms)|(?:mail|sms).*send").search
_MAILERS = frozenset("mail mailer sendgrid twilio resend postmark mailgun ses sms mailchimp brevo".split())
_MOVES_MONEY = re.compile(r"(?i)(?:payment_?intents?|charges?|payouts?|transfers?|refunds?)\.(?:create|confirm|capture)")
_SENDING = frozenset(("send", "schedule", "sendNow", "send_now", "actions_send"))
_CAMPAIGNS = re.compile(r"(?i)(?:campaign|newsletter|broadcast|blast|singlesend)s?$")
_SENDS_CAMPAIGN = re.compile(
    r"(?i)/\w*(?:campaign|newsletter|broadcast|blast|single-?send)s?\b[^?]*/(?:send|sendNow|schedule|actions/send)\b|/campaign-send-jobs\b|/mail/send\b"
)
"""Matches addresses whose requests send a campaign or a mail."""
_RECIPIENTS = frozenset(("to", "to_", "recipient", "recipients", "PhoneNumber"))


def report_mass_message(evaluation: Evaluation, name: str, arguments: Arguments, maker: str = "") -> None:
    """Reports a method that sends a mail or a text message by its name: `send_email(..)`, `messages.create({to, body})`.
    `maker`: what made the object whose method it is."""
    owner, _, method = name.rpartition(".")
    makes_message = method == "publish" or (
        method == "create" and "messages" in (owner.rpartition(".")[2], maker.rpartition(".")[2])
    )
    is_mailer = method in ("send", "sendMultiple", "create") and not _MAILERS.isdisjoint(re.findall(r"[a-z]+", owner.lower()))
    makes_message = makes_message or is_mailer
    pays = any(_MOVES_MONEY.fullmatch(f"{each.rpartition('.')[2]}.{method}") for each in (owner, maker))
    if pays and evaluation.repeats and not evaluation.report.is_excused:
        evaluation.report.operation("tool.act", known_word("code with a payment for each item of a list"), pays=True)
    is_campaign = method in _SENDING and _CAMPAIGNS.search(owner.rpartition(".")[2] or maker) is not None
    sends_mail = is_campaign or _sends_mail(method) or (method == "send" and any(map(_is_mail, arguments.positional)))
    if sends_mail or (makes_message and _names_recipient(arguments)):
        send_mail(evaluation)


def report_mass_request(evaluation: Evaluation, reported: Sequence[Effect]) -> None:
    """Reports requests that send a campaign or a mail for each item of a list."""
    for effect in reported if evaluation.repeats and not evaluation.report.is_excused else ():
        target = effect.target if isinstance(effect, Connect) else None
        if target is not None and _SENDS_CAMPAIGN.search(target.outline) and not is_loopback(host_of(target.head)):
            evaluation.report.operation("tool.act", known_word("code with a message for each item of a list"), sends=True)


def send_mail(evaluation: Evaluation, server: Value | None = None) -> None:
    """Reports a mail that is sent in a loop of unknown length. A file's code is its author's responsibility."""
    servers = (
        [each.target for each in evaluation.report.effects if isinstance(each, Connect)] if server is None else [word_of(server)]
    )
    is_local = bool(servers) and all(is_loopback(host_of(each.text or "")) or each.text == "mail" for each in servers)
    is_kept = is_local or evaluation.report.openings.keeps_mail
    if evaluation.repeats and not is_kept and not evaluation.report.is_excused:
        evaluation.report.operation("tool.act", known_word("code with a message for each item of a list"), sends=True)


def _is_mail(value: Value) -> bool:
    return isinstance(value, Instance) and _sends_mail(f"send {value.type.rpartition('.')[2]}") is not None


def _names_recipient(arguments: Arguments) -> bool:
    settings = [*arguments.named, *(key for each in arguments.positional if isinstance(each, MapValue) for key in each.entries)]
    return not _RECIPIENTS.isdisjoint(settings)
