"""Running downloaded code that nobody has reviewed.

Whoever controls the server, or the connection to it, runs commands here. Download to a file, read it, then run it in a call of
its own. Code that runs in a database or builds an image only asks: it does not reach this machine at once. A project that is
cloned from a well-known forge, and then built, installed or tested, passes, as its package from there would; a script of it that
the call names asks.
"""

from collections.abc import Iterator

from toolgate.flows.published_projects import is_built_project, is_of_published_project
from toolgate.model.decision import Match
from toolgate.model.effect import REMOTE_LANGUAGES, Connect, Interpret, Run
from toolgate.model.rule import RuleContext

_AUTHENTICATED_CLIENTS = frozenset(("ssh", "mosh", "aws", "gsutil", "gcloud", "az", "rclone", "s3cmd", "s5cmd", "mc", "b2"))
"""Programs that fetch the person's own data: a dump of another server, a file of their own bucket."""
_LISTING_CLIENTS = _AUTHENTICATED_CLIENTS | {"gh", "glab"}
"""These and the clients of forges, whose lists of runs and issues a call goes through."""
_TEXT_FILTERS = ("sed", "awk", "jq")
"""Languages in whose programs a call inserts values: `sed "s/^/$id /"`."""


def check(code: Interpret, _options: None, context: RuleContext) -> Iterator[Match]:
    sources = context.effects.commands_feeding(code.code.src)
    if is_built_project(code, context.effects):
        return
    elsewhere = code.language in REMOTE_LANGUAGES
    is_sure = None if elsewhere or is_of_published_project(code, context.effects) else True
    if elsewhere or (code.language in _TEXT_FILTERS and code.code.head):
        clients = _AUTHENTICATED_CLIENTS if elsewhere else _LISTING_CLIENTS
        sources -= {number for number in sources if _is_command_of(clients, number, context)}
    for effect in context.effects.of_kind(Connect) if sources else ():
        if effect.origin.command in sources and effect.sends != code.code:
            yield Match(
                code,
                f"Runs code downloaded from {effect.target.display_text} without review.",
                instead="download it to a file, read it, then run it.",
                sure=is_sure,
            )
            return


def _is_command_of(clients: frozenset[str], number: int, context: RuleContext) -> bool:
    runs = (effect for effect in context.effects.of_command(number) if isinstance(effect, Run))
    return any(run.argv[0].file_name in clients for run in runs)
