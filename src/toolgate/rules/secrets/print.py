"""Printing a token or a secret of a provider, a vault or the environment where nothing consumes it.

What a command prints goes into the model's context, and from there into logs and requests. Pipe it where it is needed (`gh auth
token | docker login ghcr.io --password-stdin`), or put it into a variable.

Sources: the output of a credential printer, variables named after a secret, a shell's history that is searched for such names,
keys of a server or of a running container.
Sink: standard output that no program, file or variable consumes, also behind filters (`| base64 -d`, `| jq -r .x`).
"""

import re
from collections.abc import Iterator

from toolgate.flows.issuers import has_secrets, secret_of_variable
from toolgate.model.decision import Match
from toolgate.model.effect import DEFAULT_ORIGIN, Effects, Environment, Interpret, Operation, Read, Run
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import Hole

_FILTERS = frozenset(
    "cat base64 base32 head tail cut tr jq yq grep egrep sed awk gawk tee rev xxd od hexdump python python3 perl ruby node "
    "sort uniq column "
    "fold fmt nl tac paste echo printf openssl gzip xargs less more bat strings env".split()
)
_TEST, _ADVICE = '[ -n "$NAME" ] && echo set', "use the variable without printing it."
_SUGGESTION = "pipe it where it is needed, or put it into a variable."


def check(effect: Operation | Run | Read, _options: None, context: RuleContext) -> Iterator[Match]:
    effects = context.effects
    if isinstance(effect, Read) and effect.place.machine != LOCAL:
        if _is_elsewhere_kept(effect.place) and _is_shown(effect.origin.command, effects):
            where = effect.place.machine.removeprefix("container:").removeprefix("running/").removeprefix("ssh:")
            yield Match(effect, f"Prints {effect.place.display_text} of {where} into the conversation.", instead=_SUGGESTION)
    elif isinstance(effect, Read):
        if _is_history(effect) and _is_history_searched(effect.origin.command, effects):
            message = f"Searches {effect.place.display_text} for secrets that were typed."
            yield Match(effect, message, "ask the user for what you need.")
    elif isinstance(effect, Run):
        yield from _check_printed_variables(effect, effects)
    else:
        yield from _check_printer(effect, context)


def _check_printer(effect: Operation, context: RuleContext) -> Iterator[Match]:
    effects = context.effects
    if effect.name == "environment.print" and _is_server(effect.origin.site.machine):
        if _is_all_printed(effect.origin.command, effects):
            server = effect.origin.site.machine.partition(":")[2].removeprefix("running/")
            yield Match(effect, f"Prints all variables of {server}.", instead="print one variable")
    elif effect.name == "environment.print":
        if _is_searched_for_secrets(effect.origin.command, effects):
            message = f"Prints variables that hold secrets: {effects.quote_command(effect)}."
            yield Match(effect, message, _TEST, advice=_ADVICE)
        elif _has_secret_variables(context) and _is_all_printed(effect.origin.command, effects):
            message = "Prints all variables into the conversation, and some of them hold secrets."
            yield Match(effect, message, "env | cut -d= -f1", advice="print the variables that you need by their names.")
    elif effect.origin.site.machine == "ssh:ci":
        message = f"Hands on {effects.describe(effect) or 'secrets'}, in a workflow."
        yield Match(effect, message, instead="give each step only the secrets that it needs, as variables of its own.")
    elif effect.origin == DEFAULT_ORIGIN or (effect.origin.site.machine == "local" and _is_shown(effect.origin.command, effects)):
        what = effects.describe(effect) or "a secret"
        yield Match(effect, f"Prints a token or a secret into the conversation: {what}.", instead=_SUGGESTION)


def _has_secret_variables(context: RuleContext) -> bool:
    """Returns whether a variable holds a secret: the host's, one that this call sets, or one of an environment file that it loads
    and that could not be read."""
    if has_secrets(context.scene.environ):
        return True
    effects = context.effects
    return any(secret_of_variable(each.name) is not None for each in effects.of_kind(Environment)) or any(
        not code.code.parts and _ENVIRONMENT_FILE.search(code.file) for code in effects.of_kind(Interpret)
    )


_ENVIRONMENT_FILE = re.compile(r"/\.env(?!.*(?:example|sample|template|dist|test))[\w.-]*$")


def _is_all_printed(command: int, effects: Effects) -> bool:
    """Returns whether the values of all variables reach the caller."""
    return _prints_everything(command, effects) and _is_shown(command, effects) and not _is_narrowed(command, effects)


def _prints_everything(command: int, effects: Effects) -> bool:
    """Returns whether the program has no argument that names a variable. Code has none."""
    runs = (each for each in effects.of_command(command) if isinstance(each, Run) and each.argv)
    return not any(len(run.argv) > 1 and run.argv[0].file_name in ("env", "printenv") for run in runs)


def _is_narrowed(command: int, effects: Effects) -> bool:
    """Returns whether a search or `cut` lets only some lines or the names pass, and no name of a secret is searched for."""
    fed = [run for run in effects.of_kind(Run) if (command, run.origin.command) in effects.flows and run.argv]
    return any((run.argv[0].text or "") in (*_SEARCH_PROGRAMS, "cut", "wc") for run in fed) and not any(
        _searches_for_secrets(run, effects) for run in fed
    )


