"""`toolgate approvals`: lists requests, their answers, and approvals in force."""

import json
import time
from dataclasses import asdict

import click

from toolgate.consent.grants import describe_clause
from toolgate.model.store import Store
from toolgate.sessions.approval_answers import iter_requests, iter_valid_approvals, revoke_approval, store_answer

from .approve import format_duration, replace_control_characters, show_request
from .command_groups import CommandGroup
from .person import demand_person
from .surroundings import AS_JSON, open_user_store, read_surroundings


@click.group(
    cls=CommandGroup,
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
    """List pending requests, and approvals in force."""
    if context.invoked_subcommand is not None:
        return
    store, now = open_user_store(read_surroundings()), time.time()
    waiting = [each for each in iter_requests(store, now) if every or each.state == "pending"]
    good = list(iter_valid_approvals(store, now))
    if as_json:
        rows = [{"id": each.request.id, "state": each.state, **_public_fields(asdict(each.request))} for each in waiting]
        held = [{"id": id_, "scope": scope._asdict(), **asdict(answer)} for scope, id_, answer in good]
        click.echo(json.dumps({"requests": rows, "approved": held}))
        return
    for each in waiting:
        line = replace_control_characters(" ".join(each.request.shown.split()))
        click.echo(
            f"{each.request.id}  {each.state:9} {format_duration(now - each.request.at):>10} ago  {each.request.tool}: {line}"
        )
    for scope, id_, answer in good:
        uses = "once" if answer.uses == 1 else f"this {scope.kind}"
        line = replace_control_characters(" ".join(answer.shown.split()))
        click.echo(f"{id_}  holds {format_duration(answer.until - now)} more, {uses}, by {answer.by} ({answer.how}): {line}")
        for text in (text for clause in answer.clauses for text in describe_clause(clause)):
            click.echo(f"    without the host's question: {replace_control_characters(text)}")
        for rule, does, what in answer.alike:
            click.echo(f"    and what {rule} alone stops: {does} {replace_control_characters(what)}")
    if not waiting and not good:
        click.echo("nothing waits for an answer, and nothing is approved")


def _public_fields(request: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in request.items() if key not in ("code", "id")}


@approvals.command(name="show", epilog="\b\nExample:\n  toolgate approvals show 1f0c9a7e35d2b486")
@click.argument("id_", metavar="ID")
def show_by_id(id_: str) -> int:
    """Show one request in full."""
    found = [each for each in iter_requests(open_user_store(read_surroundings()), time.time()) if each.request.id == id_]
    for each in found:
        show_request(each)
    return 0 if found else _report_unknown_id(id_)


@approvals.command(epilog="\b\nExample:\n  toolgate approvals deny 1f0c9a7e35d2b486")
@click.argument("id_", metavar="ID")
def deny(id_: str) -> int:
    """Deny a pending request."""
    store = _open_store_for_person("deny a request")
    for each in iter_requests(store, time.time()):
        if each.request.id == id_ and store_answer(store, each.request, yes=False, reach="once", now=time.time(), how="terminal"):
            click.echo("denied")
            return 0
    return _report_unknown_id(id_)


@approvals.command(name="revoke", epilog="\b\nExample:\n  toolgate approvals revoke 1f0c9a7e35d2b486")
@click.argument("id_", metavar="ID")
def revoke_by_id(id_: str) -> int:
    """Revoke an approval."""
    store = _open_store_for_person("revoke an approval")
    now = time.time()
    for scope, found, _answer in iter_valid_approvals(store, now):
        if found == id_ and revoke_approval(store, scope, id_, now):
            click.echo("revoked")
            return 0
    return _report_unknown_id(id_)


def _open_store_for_person(purpose: str) -> Store:
    surroundings = read_surroundings()
    demand_person(surroundings, purpose)
    return open_user_store(surroundings)


def _report_unknown_id(id_: str) -> int:
    click.echo(f"there is no {id_}; see: toolgate approvals", err=True)
    return 1
