"""Messages that code sends to each of several people: to all customers, to every number of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from toolgate.model.address import host_of, is_loopback
from toolgate.model.effect import Connect, Effect
from toolgate.model.word import known_word

from .values import NULL, Instance, MapValue, Reference, Unknown, Value, list_alternatives, text_of, word_of

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
_CHAT_METHODS = frozenset(
    (
        *("postMessage", "chat_postMessage", "chat_post_message", "post_message", "postEphemeral", "chat_postEphemeral"),
        *("sendMessage", "send_message", "createMessage", "create_message"),
    )
)
_CHAT_RECIPIENTS = frozenset(
    "channel chat_id chatid user user_id userid to room_id roomid toperson topersonid conversation conversation_id".split()
)
_COMMENTS = frozenset("add_comment create_comment createComment addComment create_issue_comment".split())
"""Methods that comment on an issue, which notifies everybody who watches it."""
_NOTIFYING = frozenset("notify notifyNow notify_now".split())
_UNREAL = re.compile(r"(?i)@(?:[\w.-]+\.)?(?:example\.(?:com|net|org)|\w+\.(?:test|invalid|localhost)|localhost)>?$")
"""Matches addresses of mail that nobody has."""
_TO_EACH = "code with a message for each item of a list"
_MESSAGE_TO = "message to "
"""Begins the names under which the evaluation counts the recipients."""


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
    recipient = next(_iter_settings(arguments, _RECIPIENTS), None)
    if sends_mail or (makes_message and recipient is not None):
        send_mail(evaluation, None, recipient)
    elif _writes_to_each(method, arguments):
        send_mail(evaluation)


def _writes_to_each(method: str, arguments: Arguments) -> bool:
    """Returns whether a method writes to somebody else in each round of a loop: in a chat, by a comment, by a notification."""
    if method in _CHAT_METHODS:
        return any(text_of(each) is None for each in _iter_settings(arguments, _CHAT_RECIPIENTS))
    if method in _COMMENTS:
        return any(text_of(each) is None for each in arguments.all_values())
    return method in _NOTIFYING and any(map(_is_made_object, arguments.positional))


def report_mass_request(evaluation: Evaluation, reported: Sequence[Effect]) -> None:
    """Reports requests that send a campaign or a mail for each item of a list."""
    for effect in reported if evaluation.repeats and not evaluation.report.is_excused else ():
        target = effect.target if isinstance(effect, Connect) else None
        if target is not None and _SENDS_CAMPAIGN.search(target.outline) and not is_loopback(host_of(target.head)):
            evaluation.report.operation("tool.act", known_word(_TO_EACH), sends=True)


def send_mail(evaluation: Evaluation, server: Value | None = None, recipient: Value | None = None) -> None:
    """Reports a mail that is sent in a loop of unknown length, or to another recipient than an earlier one. A file's code is its
    author's responsibility."""
    reached = [each.target for each in evaluation.report.effects if isinstance(each, Connect)]
    servers = reached if server is None or server is NULL else [word_of(server)]
    is_local = bool(servers) and all(is_loopback(host_of(each.text or "")) or each.text == "mail" for each in servers)
    is_kept = is_local or evaluation.report.openings.keeps_mail
    is_one_of_many = bool(evaluation.repeats) or _is_other_recipient(evaluation, recipient)
    if is_one_of_many and not is_kept and not evaluation.report.is_excused:
        evaluation.report.operation("tool.act", known_word(_TO_EACH), sends=True)


def _is_other_recipient(evaluation: Evaluation, recipient: Value | None) -> bool:
    """Records a recipient, and returns whether an earlier message had another one."""
    text = text_of(recipient)
    if text is None or _UNREAL.search(text):
        return False
    evaluation.called[f"{_MESSAGE_TO}{text}"] = 1
    return sum(name.startswith(_MESSAGE_TO) for name in evaluation.called) > 1


def _is_mail(value: Value) -> bool:
    return isinstance(value, Instance) and _sends_mail(f"send {value.type.rpartition('.')[2]}") is not None


def _is_made_object(value: Value) -> bool:
    """Returns whether a value is an object that the code has made, such as a notification: `new TermsChanged()`."""
    return isinstance(value, Instance) or (isinstance(value, Unknown | Reference) and value.name.endswith(".new"))


def _iter_settings(arguments: Arguments, names: frozenset[str]) -> Iterator[Value]:
    """Yields what a call is given under one of these names, in an object of settings, too."""
    yield from (value for key, value in arguments.named.items() if key in names or key.lower() in names)
    for each in arguments.positional:
        for one in list_alternatives(each):
            if isinstance(one, MapValue):
                yield from (value for key, value in one.known_entries if key in names or str(key).lower() in names)
