"""Sending keys, tokens or password stores over the network.

A secret that left the machine has to be revoked everywhere. Programs that need one read it themselves.

Sources: credential places and every folder that contains one, private keys by name, secrets written in the call, variables named
after a secret, the output of credential printers, personal data of this machine's users, numbers that identify several people.
Sinks: any connection, whether the text is in its address, its body or its headers. A token passes in a request to a host of its
issuer, to this machine, or, where the issuer is unknown, in the header that authenticates the caller.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from toolgate.flows.destinations import Destination, find_destination, find_own_hosts
from toolgate.flows.issuers import belongs_to
from toolgate.flows.sources import Source, find_passwords_in_addresses, find_sources
from toolgate.model.decision import Match
from toolgate.model.effect import Connect
from toolgate.model.rule import RuleContext
from toolgate.model.word import known_word

_ADVICE = "leave them out, or let the user send them."


@dataclass(frozen=True, slots=True)
class Options:
    """`trusted`: hosts, or suffixes of host names, that may receive tokens of any issuer."""

    trusted: tuple[str, ...] = ()


def check(connection: Connect, options: Options, context: RuleContext) -> Iterator[Match]:
    carried = list(find_sources(context, connection.target, connection.sends, connection.shows))
    if not carried and not _carries_password(connection, context):
        return
    target = connection.target.display_text
    keys = [source for source in carried if source.label == "key"]
    if any(source.sure is True for source in keys):
        yield Match(connection, f"Sends secrets of this machine to {target}.", _ADVICE)
    elif any(source.label == "personal" for source in carried):
        yield Match(connection, f"Sends data about this machine's users to {target}.", _ADVICE)
    elif keys:
        yield Match(connection, f"May send secrets of this machine to {target}.", _ADVICE, None)
    destination = find_destination(connection.target, find_own_hosts(context.world, context.scene.cwd), options.trusted)
    if destination.kind not in ("foreign", "drop"):
        return
    if any(source.label == "people" for source in carried):
        yield Match(connection, f"Sends numbers that identify several people to {destination.host}.", _ADVICE)
    if _carries_password(connection, context):
        yield Match(connection, f"Sends an address with a password to {destination.host}.", _ADVICE)
    shown = [] if connection.shows is None else list(find_sources(context, connection.shows))
    sources = [source for source in find_sources(context, connection.target, connection.sends) if source.label == "token"]
    for source in (*sources, *(source for source in shown if source.label == "token" and source.issuer)):
        if _is_foreign_token(source, destination, in_header=source not in sources):
            yield Match(
                connection,
                f"Sends {source.what} to {destination.host}, which is not its issuer.",
                instead="send it only to the service that issued it.",
            )
            return


def _carries_password(connection: Connect, context: RuleContext) -> bool:
    """Returns whether the body or the query of a request holds an address with a password: that of a database, for example."""
    _, _, query = connection.target.outline.partition("?")
    texts = [known_word(unquote(query)), *((connection.sends,) if connection.sends is not None else ())]
    return any(True for text in texts for _ in find_passwords_in_addresses(text, context))


def _is_foreign_token(source: Source, destination: Destination, *, in_header: bool) -> bool:
    """Returns whether the token goes to a host that is not its issuer's. A variable's name is a guess: it counts only with a
    known issuer."""
    if source.issuer:
        return not belongs_to(source.issuer, destination.host)
    return not in_header and not source.what.startswith("$")
