"""`toolgate undo`: restores what a call deleted or overwrote. For people."""

import json
import math
import time
from collections.abc import Iterator
from dataclasses import replace

import click

from toolgate.app import local_scene
from toolgate.machine.environment import find_folders
from toolgate.machine.world import MachineWorld
from toolgate.policy import load
from toolgate.sessions.undo_protection import build_protection
from toolgate.undo.calls import build_id, store_folder
from toolgate.undo.comparison import Change, compare
from toolgate.undo.entry import Entry
from toolgate.undo.restoration import keep_present, restore
from toolgate.undo.vault import DAY_SECONDS, NotKept, Vault

from .approve import format_duration, replace_control_characters
from .person import demand_person, demand_shown_number
from .surroundings import AS_JSON, Surroundings, read_surroundings

_MAX_SHOWN = 20
_PERSON_HOST = "toolgate undo"


@click.command(
    epilog="""\b
Examples:
  toolgate undo list
  toolgate undo show 3f9c2a71d0b4   compare it with what is there
  toolgate undo 3f9c2a71d0b4        restore it
  toolgate undo last
  toolgate undo --expire            delete what is older than keep_days
  toolgate undo --expire --all      delete them all
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
    surroundings = read_surroundings()
    vault = Vault(store_folder(find_folders(surroundings.environ, surroundings.home).state))
    match words:
        case () if expire:
            return _expire_copies(surroundings, vault, every=every)
        case () | ("list",) if not expire:
            return _list_copies(vault, as_json)
        case ("show", id_) if not expire:
            return _show_copy(surroundings, vault, id_, as_json)
        case (id_,) if not expire:
            return _restore_copy(surroundings, vault, id_, force=force)
    raise click.UsageError("say one of: list, show ID, ID, --expire")


def _expire_copies(surroundings: Surroundings, vault: Vault, *, every: bool) -> int:
    demand_person(surroundings, "delete copies")
    if every:
        demand_shown_number("delete every copy")
    keep_days = load(surroundings.environ, surroundings.home, surroundings.project).undo_limits.keep_days
    click.echo(f"{vault.delete_older(math.inf if every else time.time() - keep_days * DAY_SECONDS):,} copies deleted")
    return 0


def _list_copies(vault: Vault, as_json: bool) -> int:
    entries = sorted(_iter_entries(vault), key=lambda each: each.at, reverse=True)
    if as_json:
        click.echo(json.dumps([_public_fields(each) for each in entries]))
        return 0
    for each in entries:
        operation = replace_control_characters(" ".join(each.operation.split()))
        click.echo(f"{each.id}  {format_duration(time.time() - each.at):>10} ago  {each.summary:>20}  {operation}")
    if not entries:
        click.echo("no copy is kept")
    return 0


def _iter_entries(vault: Vault) -> Iterator[Entry]:
    for id_ in vault.list_ids():
        try:
            yield vault.load_entry(id_)
        except (OSError, ValueError) as problem:
            click.echo(f"{id_}: {problem}", err=True)


def _public_fields(entry: Entry) -> dict[str, object]:
    names = ("id", "at", "host", "session", "project", "operation", "roots", "files", "size")
    return {**{name: getattr(entry, name) for name in names}, "left_out": [each._asdict() for each in entry.left_out]}


def _show_copy(surroundings: Surroundings, vault: Vault, id_: str, as_json: bool) -> int:
    entry = _find_entry(vault, id_)
    changes = _compare_entry(surroundings, vault, entry)
    if as_json:
        rows = [{"act": each.act, "path": each.item.path, "newer": each.newer, "refused": each.refused} for each in changes]
        click.echo(json.dumps({**_public_fields(entry), "changes": rows}))
        return 0
    _print_entry(entry)
    _print_changes(changes)
    return 0


def _print_entry(entry: Entry) -> None:
    click.secho(f"{entry.id}: {entry.summary}", bold=True)
    for line in entry.operation.splitlines() or [""]:
        click.echo(f"    {replace_control_characters(line)}")
    who = f"{entry.host}, session {replace_control_characters(entry.session)}"
    click.echo(f"  kept {format_duration(time.time() - entry.at)} ago, in {replace_control_characters(entry.project)}; {who}")
    for each in entry.left_out[:_MAX_SHOWN]:
        click.echo(f"  not kept: {replace_control_characters(each.path)}: {each.why}")


_ACT_TEXTS = {"create": "comes back", "replace": "becomes as it was", "remove": "goes", "modes": "gets its mode or time back"}


def _print_changes(changes: tuple[Change, ...]) -> None:
    if not changes:
        click.echo("  everything is as it was then")
    for each in changes[:_MAX_SHOWN]:
        newer = "  (newer work)" if each.newer else ""
        does = f"stays as it is: {each.refused}" if each.refused else _ACT_TEXTS[each.act]
        click.echo(f"  {replace_control_characters(each.item.path)}: {does}{newer}")
    if len(changes) > _MAX_SHOWN:
        click.echo(f"  and {len(changes) - _MAX_SHOWN:,} more")


def _find_entry(vault: Vault, id_: str) -> Entry:
    """Returns the copy whose id begins so; `last` is the newest copy of an agent's call."""
    if id_ == "last":
        made = [each for each in _iter_entries(vault) if each.host != _PERSON_HOST]
        if made:
            return max(made, key=lambda each: each.at)
    found = [each for each in vault.list_ids() if each.startswith(id_)]
    if len(found) != 1:
        raise click.ClickException(
            f"there is {'more than one' if found else 'no'} copy {replace_control_characters(id_)}; see: toolgate undo list"
        )
    try:
        return vault.load_entry(found[0])
    except (OSError, ValueError) as problem:
        raise click.ClickException(f"the copy {found[0]} cannot be read: {problem}") from problem


def _compare_entry(surroundings: Surroundings, vault: Vault, entry: Entry) -> tuple[Change, ...]:
    protects = build_protection(
        local_scene(surroundings.project, surroundings.home, dict(surroundings.environ), entry.project), MachineWorld()
    )
    try:
        return compare(entry, vault, protects)
    except OSError as problem:
        raise click.ClickException(f"the present files cannot be read: {problem}") from problem


def _restore_copy(surroundings: Surroundings, vault: Vault, id_: str, *, force: bool) -> int:
    demand_person(surroundings, "give anything back")
    entry = _find_entry(vault, id_)
    _print_entry(entry)
    changes = _compare_entry(surroundings, vault, entry)
    _print_changes(changes)
    todo = tuple(each for each in changes if not each.refused)
    if not todo:
        return 0
    if any(each.newer for each in todo) and not force:
        raise click.ClickException("newer work would be overwritten; with --force it is kept first, and can be given back")
    demand_shown_number("restore it")
    policy = load(surroundings.environ, surroundings.home, surroundings.project)
    protects = build_protection(
        local_scene(surroundings.project, surroundings.home, dict(surroundings.environ), entry.project), MachineWorld()
    )
    now = time.time()
    before = replace(
        entry,
        id=build_id("", entry.id, now, ""),
        at=now,
        host=_PERSON_HOST,
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
    vault.finish_copy(kept.id)
    click.echo(f"given back; to undo that: toolgate undo {kept.id}")
    return 0
