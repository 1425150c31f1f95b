"""Reading a file of the environment (`.env`, `.env.production`, `.envrc`).

Such files hold a project's secrets, and what an agent reads goes into the model's context. The names of the variables stand in
`.env.example`, `.env.sample` or `.env.template`, which can be read. `source .env` and `export $(cat .env | xargs)` show nothing.
"""

import re
from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Environment, Read, Run
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context


def check(read: Read, _options: None, context: Context) -> Iterator[Match]:
    if read.place.machine != LOCAL or read.place.anywhere or _is_only_set(read, context) or _is_changed_in_place(read, context):
        return
    sure = read.place.is_in("environment")
    if sure is not False:
        yield Match(
            read, f"This reads {read.place.shown}, which is made to hold secrets.", instead="read .env.example", sure=sure
        )


_PASSES_ON = ("cat", "grep", "egrep", "sed", "cut", "tr", "xargs", "echo", "awk", "sort", "envsubst")


def _is_only_set(read: Read, context: Context) -> bool:
    """Does what is read go nowhere but into variables of the shell (`export $(grep -v '^#' .env | xargs)`)?"""
    effects = context.effects
    sets = [effects.feeding(each.value.src) for each in effects.all if isinstance(each, Environment) and not each.name]
    if not any(read.origin.command in commands for commands in sets):
        return False
    reached, grows = {read.origin.command}, True
    while grows:
        fresh = {target for source, target in effects.flows if source in reached} - reached
        reached |= fresh
        grows = bool(fresh)
    programs = [run.argv[0].shown for number in reached for run in effects.of(number) if isinstance(run, Run)]
    return all(name.rpartition("/")[2] in _PASSES_ON for name in programs)


_REPLACES = re.compile(r"s([/|#,@])(?:(?!\1).)*\1(?:(?!\1).)*\1[gI0-9]*|/[^/]*/d|\d+d")


def _is_changed_in_place(read: Read, context: Context) -> bool:
    """`sed -i 's/PORT=.*/PORT=4000/' .env` prints nothing: it is an edit, as the host's own tool makes one."""
    runs = [run for run in context.effects.of(read.origin.command) if isinstance(run, Run)]
    if len(runs) != 1 or runs[0].argv[0].shown.rpartition("/")[2] not in ("sed", "gsed") or len(runs[0].argv) != 4:
        return False
    option, script, file = (word.text or "" for word in runs[0].argv[1:])
    return option in ("-i", "-i.bak", "--in-place") and file != "" and _REPLACES.fullmatch(script) is not None
