"""Sending the project's source, an archive, a dump or a state to a place that it does not work with.

Sent data cannot be recalled. The project's remotes as they were before the call, the well-known forges and registries, this
machine and private networks pass; `trusted` names further hosts.

Sources: a tree of the project, archives, dumps, bundles, states. Sinks: any connection that sends them, and `git push` to an
address that is none of the remotes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.destinations import find_destination, find_own_hosts, find_remotes
from toolgate.flows.sources import find_sources
from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Operation
from toolgate.model.rule import RuleContext
from toolgate.model.word import Word
from toolgate.model.world import GitState

_UNKNOWN_KINDS = ("foreign", "drop")


@dataclass(frozen=True, slots=True)
class Options:
    """`trusted`: hosts, or suffixes of host names, that may receive the project's source and data."""

    trusted: tuple[str, ...] = ()


def check(effect: Connect | Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation):
        yield from _check_push(effect, options, context)
        return
    if effect.sends is None:
        return
    if find_destination(effect.target, trusted=options.trusted).kind not in _UNKNOWN_KINDS:
        return
    bulk = next((source for source in find_sources(context, effect.sends) if source.label == "bulk"), None)
    if bulk is None:
        return
    destination = find_destination(effect.target, find_own_hosts(context.world, context.scene.cwd), options.trusted)
    if destination.kind in _UNKNOWN_KINDS:
        yield Match(effect, f"Sends {bulk.what} to {destination.host}, which is none of the project's places.")


def _check_push(push: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    """Matches a push to an address, or to a remote that this call has set."""
    if push.target is None:
        return
    state = context.world.git(context.scene.cwd)
    remotes = find_remotes(context.world, state.root) if isinstance(state, GitState) else ()
    for address in _iter_push_addresses(push.target, context):
        own = find_own_hosts(context.world, context.scene.cwd)
        destination = find_destination(address, own, options.trusted)
        if address.text not in remotes and destination.kind in _UNKNOWN_KINDS:
            yield Match(push, f"Pushes to {address.display_text}, which is none of the project's remotes.")
            return


def _iter_push_addresses(remote: Word, context: RuleContext) -> Iterator[Word]:
    text = remote.text or ""
    if "://" in text or "@" in text or ":" in text:
        yield remote
    for operation in context.effects.of_kind(Operation):
        if operation.name == "git.remote" and operation.target is not None and operation.target.partition(" ")[0].text == text:
            yield operation.target.partition(" ")[2]
