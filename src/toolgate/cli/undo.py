"""`toolgate undo`: restores what a call deleted or overwrote. For people."""

import json
import math
import time
from collections.abc import Iterator
from dataclasses import replace

import click

from toolgate.app import scene_here
from toolgate.machine.environment import folders
from toolgate.machine.world import Machine
from toolgate.policy import load
from toolgate.sessions.protecting import protection
from toolgate.undo.calls import folder_of, id_of
from toolgate.undo.comparing import Change, compare
from toolgate.undo.entry import Entry
from toolgate.undo.restoring import keep_present, restore
from toolgate.undo.vault import DAY, NotKept, Vault

from .approve import ago, clean
from .person import demand_a_person, demand_the_number
from .surroundings import AS_JSON, Surroundings, surroundings

_SHOWN = 20
_BY_PERSON = "toolgate undo"


@click.command(
    epilog="""\b
Examples:
  toolgate undo list
  toolgate undo show 3f9c2a71d0b4     what it holds, and how that differs from what is there
  toolgate undo 3f9c2a71d0b4          give it back
  toolgate undo last
  toolgate undo --expire              delete the copies that are older than [undo] keep_days
  toolgate undo --expire --all        delete them all
"""
)
@click.argument("words", nargs=-1, metavar="list | show ID | ID")
@click.option("--force", is_flag=True, help="Also overwrite newer work, after keeping a copy of it.")
@click.option("--expire", is_flag=True, help="Delete the copies that have expired.")
@click.option("--all", "every", is_flag=True, help="With --expire: delete every copy.")
@AS_JSON
def undo(words: tuple[str, ...], force: bool, expire: bool, every: bool, as_json: bool) -> int:
    """Restore what a call deleted or overwrote.

    Shows what would change, asks for a number, and keeps a copy of what is there now, so that the restoration can be undone.
    Only for a person on a terminal of their own.
    """
    here = surroundings()
    vault = Vault(folder_of(folders(here.environ, here.home).state))
    match words:
        case () if expire:
            return _expire(here, vault, every=every)
        case () | ("list",) if not expire:
            return _list(vault, as_json)
        case ("show", id_) if not expire:
            return _show(here, vault, id_, as_json)
        case (id_,) if not expire:
            return _give_back(here, vault, id_, force=force)
    raise click.UsageError("say one of: list, show ID, ID, --expire")


def _expire(here: Surroundings, vault: Vault, *, every: bool) -> int:
    demand_a_person(here, "delete copies")
    if every:
        demand_the_number("delete every copy")
    keep_days = load(here.environ, here.home, here.project).undo_limits.keep_days
    click.echo(f"{vault.expire(math.inf if every else time.time() - keep_days * DAY):,} copies deleted")
    return 0


def _list(vault: Vault, as_json: bool) -> int:
    entries = sorted(_entries(vault), key=lambda each: each.at, reverse=True)
    if as_json:
        click.echo(json.dumps([_public(each) for each in entries]))
        return 0
    for each in entries:
        operation = clean(" ".join(each.operation.split()))[:80]
        click.echo(f"{each.id}  {ago(time.time() - each.at):>10} ago  {each.described:>20}  {operation}")
    if not entries:
        click.echo("no copy is kept")
    return 0


def _entries(vault: Vault) -> Iterator[Entry]:
    for id_ in vault.ids():
        try:
            yield vault.load(id_)
        except (OSError, ValueError) as problem:
            click.echo(f"{id_}: {problem}", err=True)


def _public(entry: Entry) -> dict[str, object]:
    names = ("id", "at", "host", "session", "project", "operation", "roots", "files", "size")
    return {**{name: getattr(entry, name) for name in names}, "left_out": [each._asdict() for each in entry.left_out]}


