"""Sending the whole environment over the network.

Its variables hold tokens and passwords as often as settings. Send the one value that is needed, by name.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Operation
from toolgate.model.rule import Context
from toolgate.model.word import NOTHING, Hole

KEYS = (
    "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GITHUB_TOKEN", "GH_TOKEN",
    "GITLAB_TOKEN", "NPM_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY",
    "SSH_PRIVATE_KEY", "DATABASE_URL", "STRIPE_SECRET_KEY", "AZURE_CLIENT_SECRET",
)  # fmt: skip
"""Variables that no service takes in an address."""


def check(connection: Connect, _options: None, context: Context) -> Iterator[Match]:
    sent = connection.target.src | (connection.sends.src if connection.sends is not None else NOTHING)
    for part in connection.target.parts:
        if isinstance(part, Hole) and part.why.strip('${}"') in KEYS:
            yield Match(connection, f"This puts {part.why} into an address: it would be sent, and written down on the way.")
            return
    sources = context.effects.feeding(sent) if sent else NOTHING
    for effect in context.effects.all:
        if isinstance(effect, Operation) and effect.name == "environment.print" and effect.origin.command in sources:
            yield Match(connection, f"This sends the whole environment to {connection.target.shown}.")
            return
