"""Sending the whole environment, secrets that a vault or a provider printed, or the clipboard over the network.

Environment variables hold tokens and passwords as often as settings; so do the clipboard and the screen. Send the one value that
is needed, by name; a token belongs in the header that authenticates the caller.

A variable such as `OPENAI_BASE_URL` leads a client, with its token, to another server: a foreign one is asked about.

Sources: all variables, variables that are named after a secret of a known issuer, the output of a credential printer, the
clipboard, the screen, a camera, a microphone. Sinks: the address and the body of a request. A request to a host of the token's
issuer, or to this machine, passes.
"""

import re
from collections.abc import Iterator

from toolgate.flows.destinations import find_destination
from toolgate.flows.issuers import belongs_to, is_of_any_issuer, issuer_of_name, may_run_anywhere
from toolgate.flows.sources import Source, find_sources
from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Environment
from toolgate.model.rule import RuleContext


def check(effect: Connect | Environment, _options: None, context: RuleContext) -> Iterator[Match]:
    yield from _check_redirect(effect) if isinstance(effect, Environment) else _check_connection(effect, context)


def _check_redirect(change: Environment) -> Iterator[Match]:
    """Matches a variable that leads an issuer's client, and the token that it sends, to a foreign host."""
    issuer = issuer_of_name(change.name)
    if not issuer or not _NAMES_SERVER(change.name) or may_run_anywhere(issuer):
        return
    destination = find_destination(change.value)
    if destination.kind in ("foreign", "drop") and not is_of_any_issuer(destination.host):
        message = f"Sets {change.name} to {destination.host}, to which clients then send the token of {issuer}."
        yield Match(change, message, "let the user choose the server.")


_NAMES_SERVER = re.compile(
    r"[A-Z]+_(?:\w+_)?(?:BASE|BASE_URL|API_BASE|API_URL|ENDPOINT|ENDPOINT_URL|API_HOST|HOST)(?:_\w+)?"
).fullmatch


def _check_connection(connection: Connect, context: RuleContext) -> Iterator[Match]:
    target = connection.target
    destination = find_destination(target)
    everything = list(find_sources(context, target, connection.sends, connection.shows))
    if any(source.label == "environment" for source in everything):
        where = target.display_text if target.text is not None else destination.host or "another host"
        message = f"Sends the whole environment to {where}."
        yield Match(connection, message, "send only the variables that are needed there.")
        return
    if destination.kind == "loopback":
        return
    if destination.kind != "near" and (recorded := next((each for each in everything if each.label == "recording"), None)):
        yield Match(connection, f"Sends {recorded.what} to {target.display_text}.", "let the user send it.")
        return

    def is_elsewhere(source: Source) -> bool:
        return source.label == "token" and not (source.issuer and belongs_to(source.issuer, destination.host))

    for source in find_sources(context, target if target.contains("?") is True else None):
        if is_elsewhere(source) and _is_certain_secret(source):
            message = f"Puts {source.what} into an address at {destination.host or target.head}, which servers on the way log."
            yield Match(connection, message, "let the service's own client send it.")
            return
    for source in find_sources(context, connection.sends):
        if is_elsewhere(source) and _is_certain_secret(source):
            message = f"Sends {source.what} to {target.display_text}, in a message."
            yield Match(connection, message, "leave it out, or let the service's own client send it.")
            return


def _is_certain_secret(source: Source) -> bool:
    """Returns whether more than a variable's name marks the secret: `$MAPS_API_KEY` of no known issuer is often part of an
    address."""
    return bool(source.issuer) or not source.what.startswith("$")
