"""Reading an environment file (`.env`, `.env.production`, `.envrc`), or the key of Rails' credentials (`master.key`).

Such files hold a project's secrets, and what an agent reads goes into the model's context. `.env.example`, `.env.sample` or
`.env.template` list the names of the variables and can be read. `source .env` and `export $(cat .env | xargs)` show nothing;
`grep -c`, `wc -l` and `cut -d= -f1` show no value.

Source: files by name, also by a glob that matches them (`.env*`), of this machine, a server or a running container; those in a
folder that is searched (`grep -rn API_KEY .`), if a line with a secret is found and shown. Sink: the model.
"""

import re
from collections.abc import Iterator

from toolgate.flows.command_runs import list_runs, runs_only
from toolgate.flows.displayed_output import is_displayed
from toolgate.flows.name_listings import shows_only_masks
from toolgate.model.decision import Match
from toolgate.model.effect import Effects, Environment, Move, Read, Run, Send, Write
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_any


def check(read_effect: Read, _options: None, context: RuleContext) -> Iterator[Match]:
    is_of_image = read_effect.place.machine.startswith("container:") and not read_effect.place.machine.startswith(
        "container:running/"
    )
    if is_of_image or read_effect.place.is_anywhere:
        return
    sure = maybe_any((read_effect.place.is_in("environment"), _is_moved_environment_file(read_effect, context)))
    if sure is not False and not _is_value_hidden(read_effect, context):
        yield Match(
            read_effect,
            f"Reads {read_effect.place.display_text}, a file for secrets.",
            "look at .env.example, which has the names only.",
            sure,
        )


def _is_moved_environment_file(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether an environment file got the name that is read in this call."""
    return read_effect.place.path is not None and read_effect.place.path in context.effects.derive(_list_moved_environment_files)


def _list_moved_environment_files(effects: Effects) -> frozenset[str | None]:
    return frozenset(move.to.path for move in effects.of_kind(Move) if move.place.is_in("environment") is True)


def _is_value_hidden(read_effect: Read, context: RuleContext) -> bool:
    return (
        _is_loaded_by_direnv(read_effect, context)
        or _is_read_into_variables(read_effect, context)
        or _is_edited_in_place(read_effect, context)
        or shows_only_masks(read_effect.origin.command, context.effects)
        or _is_written_before(read_effect, context)
        or _is_searched_among_others(read_effect, context)
        or _is_kept_in_variable(read_effect, context)
    )


def _is_kept_in_variable(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether a filter takes values out of the file that only programs get: `psql "$(grep ^DB= .env | cut -d= -f2-)"`."""
    command, effects = read_effect.origin.command, context.effects
    if not runs_only(command, effects, _SELECTING_FILTERS):
        return False
    is_written = any(
        each.content is not None and command in effects.commands_feeding(each.content.src) for each in effects.of_kind(Write)
    )
    is_sent = any(command in effects.commands_feeding(each.text.src) for each in effects.of_kind(Send))
    return not is_written and not is_sent and not is_displayed(command, effects, lambda each: _shows_input(each, effects))


def _is_searched_among_others(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether a search goes through all files of a folder (`grep -n timeout config/*`), and shows what it finds."""
    names_it = any(part in read_effect.place.rest.rpartition("/")[2].lower() for part in ("env", ".e", "key"))
    command, effects = read_effect.origin.command, context.effects
    words = {word.text for run in list_runs(command, effects) for word in run.argv[1:]}
    is_search = runs_only(command, effects, _SEARCHES) and _SEARCHES_ALL.isdisjoint(words)
    return read_effect.place.path is None and not names_it and is_search


def _shows_input(command: int, effects: Effects) -> bool:
    """Returns whether a program may print what it is given, as an argument or on its standard input."""
    return not runs_only(command, effects, _CLIENTS)


_CLIENTS = frozenset(
    "psql mysql mariadb mongosh mongo redis-cli sqlcmd clickhouse-client pg_dump pg_restore mysqldump mongodump mongoimport"
    " mongorestore migrate dbmate goose alembic flyway terraform aws gcloud az"
    " export test [".split()
)
"""Programs that use an address or a password and do not print it."""
_SELECTING_FILTERS = ("grep", "egrep", "sed", "awk", "cut")
_SEARCHES = ("grep", "egrep", "fgrep", "rg", "ag", "ack")
_SEARCHES_ALL = frozenset(("", ".", ".*", "^", "$", "-v"))
"""Patterns and options with which a search shows nearly all lines."""


def _is_loaded_by_direnv(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether a function of direnv's library (direnv-stdlib(1)) takes the variables of the file, and prints nothing."""
    runs = list_runs(read_effect.origin.command, context.effects)
    return bool(runs) and all(run.argv[0].text in _FUNCTIONS_OF_DIRENV for run in runs)


_FUNCTIONS_OF_DIRENV = ("dotenv_if_exists", "source_env", "source_env_if_exists", "watch_file")


def _is_written_before(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether the call itself has written the whole file, with text that it shows."""
    return read_effect.place.path is not None and any(
        write.place.path == read_effect.place.path
        and write.origin.command < read_effect.origin.command
        and write.append is False
        and write.content is not None
        and write.content.text is not None
        for write in context.effects.of_kind(Write)
    )


_TEXT_FILTERS = ("cat", "grep", "egrep", "sed", "cut", "tr", "xargs", "echo", "awk", "sort", "envsubst")


def _is_read_into_variables(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether the text that is read goes only into variables of the shell (`export $(grep -v '^#' .env | xargs)`)."""
    effects = context.effects
    sets = [effects.commands_feeding(each.value.src) for each in effects.of_kind(Environment) if not each.name]
    if not any(read_effect.origin.command in commands for commands in sets):
        return False
    reached, waiting = {read_effect.origin.command}, [read_effect.origin.command]
    while waiting:
        fresh = [reader for reader in effects.readers_of(waiting.pop()) if reader not in reached]
        reached.update(fresh)
        waiting += fresh
    runs = (run for number in reached for run in effects.of_command(number) if isinstance(run, Run))
    return all(run.argv[0].file_name in _TEXT_FILTERS for run in runs)


_SUBSTITUTION = re.compile(r"s([/|#,@])(?:(?!\1).)*\1(?:(?!\1).)*\1[gI0-9]*|/[^/]*/d|\d+d")


def _is_edited_in_place(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether the command is `sed -i 's/PORT=.*/PORT=4000/' .env`, which prints nothing and is an edit like one of the
    host's tool."""
    runs = [run for run in context.effects.of_command(read_effect.origin.command) if isinstance(run, Run)]
    if len(runs) != 1 or runs[0].argv[0].file_name not in ("sed", "gsed") or len(runs[0].argv) != 4:
        return False
    option, script, file = (word.text or "" for word in runs[0].argv[1:])
    return option in ("-i", "-i.bak", "--in-place") and file != "" and _SUBSTITUTION.fullmatch(script) is not None
