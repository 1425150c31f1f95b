"""Sending the project's source or data, or the user's own files, to a place that the project does not work with.

Sent data cannot be recalled. The project's remotes as they were before the call, the well-known forges and registries, this
machine and private networks pass; `trusted` names further hosts.

Sources: a tree of the project, archives, dumps, bundles, states, tables of records, rows that a database client prints or code
selects, the machine's log, and the user's files outside the project: in the home folder, on other disks, under `/var`. Where
anybody can read, also the logs of services, and any file of the project but READMEs, specimens and build results. Sinks: any
connection that sends them, and `git push` to an address that is none of the remotes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.destinations import find_destination, find_own_hosts, find_remotes
from toolgate.flows.sources import Label, find_sources
from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Operation, Run
from toolgate.model.rule import RuleContext
from toolgate.model.word import Word
from toolgate.model.world import GitState

_LABELS_BY_KIND: dict[str, tuple[Label, ...]] = {
    "foreign": ("bulk", "dump", "own"),
    "drop": ("bulk", "dump", "own", "file"),
}
"""What is asked about, by the kind of the destination. Anybody reads what is dropped at a public service."""
_DATABASE = re.compile(r"(?:postgres|postgresql|mysql|mariadb|mongodb|clickhouse|cockroachdb)://")
_UNKNOWN_KINDS = tuple(_LABELS_BY_KIND)


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
    labels = _LABELS_BY_KIND.get(find_destination(effect.target, trusted=options.trusted).kind, ())
    if not labels:
        return
    if _DATABASE.match(effect.target.head):  # it is given statements all day: only a whole other database is news
        labels = tuple(label for label in labels if label == "dump")
    source = next((source for source in find_sources(context, effect.sends) if source.label in labels), None)
    if source is None:
        return
    destination = find_destination(effect.target, find_own_hosts(context.world, context.scene.cwd), options.trusted)
    if destination.kind in _UNKNOWN_KINDS:
        data = f"data of the {'user' if source.label == 'own' else 'project'} ({source.what})"
        message = f"Sends {data} to {destination.host}, which the project does not use otherwise."
        yield Match(effect, message, "ask the user whether it may go there.")


def _check_push(push: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    """Matches a push to an address, or to a remote that this call has set."""
    if push.target is None:
        return
    state = context.world.git(context.scene.cwd)
    remotes = find_remotes(context.world, state.root) if isinstance(state, GitState) else ()
    if remotes and _is_another_repository(push.target, remotes, options.trusted):
        message = f"Pushes to {push.target.display_text}, another repository than the project's remotes."
        yield Match(push, message, "push to a remote of the project, or let the user add this one.")
        return
    for address in _iter_push_addresses(push.target, context):
        own = find_own_hosts(context.world, context.scene.cwd)
        destination = find_destination(address, own, options.trusted)
        is_foreign = destination.kind in _UNKNOWN_KINDS or (
            bool(remotes) and not _is_fork(address, remotes) and _is_another_repository(address, remotes, options.trusted)
        )
        if address.text not in remotes and (is_foreign or (not remotes and _is_copied_elsewhere(push, context))):
            message = f"Pushes to {address.display_text}, which is not one of the project's remotes."
            yield Match(push, message, "push to a remote of the project, or let the user add this one.")
            return


def _is_copied_elsewhere(push: Operation, context: RuleContext) -> bool:
    """Returns whether all branches go to a remote that is not named as a project's first one is."""
    texts = {word.text for run in context.effects.of_kind(Run) if run.origin.command == push.origin.command for word in run.argv}
    return not texts.isdisjoint(("--all", "--mirror")) and push.target is not None and push.target.text not in _FIRST_REMOTES


_FIRST_REMOTES = ("origin", "upstream")
_REPOSITORY = re.compile(r"(?:[a-z+]+://(?:[^@/]*@)?|[^@/:]+@)(?P<host>[\w.-]+)(?::\d+)?[/:](?P<path>[\w./~-]+?)(?:\.git)?/?")


def _is_another_repository(address: Word, remotes: tuple[str, ...], trusted: tuple[str, ...]) -> bool:
    """Returns whether an address names a repository of a forge that is none of the project's."""
    found = _REPOSITORY.fullmatch(address.text or "")
    if found is None or find_destination(address).kind in ("loopback", "near"):
        return False
    if any(found["host"] == host or found["host"].endswith(f".{host}") for host in trusted):
        return False
    return all((own := _REPOSITORY.fullmatch(each)) is None or own.groups() != found.groups() for each in remotes)


def _is_fork(address: Word, remotes: tuple[str, ...]) -> bool:
    """Returns whether an address names a repository of the same name at the same forge as one of the project's."""
    found = _REPOSITORY.fullmatch(address.text or "")
    own = [match for each in remotes if (match := _REPOSITORY.fullmatch(each)) is not None]
    return found is not None and any(
        found["host"] == each["host"] and found["path"].rpartition("/")[2] == each["path"].rpartition("/")[2] for each in own
    )


def _iter_push_addresses(remote: Word, context: RuleContext) -> Iterator[Word]:
    text = remote.text or ""
    if "://" in text or "@" in text or ":" in text:
        yield remote
    for operation in context.effects.of_kind(Operation):
        if operation.name == "git.remote" and operation.target is not None and operation.target.partition(" ")[0].text == text:
            yield operation.target.partition(" ")[2]
