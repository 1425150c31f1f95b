"""Sending the whole environment over the network, or what a vault or a provider hands out.

Its variables hold tokens and passwords as often as settings. Send the one value that is needed, by name; a token belongs in the
header by which a service knows its caller.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Operation
from toolgate.model.rule import Context
from toolgate.model.word import EMPTY, NOTHING, Hole, Word

KEYS = (
    "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GITHUB_TOKEN", "GH_TOKEN",
    "GITLAB_TOKEN", "NPM_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY",
    "SSH_PRIVATE_KEY", "DATABASE_URL", "STRIPE_SECRET_KEY", "AZURE_CLIENT_SECRET",
)  # fmt: skip
"""Variables that no service takes in an address. By their names: what others hold (`$MAPS_API_KEY`) often stands there."""
IN_BODIES = ("AZURE_CLIENT_SECRET",)
"""Of these, what is asked for in the body of a request."""
_SHORTEST = 8  # characters of a value that is looked for


def check(connection: Connect, _options: None, context: Context) -> Iterator[Match]:
    body = connection.sends or EMPTY
    for key in KEYS:
        if _holds(connection.target, key, context):
            yield Match(connection, f"This puts ${key} into an address: it would be sent, and written down on the way.")
            return
        if key not in IN_BODIES and _holds(body, key, context):
            yield Match(connection, f"This sends ${key}, which belongs in no message.")
            return
    address = connection.target if connection.target.contains("?") is True else None
    if _made_by("environment.print", context, connection.target, connection.sends, connection.shows):
        yield Match(connection, f"This sends the whole environment to {connection.target.shown}.")
    elif _made_by("credential.print", context, address, connection.sends):
        yield Match(connection, f"This sends a token or a secret to {connection.target.shown}.")


def _holds(text: Word, key: str, context: Context) -> bool:
    """By the variable's name, or by what the caller's environment holds under it."""
    value = context.scene.environ.get(key, "")
    return any(
        part.why.strip('${}"') == key if isinstance(part, Hole) else len(value) >= _SHORTEST and value in part
        for part in text.parts
    )


def _made_by(operation: str, context: Context, *texts: Word | None) -> bool:
    """Does one of these texts come from a command that does this?"""
    sent = NOTHING.union(*(text.src for text in texts if text is not None))
    sources = context.effects.feeding(sent) if sent else NOTHING
    return any(
        isinstance(effect, Operation) and effect.name == operation and effect.origin.command in sources
        for effect in context.effects.all
    )
