"""Messages that code sends to each of several people: to all customers, to every number of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from toolgate.flows.mailing_lists import addresses_everybody, names_list_of_people
from toolgate.locality import find_django_settings
from toolgate.model.address import host_of, is_loopback
from toolgate.model.effect import Connect, Effect
from toolgate.model.word import known_word

from .client_acts import is_message
from .leaf_texts import leaf_words
from .opened_addresses import iter_settings
from .values import (
    NULL,
    TRUE,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    list_parts,
    text_of,
    word_of,
)

if TYPE_CHECKING:
    from .reporter import Reporter
    from .shared_state import Arguments, Evaluation

_sends_mail = re.compile(r"(?i)send.*(?:mail|sms)|(?:mail|sms).*send").search
_MAILERS = frozenset("mail mailer sendgrid twilio resend postmark mailgun ses sms mailchimp brevo".split())
_MOVES_MONEY = re.compile(r"(?i)(?:payment_?intents?|charges?|payouts?|transfers?|refunds?)\.(?:create|confirm|capture)")
_MESSAGES = frozenset(("messages", "calls", "faxes"))
_SENDING_MANY = frozenset(
    (
        *("send_messages", "send_mass_mail", "send_each", "send_all", "send_each_for_multicast", "send_multicast", "send_bulk"),
        *("sendMultiple", "sendEach", "sendAll", "sendEachForMulticast", "sendMulticast", "send_batch", "sendBatch"),
    )
)
"""Methods that send a list of messages at once."""
_of_messages = re.compile(r"(?i)mail|messaging|sms|fcm|postmark|resend|twilio|vonage|plivo").search
_keeps_mail = re.compile(
    r"(?m)^EMAIL_BACKEND\s*=\s*[\"']django\.core\.mail\.backends\.(?:locmem|console|filebased|dummy)\."
    r"|^EMAIL_HOST\s*=\s*[\"'](?:localhost|127\.0\.0\.1|mailhog|mailpit)[\"']"
).search
_logs_mail = re.compile(
    r"(?m)^MAIL_(?:MAILER|DRIVER)\s*=\s*[\"']?(?:log|array)\b|^MAIL_HOST\s*=\s*[\"']?(?:localhost|127\.0\.0\.1|mailhog|mailpit)\b"
).search
_KEPT_DELIVERIES = ("test", "file", "logger", "letter_opener")
"""Rails' ways to deliver mail to nobody."""
_is_test_number = re.compile(r"\+1500555\d{4}").fullmatch
"""Matches a sender of Twilio's that only works with an account for tests."""
_SENDING = frozenset(("send", "schedule", "sendNow", "send_now", "actions_send"))
_SENDING_ADDRESSED = frozenset(("send", "sendNow", "queue", "later"))
"""Methods of Laravel that send what `Mail::to(..)` has addressed."""
_SENDING_AT_ONCE = frozenset(("raw", "html", "plain"))
"""Methods of Laravel's `Mail` whose function addresses the message."""
_CAMPAIGNS = re.compile(r"(?i)(?:campaign|newsletter|broadcast|blast|singlesend)s?$")
_SENDS_CAMPAIGN = re.compile(
    r"(?i)/\w*(?:campaign|newsletter|broadcast|blast|single-?send)s?\b[^?]*/(?:send|sendNow|schedule|actions/send)\b|/campaign-send-jobs\b|/mail/send\b"
    r"|//api\.intercom\.io/(?:messages|conversations)\b|//api\.(?:eu\.)?mailgun\.net/v3/[^/]+/messages|//api\.postmarkapp\.com/email"
    r"|//api\.resend\.com/emails|//api\.(?:brevo|sendinblue)\.com/v3/(?:smtp/email|transactionalSMS)|//api\.mailjet\.com/v3(?:\.1)?/send"
    r"|//api\.(?:eu\.)?sparkpost\.com/api/v1/transmissions|//mandrillapp\.com/api/1\.\d/messages/send|//api\.twilio\.com/[^?]*/Messages\b"
    r"|//rest\.nexmo\.com/sms|//api\.nexmo\.com/v1/messages|//graph\.facebook\.com/[^?]*/messages|//api\.line\.me/v2/bot/message/"
    r"|//(?:api\.)?onesignal\.com/(?:api/v1/)?notifications|//fcm\.googleapis\.com/[^?]*send|//exp\.host/--/api/v2/push/send"
    r"|\bmessagebird\.com/messages|\bgmail\.googleapis\.com/[^?]*/messages/send\b|\bgraph\.microsoft\.com/[^?]*/sendMail\b"
    r"|\bplivo\.com/[^?]*/Message/?$|\btwilio\.com/[^?]*/Calls\.json|//api\.customer\.io/v1/send/|//api\.courier\.com/send|//a\.klaviyo\.com/api/events"
)
"""Matches addresses whose requests send a campaign, a mail, a text or a notification: those of providers."""
_RECIPIENTS = frozenset(("to", "to_", "recipient", "recipients", "recipient_list", "PhoneNumber"))
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
    if any(map(_is_only_checked, iter_settings(arguments))):
        return
    owner, _, method = name.rpartition(".")
    makers = {owner.rpartition(".")[2], maker.rpartition(".")[2]}
    makes_message = method == "publish" or (method == "create" and not _MESSAGES.isdisjoint(makers))
    is_mailer = method in ("send", "sendMultiple", "create") and not _MAILERS.isdisjoint(re.findall(r"[a-z]+", owner.lower()))
    makes_message = makes_message or is_mailer
    pays = any(_MOVES_MONEY.fullmatch(f"{each.rpartition('.')[2]}.{method}") for each in (owner, maker))
    if pays and is_for_many(evaluation) and not evaluation.report.is_excused and not evaluation.report.openings.pays_nobody:
        evaluation.report.operation("tool.act", known_word("code with a payment for each item of a list"), pays=True)
    is_campaign = method in _SENDING and _CAMPAIGNS.search(owner.rpartition(".")[2] or maker) is not None
    is_addressed = method in _SENDING_ADDRESSED and maker.rpartition(".")[0].rpartition(".")[2] == "Mail"
    is_addressed = is_addressed or (method in _SENDING_AT_ONCE and owner.rpartition(".")[2] == "Mail")
    sends_mail = (
        is_campaign or is_addressed or _sends_mail(method) or (method == "send" and any(map(_is_mail, arguments.positional)))
    )
    recipient = next(_iter_settings(arguments, _RECIPIENTS), None)
    if (sends_mail or (makes_message and recipient is not None)) and not _has_test_sender(arguments):
        listed = next((each for each in arguments.positional if isinstance(each, ListValue)), None)
        send_mail(evaluation, None, listed if recipient is None and _reaches_list(listed) else recipient)
    elif _writes_to_each(method, arguments):
        send_mail(evaluation)
    is_for_all = is_message(name) and any(map(addresses_everybody, _list_texts(arguments)))
    if sends_to_many(name, maker, arguments) or (is_for_all and not evaluation.report.openings.uses_local_base):
        _report_message(evaluation)