def _is_server(machine: str) -> bool:
    """Returns whether something else runs there, whose variables hold its secrets. A new container has those of its image."""
    return machine != LOCAL and (not machine.startswith("container:") or machine.startswith("container:running/"))


_PUBLIC_NAMES = ("authorized_keys", "known_hosts", "config")
"""Files beside keys that name hosts and public keys."""


def _is_elsewhere_kept(place: Place) -> bool:
    """Returns whether a file of a server or a running container holds its secrets. A new container has those of its image."""
    is_new = place.machine.startswith("container:") and not place.machine.startswith("container:running/")
    return (
        not is_new
        and place.is_in("credentials") is True
        and (place.path or place.rest or place.word.tail).rpartition("/")[2] not in _PUBLIC_NAMES
    )


def _check_printed_variables(run: Run, effects: Effects) -> Iterator[Match]:
    name = run.argv[0].file_name if run.argv else ""
    if name == "printenv" and run.origin.command in effects.shown:
        named = (word.text for word in run.argv[1:])
        secret = next((found for each in named if each and (found := secret_of_variable(each))), None)
    elif name in ("echo", "printf") and effects.shown_variables and _is_own_command(run):
        named = (part.variable for word in run.argv[1:] for part in word.parts if isinstance(part, Hole))
        secret = next((found for each in named if each in effects.shown_variables and (found := secret_of_variable(each))), None)
    elif effects.shown_variables and name.rstrip("0123456789.") in _INTERPRETERS:
        secret = next((found for each in sorted(effects.shown_variables) if (found := secret_of_variable(each))), None)
    else:
        return
    if secret is not None:
        yield Match(run, f"Prints {secret.what} into the conversation.", _TEST, advice=_ADVICE)


def _is_own_command(run: Run) -> bool:
    """Returns whether the call itself names the command, and no program carries it."""
    return all(carrier.program == "mcp" for carrier in run.origin.via)


_INTERPRETERS = frozenset("python node nodejs deno bun ruby php perl lua pwsh powershell".split())
_SECRET_NAMES = re.compile(r"token|secret|passw|api_?key|private_?key|credential", re.IGNORECASE)
_SEARCH_PROGRAMS = ("grep", "egrep", "rg", "awk", "sed")


def _is_searched_for_secrets(command: int, effects: Effects) -> bool:
    """Returns whether the output is searched for secrets by their names (`env | grep -i token`), and shown."""
    fed = [run for run in effects.of_kind(Run) if (command, run.origin.command) in effects.flows and run.argv]
    if any(run.argv[0].text == "cut" for run in fed):
        return False  # prints only the names
    return any(_searches_for_secrets(run, effects) for run in fed)


def _searches_for_secrets(run: Run, effects: Effects) -> bool:
    """Returns whether a program searches text for names of secrets, and its output is shown."""
    texts = [word.text or "" for word in run.argv]
    is_silent = not {"-q", "-c", "-l", "-o"}.isdisjoint(texts)
    is_search = texts[0] in _SEARCH_PROGRAMS and any(_SECRET_NAMES.search(text) for text in texts[1:])
    return is_search and not is_silent and run.origin.command in effects.shown


def _is_history(read_effect: Read) -> bool:
    return read_effect.place.is_in("personal") is True and (read_effect.place.path or "").endswith("_history")


def _is_history_searched(command: int, effects: Effects) -> bool:
    """Returns whether a shell's history is searched for secrets by their names, by the program that reads it or by a filter."""
    own = (run for run in effects.of_command(command) if isinstance(run, Run) and run.argv)
    return _is_searched_for_secrets(command, effects) or any(_searches_for_secrets(run, effects) for run in own)


def _is_shown(command: int, effects: Effects) -> bool:
    """Returns whether the output reaches the caller, directly or through filters."""
    if any(command in effects.commands_feeding(code.code.src) for code in effects.of_kind(Interpret)):
        return False  # `eval "$(...)"` sets variables from it
    consumers = [target for origin, target in effects.flows if origin == command]
    if consumers and all(_is_reduction(target, effects) for target in consumers):
        return False
    reached, waiting = {command}, [command]
    while waiting:
        source = waiting.pop()
        if source in effects.shown:
            return True
        for origin, target in effects.flows:
            if origin == source and target not in reached and _is_text_filter(target, effects):
                reached.add(target)
                waiting.append(target)
    return False


def _is_text_filter(command: int, effects: Effects) -> bool:
    runs = (each for each in effects.of_command(command) if isinstance(each, Run) and each.argv)
    return any(run.argv[0].file_name in _FILTERS for run in runs)


def _is_reduction(command: int, effects: Effects) -> bool:
    """Returns whether a program prints the names or the number of what it is given, or nothing."""
    runs = [each for each in effects.of_command(command) if isinstance(each, Run) and each.argv]
    return bool(runs) and all(
        run.argv[0].text == "wc"
        or (run.argv[0].text in ("jq", "grep", "rg") and not _REDUCING_ARGUMENTS.isdisjoint(word.text for word in run.argv[1:]))
        for run in runs
    )


_REDUCING_ARGUMENTS = frozenset(("keys", ".|keys", ". | keys", "length", "-q", "--count", "--quiet"))
"""Arguments with which a filter prints names, a count or nothing. `jq -c` prints everything, on one line."""
