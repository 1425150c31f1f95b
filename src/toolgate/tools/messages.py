"""Messages that a tool sends to very many people, and those that bind whoever sends them.

A single message to a colleague is daily work. A campaign, a mention of everybody, a text message to a list, a contract for
signature are not: nobody can take them back.
"""

import re

from toolgate.flows.mailing_lists import addresses_everybody, names_list_of_people

from .argument_acts import Leaves

_MESSAGES = frozenset(
    "message messages messaging sms email emails mail mails notification notifications push chat conversation "
    "conversations comment text texts outbound whatsapp event events invite invitation meeting".split()
)
_MASSES = frozenset("batch bulk mass campaign broadcast newsletter marketing blast everyone outbound sequence drip".split())
_STARTING_VERBS = frozenset(
    "create send schedule submit trigger add start launch publish enroll post reply notify update resume call".split()
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
_ADDRESS = re.compile(r"[^\s<>,;@]+@[\w-]+(?:\.[\w-]+)+")
_SENDING_WORDS = frozenset("send email mail share forward reply post message invite draft compose contact event".split())
_SHARING_KEYS = frozenset("sharewith shareto emailto sendto deliverto mailto emailresultsto sharedwith".split())


def addresses_many(server: frozenset[str], words: frozenset[str], leaves: Leaves) -> bool:
    """Returns whether a tool with these words in its name sends messages to a list of people, or mentions everybody."""
    if words.isdisjoint(_STARTING_VERBS | {"originate", "dial"}):
        return False
    if any(key in _TELEPHONE_KEYS and isinstance(value, str) and _TELEPHONE(value) for key, value in leaves):
        return True  # a text or a call to somebody outside
    if (words | server) & _TELEPHONE_SERVICES and any(
        key in _TELEPHONE_KEYS and _NUMBER_OF_UNKNOWN(str(value)) for key, value in leaves
    ):
        return True
    if words & {"originate", "dial", "robocall"} and words & _MASSES:
        return True
    if words & (_SERIES | {"enroll"}) and words & (_PEOPLE | {"list"}):
        return True
    if words & _CAMPAIGNS and words & _LAUNCHING_VERBS:
        return True
    if {"single", "send"} <= words or {"single", "sends"} <= words:
        return True  # SendGrid's name for a campaign
    if words.isdisjoint(_MESSAGES):
        return False
    if words & _MASSES or any(key.endswith(_AUDIENCES) and str(value).lower().startswith("all") for key, value in leaves):
        return True
    return any(isinstance(value, str) and (addresses_everybody(value) or names_list_of_people(value)) for _, value in leaves)


def sends_binding_document(words: frozenset[str], leaves: Leaves) -> bool:
    """Returns whether a tool with these words in its name sends a document that binds: a contract, an offer, a tax return."""
    is_sent = "send" in words or any(key == "status" and value == "sent" for key, value in leaves)
    if is_sent and not words.isdisjoint(_BINDING_DOCUMENTS):
        return True
    return not words.isdisjoint(("submit", "file")) and not words.isdisjoint(_DECLARATIONS)


def shares_result(words: frozenset[str], leaves: Leaves) -> bool:
    """Returns whether a tool that is none for sending names somebody to whom the service sends its result."""
    return words.isdisjoint(_SENDING_WORDS) and any(
        key in _SHARING_KEYS and isinstance(value, str) and _ADDRESS.fullmatch(value.strip()) for key, value in leaves
    )