def sends_to_many(name: str, maker: str, arguments: Arguments) -> bool:
    """Returns whether one call sends a list of messages: `connection.send_messages(mails)`, `messaging.send_each(messages)`."""
    owner, _, method = name.rpartition(".")
    given = next(iter(arguments.positional), None)
    if method not in _SENDING_MANY or (isinstance(given, ListValue) and given.rest is None and len(given.items) < 2):
        return False
    of_mail = _of_messages(f"{owner} {maker}") is not None
    return of_mail or (isinstance(given, ListValue) and any(map(_is_mail, list_parts(given))))


def is_for_many(evaluation: Evaluation) -> bool:
    """Returns whether the current code is repeated for items of a list, known or unknown."""
    return evaluation.repeats > 0 or evaluation.round > 1


def _writes_to_each(method: str, arguments: Arguments) -> bool:
    """Returns whether a method writes to somebody else in each round of a loop: in a chat, by a comment, by a notification."""
    if method in _CHAT_METHODS:
        return any(text_of(each) is None for each in _iter_settings(arguments, _CHAT_RECIPIENTS))
    if method in _COMMENTS:
        return any(text_of(each) is None for each in arguments.all_values())
    return method in _NOTIFYING and any(map(_is_made_object, arguments.positional))


def report_mass_request(evaluation: Evaluation, reported: Sequence[Effect]) -> None:
    """Reports requests that send a campaign or a mail for each item of a list."""
    for effect in reported if is_for_many(evaluation) and not evaluation.report.is_excused else ():
        target = effect.target if isinstance(effect, Connect) else None
        if target is not None and _SENDS_CAMPAIGN.search(target.outline) and not is_loopback(host_of(target.head)):
            evaluation.report.operation("tool.act", known_word(_TO_EACH), sends=True)


