"""Messages that a tool sends to very many people, and those that bind whoever sends them.

A single message to a colleague is daily work. A campaign, a mention of everybody, a text message to a list, a contract for
signature are not: nobody can take them back.
"""

import re
from collections.abc import Iterable, Mapping

from toolgate.flows.destinations import find_destination
from toolgate.flows.mailing_lists import addresses_everybody, names_list_of_people
from toolgate.model.word import known_word
from toolgate.safeguards import Setting, list_settings

from .argument_acts import Leaves, notifies_everybody
from .arguments import find_leaves
from .environments import is_on_this_machine
from .names import fold_key, split_words

_MESSAGES = frozenset(
    "newsletter message messages messaging sms email emails mail mails notification notifications push chat conversation "
    "conversations comment text texts outbound whatsapp event events invite invitation meeting".split()
)
_MASSES = frozenset("batch bulk mass campaign broadcast newsletter marketing blast everyone outbound sequence drip".split())
_STARTING_VERBS = frozenset(
    "create send schedule submit trigger add start launch publish enroll post reply notify update resume call queue "
    "enqueue".split()
)
_SERIES = frozenset("sequence cadence drip".split())
_CAMPAIGNS = frozenset("campaign campaigns singlesend singlesends broadcast flow automation".split())
_LAUNCHING_VERBS = frozenset("send trigger launch start schedule publish resume".split())
_AUDIENCES = ("segment", "segments", "audience", "recipients", "topic")
_PEOPLE = frozenset("contact contacts lead leads prospect prospects subscriber subscribers".split())
_BINDING_DOCUMENTS = frozenset("envelope envelopes contract agreement quote proposal offer invoice invoices statement".split())
_DECLARATIONS = frozenset("filing filings return returns declaration tender bid accounts appeal motion".split())
_TELEPHONE_KEYS = frozenset("to tonumber recipient recipients phonenumber destination destinationphonenumber".split())
_TELEPHONE = re.compile(r"(?:whatsapp:|tel:)?[+ ](?!1500555|1\d{3}555)\d{8,15}").fullmatch
"""Matches a telephone number in the international form, whose plus may have become a space, without those for tests."""
_NUMBER_OF_UNKNOWN = re.compile(r"\+?\d{9,15}|\ufffc").fullmatch
"""Matches a telephone number without its plus, and one that is not known."""
_TELEPHONE_SERVICES = frozenset(
    "sms whatsapp twilio nexmo vonage messagebird plivo sinch telnyx bandwidth infobip clickatell".split()
)
_CALLING_SERVICES = frozenset("vapi retell bland synthflow elevenlabs twilio vonage telnyx plivo ringcentral aircall".split())
_ADDRESS = re.compile(r"[^\s<>,;@]+@[\w-]+(?:\.[\w-]+)+")
_SENDING_WORDS = frozenset("send email mail share forward reply post message invite draft compose contact event".split())
_MAIL = frozenset("mail email mails emails".split())
_MAILED = frozenset("message messages draft thread".split())
_MAIL_SERVERS = frozenset("gmail outlook mail email smtp imap fastmail protonmail resend mailgun postmark sendgrid".split())
_MAIL_CATCHERS = frozenset("mailhog mailpit mailtrap maildev mailcatcher ethereal greenmail localstack inbucket".split())
_ABOUT_MAIL = frozenset("test status log logs template templates domain rule rules settings schema webhook validation".split())
_PAGERS = frozenset("pagerduty opsgenie victorops splunkoncall incidentio firehydrant rootly squadcast zenduty".split())
_LOW = frozenset("low info p5 sev5 minor informational".split())
_SANDBOXED_SERVERS = frozenset("sendgrid mailgun mailjet sparkpost postmark brevo".split())
"""Providers that keep mail if a setting of the call asks for it."""
_SANDBOXES = frozenset("sandbox sandboxmode testmode dryrun".split())
_LOADING_WORDS = frozenset("fetch get read download open navigate goto browse scrape crawl visit load import".split())
_SHARING_KEYS = frozenset("share sharewith shareto emailto sendto deliverto mailto emailresultsto sharedwith".split())


