"""Running downloaded code that nobody has reviewed.

Whoever controls the server, or the connection to it, runs commands here. Download to a file, read it, then run it in a call of
its own. Code that runs in a database or builds an image only asks: it does not reach this machine at once. A project that is
cloned from a well-known forge, and then built, installed or tested, passes, as its package from there would; a script of it that
the call names asks.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.flows.command_runs import list_runs
from toolgate.flows.published_projects import is_built_project, is_of_published_project
from toolgate.model.decision import Match
from toolgate.model.effect import REMOTE_LANGUAGES, Connect, Interpret, Run
from toolgate.model.rule import RuleContext
from toolgate.model.word import Hole

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
    if code.code.head and any(isinstance(part, Hole) for part in code.code.parts):
        sources -= {number for number in sources if _lists_numbers(number, context)}
    for effect in context.effects.of_kind(Connect) if sources else ():
        if effect.origin.command in sources and effect.sends != code.code:
            yield Match(
                code,
                f"Runs code downloaded from {effect.target.display_text} without review.",
                instead="download it to a file, read it, then run it.",
                sure=is_sure,
            )
            return


def _lists_numbers(number: int, context: RuleContext) -> bool:
    """Returns whether a command lists nothing but numbers of a forge's objects, which code may hold: `gh pr list --jq
    '.[].number'`."""
    runs = list_runs(number, context.effects)
    return bool(runs) and all(
        run.argv[0].file_name in ("gh", "glab")
        and any(option.text in ("--jq", "-q") and _GIVES_NUMBERS(given.text or "") for option, given in pairwise(run.argv))
        for run in runs
    )


_GIVES_NUMBERS = re.compile(r".*(?:^|[|\s\]])\.(?:\[\]\.)?(?:number|id|iid|databaseId)\s*", re.DOTALL).fullmatch


def _is_command_of(clients: frozenset[str], number: int, context: RuleContext) -> bool:
    runs = (effect for effect in context.effects.of_command(number) if isinstance(effect, Run))
    return any(run.argv[0].file_name in clients for run in runs)
