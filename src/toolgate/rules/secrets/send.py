"""Putting a secret where others read it: a message, an issue, a search, a commit, another agent's task.

Everyone who reads there has it, and it stays in the history. Name the secret, and let those who need it look it up.

Sources: secrets written in the call, variables named after a secret of a known issuer, credential places, the environment, the
output of a credential printer, passwords in addresses, numbers that identify several people; in attachments also the user's own
files. Sinks: arguments of tools that no table describes, search engines, other agents, messages of commits and tags, issues and
releases. A server that may keep its data on this machine asks; a sink that surely leaves it is denied.
"""

from collections.abc import Iterator

from toolgate.flows.sources import find_passwords_in_addresses, find_sources
from toolgate.model.decision import Match
from toolgate.model.effect import Send
from toolgate.model.rule import RuleContext
from toolgate.model.word import Word

_REMOTE_SERVICES = frozenset(
    "github gitlab bitbucket gitea slack discord teams telegram whatsapp twitter linear jira atlassian confluence notion "
    "asana trello monday clickup "
    "gmail mail email outlook sendgrid mailgun twilio intercom zendesk hubspot salesforce sentry pastebin gist figma google "
    "drive gdrive".split()
)
"""Words in the names of servers that send data to a remote service."""

_HARMLESS_LABELS = ("bulk", "dump", "own", "file", "personal")


def check(send: Send, _options: None, context: RuleContext) -> Iterator[Match]:
    is_away = send.sink not in ("message", "attachment") or _is_remote_service(send.to)
    passwords = find_passwords_in_addresses(send.text, context) if is_away else ()
    for source in (*find_sources(context, send.text), *passwords):
        is_attached = send.sink == "attachment" and source.label in ("own", "dump")
        if (source.label in _HARMLESS_LABELS and not is_attached) or (source.what.startswith("$") and not source.issuer):
            continue
        to = send.to.display_text
        if is_attached and not is_away:
            continue
        is_certain = (source.is_literal and source.label != "people") or source.label == "key"
        yield Match(
            send,
            f"Puts {source.what} where others can read it: {to}.",
            instead="name the secret, and let those who need it look it up.",
            sure=source.sure if is_away and is_certain and send.sink != "agent" else None,
        )
        return


def _is_remote_service(server: Word) -> bool:
    return not _REMOTE_SERVICES.isdisjoint(server.outline.lower().replace("_", "-").split("-"))
