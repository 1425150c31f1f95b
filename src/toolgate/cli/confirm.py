"""`toolgate confirm`: records that the agent's user agreed, where the policy allows it."""

import time

import click

from toolgate.app import App, local_scene
from toolgate.sessions.approval_answers import iter_requests, store_answer

from .surroundings import open_user_store, read_surroundings


@click.command(
    epilog="""\b
Examples:
  toolgate confirm 'rm -rf ~/Downloads/old-project'
  toolgate confirm 'git push --force origin main'
"""
)
@click.argument("operation")
def confirm(operation: str) -> int:
    """Confirm that the user agreed to OPERATION, exactly as it was stopped. Only under `agent_may_confirm = true`.

    Elsewhere the user confirms: by typing the code in the conversation, or with `toolgate approve`.
    """
    surroundings = read_surroundings()
    policy = App().load_policy(local_scene(surroundings.project, surroundings.home, dict(surroundings.environ)))
    if not policy.agent_may_confirm:
        raise click.ClickException(
            "the user confirms, not the agent: they type the code that they were shown, or toolgate approve"
        )
    store, now = open_user_store(surroundings), time.time()
    session = surroundings.environ.get("CLAUDE_CODE_SESSION_ID", "")
    for each in iter_requests(store, now):
        request = each.request
        if each.state == "pending" and request.shown == operation and session in ("", request.session):
            store_answer(store, request, yes=True, reach="session", now=now, how="the agent's word")
            click.echo("confirmed until the session ends; run exactly the same operation again")
            return 0
    raise click.ClickException("no operation of exactly these words waits for a confirmation")
