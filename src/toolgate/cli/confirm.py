"""`toolgate confirm`: records the agent's confirmation under the guardrail design, where the policy allows it."""

import time

import click

from toolgate.app import App, scene_here
from toolgate.sessions.answering import give, listed

from .surroundings import store_here, surroundings


@click.command(
    epilog="""\b
Example:
  toolgate confirm 'rm -rf ~/Downloads/old-project'
"""
)
@click.argument("operation")
def confirm(operation: str) -> int:
    """Confirm that the user agreed to OPERATION, exactly as it was stopped. Only under `agent_may_confirm = true`.

    Elsewhere the user confirms: by typing the code in the conversation, or with `toolgate approve`.
    """
    here = surroundings()
    policy = App().policy(scene_here(here.project, here.home, dict(here.environ)))
    if not policy.agent_may_confirm:
        raise click.ClickException(
            "the user confirms, not the agent: they type the code that they were shown, or toolgate approve"
        )
    store, now = store_here(here), time.time()
    session = here.environ.get("CLAUDE_CODE_SESSION_ID", "")
    for each in listed(store, now):
        request = each.request
        if each.state == "pending" and request.shown == operation and session in ("", request.session):
            give(store, request, yes=True, reach="session", now=now, how="the agent's word")
            click.echo("confirmed until the session ends; run exactly the same operation again")
            return 0
    raise click.ClickException("no operation of exactly these words waits for a confirmation")


def _above(folder: str) -> tuple[str, ...]:
    """Returns the parent folders: an agent may work anywhere in its project."""
    parts = folder.split("/")
    return tuple("/".join(parts[:n]) for n in range(2, len(parts)))
