"""`toolgate hook`: exists for its help. A host's call is dispatched before click is imported and never gets here."""

import click

from toolgate import hosts
from toolgate.transport.process import run


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("host", type=click.Choice(tuple(hosts.HOSTS)))
@click.argument("event")
def hook(host: str, event: str) -> int:
    """Judge one hook call: HOST's payload for EVENT on standard input, its answer on standard output.

    The session's agent can be named before HOST: TOOLGATE_AGENT=NAME, TOOLGATE_ROLE=ROLE, TOOLGATE_PHASE=PHASE.

    \b
    Examples:
      toolgate hook claude-code PreToolUse < payload.json
      toolgate hook TOOLGATE_AGENT=reviewer copilot preToolUse < payload.json
    """
    return run([host, event])