def send_mail(evaluation: Evaluation, server: Value | None = None, recipient: Value | None = None) -> None:
    """Reports a mail that is sent in a loop of unknown length, or to another recipient than an earlier one. A file's code is its
    author's responsibility."""
    reached = [each.target for each in evaluation.report.effects if isinstance(each, Connect)]
    servers = reached if server is None or server is NULL else [word_of(server)]
    stays_here = all(is_loopback(host_of(each.text or "")) or each.text == "mail" for each in servers)
    is_local = stays_here if servers else evaluation.report.openings.uses_local_base
    text = text_of(recipient)
    is_one_of_many = (
        is_for_many(evaluation) if text is None else bool(evaluation.repeats) or _is_other_recipient(evaluation, text)
    )
    if (is_one_of_many or _reaches_list(recipient)) and not is_local:
        _report_message(evaluation)


def _reaches_list(recipient: Value | None) -> bool:
    """Returns whether a mail goes to an address behind which are many people: `all-staff@acme.com`."""
    texts = [word.text or "" for word in leaf_words(recipient)] if recipient is not None else []
    return any(names_list_of_people(text) and not _UNREAL.search(text) for text in texts)


def _is_other_recipient(evaluation: Evaluation, text: str) -> bool:
    """Records a recipient, and returns whether an earlier message had another one."""
    if _UNREAL.search(text):
        return False
    evaluation.called[f"{_MESSAGE_TO}{text}"] = 1
    return sum(name.startswith(_MESSAGE_TO) for name in evaluation.called) > 1


def _report_message(evaluation: Evaluation) -> None:
    report = evaluation.report
    ways = [value for name, value in evaluation.patched.items() if name.endswith("Base.delivery_method")]
    way = text_of(ways[-1]) if ways else None
    if not (report.is_excused or report.openings.keeps_mail or way in _KEPT_DELIVERIES or _settings_keep_mail(report)):
        evaluation.report.operation("tool.act", known_word(_TO_EACH), sends=True)


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


def _settings_keep_mail(report: Reporter) -> bool:
    """Returns whether the settings of a Django or Laravel project keep mails on this machine."""
    if any(_logs_mail(word.text or "") for word in report.seen.read_alternatives(known_word(".env"))):
        return True
    texts = [
        word.text or "" for file in find_django_settings(report.seen) for word in report.seen.read_alternatives(known_word(file))
    ]
    return any(map(_keeps_mail, texts)) and not any(".backends.smtp." in text for text in texts)


def _is_only_checked(setting: tuple[str, Value]) -> bool:
    """Returns whether a setting lets the provider check a mail without sending it: `sandboxMode: {enable: true}`."""
    key, value = setting
    return key.replace("_", "") == "sandboxmode" and isinstance(value, MapValue) and value.entries.get("enable") == TRUE


def _has_test_sender(arguments: Arguments) -> bool:
    values = [
        each for value in arguments.all_values() for each in (list_parts(value) if isinstance(value, MapValue) else [value])
    ]
    return any(all(_is_test_number(text_of(each) or "") for each in list_alternatives(value)) for value in values)


def _list_texts(arguments: Arguments) -> list[str]:
    return [word.text for each in arguments.all_values() for word in leaf_words(each) if word.text is not None]