def addresses_many(server: frozenset[str], words: frozenset[str], leaves: Leaves) -> bool:
    """Returns whether a tool with these words in its name sends messages to a list of people, or mentions everybody."""
    if words.isdisjoint(_STARTING_VERBS | {"originate", "dial"}):
        return False
    routes = (
        value.partition("?")[0].rpartition("/")[2] for key, value in leaves if key.endswith("url") and isinstance(value, str)
    )
    words |= {word for route in routes for word in split_words(route)}
    if any(key in _TELEPHONE_KEYS and isinstance(value, str) and _TELEPHONE(value) for key, value in leaves):
        return True  # a text or a call to somebody outside
    if (words | server) & _TELEPHONE_SERVICES and any(
        key in _TELEPHONE_KEYS and _NUMBER_OF_UNKNOWN(str(value)) for key, value in leaves
    ):
        return True
    if server & _CALLING_SERVICES and "call" in words and words & {"create", "make", "start", "place"}:
        return True
    if _reaches_customer(server, words, leaves):
        return True
    if words & {"event", "meeting", "invitation"} and words & {"create", "add", "insert"} and _invites(leaves):
        return True
    if _names_campaign(words):
        return True
    if {key for key, _ in leaves} & _TEXT_KEYS and any(
        key in _CHANNEL_KEYS and isinstance(value, str) and addresses_everybody(f"#{value.lstrip('#')}") for key, value in leaves
    ):
        return True
    if (words | server).isdisjoint(_MESSAGES):
        return False
    if words & _MASSES or any(key.endswith(_AUDIENCES) and _NAMES_ALL(str(value)) for key, value in leaves):
        return True
    return any(isinstance(value, str) and (addresses_everybody(value) or names_list_of_people(value)) for _, value in leaves)


_CHANNEL_KEYS = frozenset("channel channelid channelname channels team teamid room roomid space spaceid".split())
_TEXT_KEYS = frozenset("text message body content payload blocks".split())
_NAMES_ALL = re.compile(r"(?i)(?:segment:|list:|group:)?all").match
_MEDIUM_KEYS = frozenset("channel delivery via medium deliverymethod sendvia notifyvia".split())
_MEDIA = frozenset("sms email mail registered_mail whatsapp letter voice fax post".split())
"""What brings a message to somebody outside."""
_MEDIA_VERBS = frozenset("send post notify create submit reply issue".split())
_HELP_DESKS = frozenset("helpdesk zendesk freshdesk freshservice intercom helpscout front gorgias kustomer servicedesk".split())
"""Where an answer goes to a customer."""


def _names_campaign(words: frozenset[str]) -> bool:
    """Returns whether a tool's name is that of an act by which many are reached."""
    if words & {"originate", "dial", "robocall"} and words & _MASSES:
        return True
    if words & (_SERIES | {"enroll"}) and words & (_PEOPLE | {"list"}):
        return True
    if words & _CAMPAIGNS and words & _LAUNCHING_VERBS:
        return True
    return {"single", "send"} <= words or {"single", "sends"} <= words  # SendGrid's name for a campaign


def _reaches_customer(server: frozenset[str], words: frozenset[str], leaves: Leaves) -> bool:
    """Returns whether a message goes to somebody outside by mail, post or telephone, or as the answer of a help desk."""
    if words & _MEDIA_VERBS and any(key in _MEDIUM_KEYS and str(value).lower() in _MEDIA for key, value in leaves):
        return True
    return bool(server & _HELP_DESKS and words & {"reply", "respond"} and "draft" not in words) and not _is_kept_inside(leaves)


def _is_kept_inside(leaves: Leaves) -> bool:
    """Returns whether an answer at a help desk is a note that customers do not see."""
    return any(
        (value is True and key in ("private", "internal", "isprivate", "isinternal", "draft"))
        or (value is False and key in ("public", "ispublic"))
        or str(value).lower() in ("note", "internal", "internal_note", "private", "draft")
        for key, value in leaves
    )


def sends_mail(server: str, names: Iterable[str], arguments: Mapping[str, object]) -> bool:
    """Returns whether a tool or a request with one of these names sends mail. Drafts, and mail that a catcher on this machine or
    a provider's sandbox keeps, reach nobody."""
    serves = frozenset(split_words(server))
    if serves & _MAIL_CATCHERS or is_on_this_machine(server):
        return False
    if serves & _SANDBOXED_SERVERS and any(map(chooses_sandbox, list_settings(arguments))):
        return False
    return any(_names_sending(frozenset(split_words(name)), serves) for name in names)


