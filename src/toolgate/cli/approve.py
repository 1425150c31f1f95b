"""`toolgate approve`: lets a person approve a stopped call on their own terminal."""

import os
import time
from datetime import datetime
from typing import NamedTuple

import click

from toolgate.consent.approvals import REACHES, Reach, Request
from toolgate.consent.codes import is_matching_code
from toolgate.consent.patterns import Target, widen_targets
from toolgate.designs import PLAN_FOLDER_VARIABLE
from toolgate.model.store import Store
from toolgate.sessions.approval_answers import APPROVAL_SECONDS, ListedRequest, iter_requests, store_answer

from .person import demand_person, demand_shown_number
from .surroundings import open_user_store, read_surroundings

SECONDS_PER_YEAR = 365 * 86400.0
DATE_TYPE = click.DateTime(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M"])


@click.command(
    epilog="""\b
Examples:
  toolgate approve                                    every pending request
  toolgate approve tgc-k7m2-x9qd                      this one
  toolgate approve --for project --until 2026-12-31   this call, until then
  toolgate approve --for session --like '/data/out/**'  and similar calls
"""
)
@click.argument("code", required=False)
@click.option(
    "--for", "reach", type=click.Choice(REACHES), default="once", show_default=True, help="How far the approval reaches."
)
@click.option(
    "--like", "glob", default="", metavar="GLOB", help="Also approve calls stopped for the same reason, on targets like this."
)
@click.option("--until", type=DATE_TYPE, default=None, help="When the approval ends; default for a project: after 30 days.")
def approve(code: str | None, reach: Reach, glob: str, until: datetime | None) -> int:
    """Approve a stopped call: exactly that call, for the agent that made it. CODE may also be an id of `toolgate approvals`.

    Shows the whole operation first, then asks for a number that it displays. Refuses beneath an agent and without a terminal.
    With --like, shows what else may run as well: the same rules, the same kind of effect, and the pattern of the targets.
    """
    if glob and reach == "once":
        raise click.UsageError("--like goes with --for session, iteration or project")
    surroundings = read_surroundings()
    demand_person(surroundings, "approve anything")
    store, now = open_user_store(surroundings), time.time()
    ends = None if until is None else until.timestamp()
    if ends is not None and not now < ends < now + SECONDS_PER_YEAR:
        raise click.BadParameter("it lies in the past, or more than a year ahead", param_hint="--until")
    waiting = [each for each in iter_requests(store, now) if each.state == "pending"]
    if code is not None:
        typed_code = code.strip()
        waiting = [each for each in waiting if typed_code == each.request.id or is_matching_code(typed_code, each.request.code)]
    if not waiting:
        click.echo("nothing waits under this code" if code else "nothing waits for an answer")
        return 1
    for each in waiting:
        _ask_and_answer(each, store, reach, ends, glob)
    return 0


def _ask_and_answer(each: ListedRequest, store: Store, reach: Reach, until: float | None, glob: str) -> None:
    request = each.request
    alike = _widen_targets(request, glob)
    if reach == "iteration" and not request.iteration:
        raise click.ClickException(f"this session has no iteration ({PLAN_FOLDER_VARIABLE} is not set there)")
    show_request(each)
    days = APPROVAL_SECONDS[reach] / 86400
    often = "once" if reach == "once" else f"as often as it likes, for this {reach}"
    click.echo(f"  if approved: {often}{f', for {days:.0f} days' if until is None and days > 1 else ''}")
    for rule, does, what in alike:
        click.echo(
            f"  and so is any call that {rule} alone stops, where it does the same ({does}) to {replace_control_characters(what)}"
        )
    offered = build_offers(request) if reach == "once" and not glob and until is None else {}
    for name, offer in offered.items():
        click.echo(f"  or {name}: {offer.told}")
    choices = ["approve", *offered, "deny", "leave"]
    choice = click.prompt("Approve, deny or leave it?", type=click.Choice(choices), default="leave")
    if choice == "leave":
        return
    if choice in offered:
        reach, alike = offered[choice].reach, offered[choice].alike
    if choice != "deny":
        demand_shown_number("approve it")
    done = store_answer(
        store, request, yes=choice != "deny", reach=reach, now=time.time(), how="terminal", until=until, alike=alike
    )
    click.echo({True: "denied" if choice == "deny" else "approved", False: "somebody else answered it already"}[done])


class Offer(NamedTuple):
    """An approval that covers more than one call, shown with what else it would cover."""

    reach: Reach
    alike: tuple[Target, ...]
    told: str


def build_offers(request: Request) -> dict[str, Offer]:
    """Returns the wider approvals to offer for a request: its folder for this session, and for this project.

    There are none where the targets are not fully known, or share no folder that is deep enough."""
    paths = [each.what for each in request.targets]
    if not paths or not all(path.startswith("/") for path in paths):
        return {}
    folder = os.path.commonpath([os.path.dirname(path) for path in paths])
    if folder.count("/") < _MIN_FOLDER_DEPTH:
        return {}
    alike = widen_targets(request.targets, f"{folder}/**")
    if not alike:
        return {}
    rules = ", ".join(sorted({each.rule for each in request.targets}))
    kinds = ", ".join(sorted({each.does for each in request.targets}))
    covered = f"any call that {rules} alone stops, where it does the same ({kinds}) in {replace_control_characters(folder)}"
    days = APPROVAL_SECONDS["project"] / 86400
    return {
        "session": Offer("session", alike, f"for this session, {covered}"),
        "project": Offer("project", alike, f"for {days:.0f} days in this project, {covered}"),
    }


_MIN_FOLDER_DEPTH = 3
"""Names in a folder's path: a home folder is not offered as a whole."""


def _widen_targets(request: Request, glob: str) -> tuple[Target, ...]:
    if not glob:
        return ()
    if not request.targets or not all(each.what for each in request.targets):
        raise click.ClickException("the targets of this call are not fully known, so only exactly this call can be approved")
    pattern = widen_targets(request.targets, glob)
    if not pattern:
        held = ", ".join(sorted({replace_control_characters(each.what) for each in request.targets}))
        raise click.BadParameter(f"it does not hold for what this call is about ({held})", param_hint="--like")
    return pattern


def show_request(each: ListedRequest) -> None:
    """Prints all of what would be approved."""
    request = each.request
    click.secho(f"{request.tool} in {request.cwd}", bold=True)
    for line in request.shown.splitlines() or [""]:
        click.echo(f"    {replace_control_characters(line)}")
    click.echo(f"  why it asks: {replace_control_characters(request.reason)}")
    who = f"{request.host}, session {request.session}{f', agent {request.agent}' if request.agent else ''}"
    project = replace_control_characters(request.project)
    click.echo(f"  who: {replace_control_characters(who)}; project {project}; policy {request.policy}")
    click.echo(f"  asked {format_duration(time.time() - request.at)} ago; {each.state}")


def replace_control_characters(text: str) -> str:
    """Replaces unprintable characters, so that an agent's text cannot move a terminal's cursor or hide other text."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def format_duration(seconds: float) -> str:
    for length, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {name}"
    count = round(max(seconds, 0))
    return f"{count} {'second' if count == 1 else 'seconds'}"
