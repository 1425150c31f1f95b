"""`toolgate approvals`: lists requests, their answers, and approvals in force."""

import json
import time
from dataclasses import asdict

import click

from toolgate.consent.grants import describe_clause
from toolgate.model.state import Store
from toolgate.sessions.answering import give, lasting, listed, revoke

from .approve import ago, clean, show
from .person import demand_a_person
from .surroundings import AS_JSON, store_here, surroundings


@click.group(
    invoke_without_command=True,
    epilog="""\b
Examples:
  toolgate approvals
  toolgate approvals --all --json
""",
)
@click.option("--all", "every", is_flag=True, help="Also list denied, expired, withdrawn and used-up requests.")
@AS_JSON
@click.pass_context
def approvals(context: click.Context, every: bool, as_json: bool) -> None:
    """List requests that wait for an answer, and approvals in force."""
    if context.invoked_subcommand is not None:
        return
    store, now = store_here(surroundings()), time.time()
    waiting = [each for each in listed(store, now) if every or each.state == "pending"]
    good = list(lasting(store, now))
    if as_json:
        rows = [{"id": each.request.id, "state": each.state, **_public(asdict(each.request))} for each in waiting]
        held = [{"id": id_, "scope": scope._asdict(), **asdict(answer)} for scope, id_, answer in good]
        click.echo(json.dumps({"requests": rows, "approved": held}))
        return
    for each in waiting:
        line = clean(" ".join(each.request.shown.split()))[:100]
        click.echo(f"{each.request.id}  {each.state:9} {ago(now - each.request.at):>10} ago  {each.request.tool}: {line}")
    for scope, id_, answer in good:
        uses = "once" if answer.uses == 1 else f"this {scope.kind}"
        line = clean(" ".join(answer.shown.split()))[:80]
        click.echo(f"{id_}  holds {ago(answer.until - now)} more, {uses}, by {answer.by} ({answer.how}): {line}")
        for text in (text for clause in answer.clauses for text in describe_clause(clause)):
            click.echo(f"    without the host's question: {clean(text)}")
        for rule, does, what in answer.alike:
            click.echo(f"    and what {rule} alone stops: {does} {clean(what)}")
    if not waiting and not good:
        click.echo("nothing waits for an answer, and nothing is approved")


def _public(request: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in request.items() if key not in ("code", "id")}


@approvals.command(name="show", epilog="\b\nExample:\n  toolgate approvals show 1f0c9a7e35d2b486")
@click.argument("id_", metavar="ID")
def show_(id_: str) -> int:
    """Show one request in full."""
    found = [each for each in listed(store_here(surroundings()), time.time()) if each.request.id == id_]
    for each in found:
        show(each)
    return 0 if found else _unknown(id_)


@approvals.command(epilog="\b\nExample:\n  toolgate approvals deny 1f0c9a7e35d2b486")
@click.argument("id_", metavar="ID")
def deny(id_: str) -> int:
    """Deny a request that waits for an answer."""
    store = _persons_store("deny a request")
    for each in listed(store, time.time()):
        if each.request.id == id_ and give(store, each.request, yes=False, reach="once", now=time.time(), how="terminal"):
            click.echo("denied")
            return 0
    return _unknown(id_)


@approvals.command(name="revoke", epilog="\b\nExample:\n  toolgate approvals revoke 1f0c9a7e35d2b486")
@click.argument("id_", metavar="ID")
def revoke_(id_: str) -> int:
    """Revoke an approval."""
    store = _persons_store("revoke an approval")
    now = time.time()
    for scope, found, _answer in lasting(store, now):
        if found == id_ and revoke(store, scope, id_, now):
            click.echo("revoked")
            return 0
    return _unknown(id_)


def _persons_store(what: str) -> Store:
    here = surroundings()
    demand_a_person(here, what)
    return store_here(here)


def _unknown(id_: str) -> int:
    click.echo(f"there is no {id_}; see: toolgate approvals", err=True)
    return 1
