"""Contacting a machine on the internet by its address.

What is fetched there is in no plan, and what is sent there cannot be recalled. Off by default; the profile for experiments denies
it. The project's own remotes, this machine, private networks and the machines that the plan names (`hosts`) pass; `trusted` names
further hosts. Packages that an installer fetches from its registry are not addresses in the call.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.destinations import find_destination, find_remotes, matches_domain
from toolgate.model.decision import Match
from toolgate.model.effect import Connect
from toolgate.model.glob import name_matches
from toolgate.model.rule import RuleContext
from toolgate.model.world import GitState


@dataclass(frozen=True, slots=True)
class Options:
    """`trusted`: hosts, or suffixes of host names, that may be contacted."""

    trusted: tuple[str, ...] = ()


def check(connection: Connect, options: Options, context: RuleContext) -> Iterator[Match]:
    target = connection.target
    destination = find_destination(target, trusted=options.trusted)
    if connection.listens or destination.kind in ("loopback", "near") or _is_trusted(destination.host, options, context):
        return
    state = context.world.git(context.scene.cwd)
    if isinstance(state, GitState) and target.text in find_remotes(context.world, state.root):
        return
    yield Match(
        connection,
        f"Contacts {connection.target.display_text}, a machine on the internet.",
        instead="work with the files that are here, or let the user fetch what is needed.",
        sure=None if destination.kind == "unknown" else True,
    )


def _is_trusted(host: str, options: Options, context: RuleContext) -> bool:
    """Returns whether the policy or the plan names the host."""
    if matches_domain(host, options.trusted):
        return True
    planned = context.plan.hosts if context.plan is not None else None
    return planned is not None and any(name_matches(each, host) for each in planned)