def _show(here: Surroundings, vault: Vault, id_: str, as_json: bool) -> int:
    entry = _entry(vault, id_)
    changes = _changes(here, vault, entry)
    if as_json:
        rows = [{"act": each.act, "path": each.item.path, "newer": each.newer, "refused": each.refused} for each in changes]
        click.echo(json.dumps({**_public(entry), "changes": rows}))
        return 0
    _describe(entry)
    _summarize(changes)
    return 0


def _describe(entry: Entry) -> None:
    click.secho(f"{entry.id}: {entry.described}", bold=True)
    for line in entry.operation.splitlines() or [""]:
        click.echo(f"    {clean(line)}")
    who = f"{entry.host}, session {clean(entry.session)}"
    click.echo(f"  kept {ago(time.time() - entry.at)} ago, in {clean(entry.project)}; {who}")
    for each in entry.left_out[:_SHOWN]:
        click.echo(f"  not kept: {clean(each.path)}: {each.why}")


_ACTS = {"create": "comes back", "replace": "becomes as it was", "remove": "goes", "modes": "gets its mode or time back"}


def _summarize(changes: tuple[Change, ...]) -> None:
    if not changes:
        click.echo("  everything is as it was then")
    for each in changes[:_SHOWN]:
        newer = "  (newer work)" if each.newer else ""
        does = f"stays as it is: {each.refused}" if each.refused else _ACTS[each.act]
        click.echo(f"  {clean(each.item.path)}: {does}{newer}")
    if len(changes) > _SHOWN:
        click.echo(f"  and {len(changes) - _SHOWN:,} more")


def _entry(vault: Vault, id_: str) -> Entry:
    """Returns the copy whose id begins so; `last` is the newest copy of an agent's call."""
    if id_ == "last":
        made = [each for each in _entries(vault) if each.host != _BY_PERSON]
        if made:
            return max(made, key=lambda each: each.at)
    found = [each for each in vault.ids() if each.startswith(id_)]
    if len(found) != 1:
        raise click.ClickException(f"there is {'more than one' if found else 'no'} copy {clean(id_)}; see: toolgate undo list")
    try:
        return vault.load(found[0])
    except (OSError, ValueError) as problem:
        raise click.ClickException(f"the copy {found[0]} cannot be read: {problem}") from problem


def _changes(here: Surroundings, vault: Vault, entry: Entry) -> tuple[Change, ...]:
    protects = protection(scene_here(here.project, here.home, dict(here.environ), entry.project), Machine())
    try:
        return compare(entry, vault, protects)
    except OSError as problem:
        raise click.ClickException(f"what is there now cannot be read: {problem}") from problem


def _give_back(here: Surroundings, vault: Vault, id_: str, *, force: bool) -> int:
    demand_a_person(here, "give anything back")
    entry = _entry(vault, id_)
    _describe(entry)
    changes = _changes(here, vault, entry)
    _summarize(changes)
    todo = tuple(each for each in changes if not each.refused)
    if not todo:
        return 0
    if any(each.newer for each in todo) and not force:
        raise click.ClickException("newer work would be overwritten; with --force it is kept first, and can be given back")
    demand_the_number("give it back")
    policy = load(here.environ, here.home, here.project)
    protects = protection(scene_here(here.project, here.home, dict(here.environ), entry.project), Machine())
    now = time.time()
    before = replace(
        entry,
        id=id_of("", entry.id, now, ""),
        at=now,
        host=_BY_PERSON,
        operation=f"toolgate undo {entry.id}",
        exact=(),
        worktrees=(),
    )
    try:
        kept = keep_present(before, todo, vault, protects, policy.undo_limits)
        restore(entry, todo, vault)
    except NotKept as problem:
        raise click.ClickException(f"nothing was changed: {problem}") from problem
    except OSError as problem:
        raise click.ClickException(f"not everything could be given back: {problem}; the copy is still whole") from problem
    vault.finish(kept.id)
    click.echo(f"given back; to undo that: toolgate undo {kept.id}")
    return 0