def chooses_sandbox(setting: Setting) -> bool:
    """Returns whether a setting such as `mail_settings.sandbox_mode.enable` is on."""
    names, value = setting
    return value is True and any(fold_key(name) in _SANDBOXES for name in names)


def pages_somebody(server: str, words: frozenset[str], leaves: Leaves) -> bool:
    """Returns whether a tool with these words in its name calls whoever is on duty."""
    is_made = words & {"create", "trigger", "declare", "page", "open"} and words & {"incident", "alert", "page", "responder"}
    calls = (split_words(str(value)) for key, value in leaves if key in ("target", "to", "recipient", "channel", "destination"))
    if words & {"post", "send", "notify", "page", "trigger"} and any({"pager", "oncall"} & set(each) for each in calls):
        return True
    is_low = any(key in ("urgency", "priority", "severity") and str(value).lower() in _LOW for key, value in leaves)
    return bool(is_made and _PAGERS.intersection(split_words(server)) and not is_low)


def _names_sending(words: frozenset[str], serves: frozenset[str]) -> bool:
    is_mail = words & _MAIL or (serves & _MAIL_SERVERS and words & _MAILED)
    return bool(is_mail and words & {"send", "reply", "forward"} and words.isdisjoint(_ABOUT_MAIL))


def _invites(leaves: Leaves) -> bool:
    """Returns whether those who are to attend get a mail about an event."""
    is_attended = any(key in ("email", "attendees", "attendee") and "@" in str(value) for key, value in leaves)
    return is_attended and notifies_everybody(leaves)


def sends_binding_document(words: frozenset[str], leaves: Leaves) -> bool:
    """Returns whether a tool with these words in its name sends a document that binds: a contract, an offer, a tax return."""
    is_sent = bool(words & {"send", "finalize", "finalise"}) or any(key == "status" and value == "sent" for key, value in leaves)
    if is_sent and not words.isdisjoint(_BINDING_DOCUMENTS):
        return True
    return not words.isdisjoint(("submit", "file")) and not words.isdisjoint(_DECLARATIONS)


def shares_result(words: frozenset[str], arguments: Mapping[str, object]) -> bool:
    """Returns whether a tool that is none for sending names somebody to whom the service sends its result."""
    addresses = (value for _, value in find_leaves(arguments) if isinstance(value, str) and "://" in value)
    if words.isdisjoint(_LOADING_WORDS) and any(find_destination(known_word(each)).kind == "drop" for each in addresses):
        return True
    if words & _EXPORTING_WORDS and any(_delivers(names, value) for names, value in list_settings(arguments)):
        return True
    return words.isdisjoint(_SENDING_WORDS) and any(
        isinstance(value, str) and _is_receiver(value) and any(fold_key(name) in _SHARING_KEYS for name in names)
        for names, value in list_settings(arguments)
    )


_EXPORTING_WORDS = frozenset("export dump extract deliver".split())
_HOST = re.compile(r"(?:sftp|ftps?|scp)://.+|(?=.*[a-z])[\w-]+(?:\.[\w-]+)+", re.IGNORECASE).fullmatch


_IS_REMOTE = re.compile(r"(?:sftp|ftps?|scp|https?)://", re.IGNORECASE).match


def _delivers(names: tuple[str, ...], value: object) -> bool:
    """Returns whether a setting names the machine to which an export goes: `deliver.host`."""
    is_destination = any(fold_key(name) in ("deliver", "delivery", "destination", "deliverto", "sendto") for name in names[:-1])
    if fold_key(names[-1]) in ("destination", "deliverto", "target") and isinstance(value, str) and _IS_REMOTE(value):
        return True
    is_host = is_destination and fold_key(names[-1]) in ("host", "hostname", "server", "url", "address")
    return is_host and isinstance(value, str) and ("://" in value or _HOST(value) is not None)


def _is_receiver(value: str) -> bool:
    """Returns whether a value is a mail address, a URL, or a channel in which many read: `slack:#general`."""
    if value.startswith(("slack:", "teams:", "discord:", "#")):
        return True
    return _ADDRESS.fullmatch(value.strip()) is not None or "://" in value
