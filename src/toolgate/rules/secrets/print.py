"""Printing a token or a secret of a provider, a vault or the environment where nothing consumes it.

What a command prints goes into the model's context, and from there into logs and requests. Pipe it where it is needed (`gh auth
token | docker login ghcr.io --password-stdin`), or put it into a variable.

Sources: the output of a credential printer, variables named after a secret, a shell's history that is searched for such names,
keys of a server or of a running container.
Sinks: standard output that no program, file or variable consumes, also behind filters (`| base64 -d`, `| jq -r .x`), and a file
that the same call commits.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.flows.command_runs import list_runs
from toolgate.flows.displayed_output import is_displayed
from toolgate.flows.issuers import has_secrets, secret_of_variable
from toolgate.flows.loaded_secrets import is_environment_file, list_loaded_secrets
from toolgate.flows.name_listings import prints_names_or_counts
from toolgate.flows.reductions import is_reduced
from toolgate.model.decision import Match
from toolgate.model.effect import DEFAULT_ORIGIN, Effects, Environment, Interpret, Operation, Read, Run, Write
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
        if _is_history(effect) and _is_history_searched(effect.origin.command, context):
            message = f"Searches {effect.place.display_text} for secrets that were typed."
            yield Match(effect, message, "ask the user for what you need.")
    elif isinstance(effect, Run):
        yield from _check_printed_variables(effect, context)
    else:
        yield from _check_printer(effect, context)


def _check_printer(effect: Operation, context: RuleContext) -> Iterator[Match]:
    effects = context.effects
    if effect.name == "environment.print" and _is_server(effect.origin.site.machine):
        if _is_all_printed(effect.origin.command, context):
            server = effect.origin.site.machine.partition(":")[2].removeprefix("running/")
            yield Match(effect, f"Prints all variables of {server}.", instead="print one variable")
    elif effect.name == "environment.print" and (file := _find_committed_file(effect.origin.command, effects)):
        yield Match(effect, f"Commits {file}, with all variables in it.", instead="leave it out of the repository.")
    elif effect.name == "environment.print":
        if _is_searched_for_secrets(effect.origin.command, context):
            message = f"Prints variables that hold secrets: {effects.quote_command(effect)}."
            yield Match(effect, message, _TEST, advice=_ADVICE)
        elif (_is_given_secrets(effect) or _has_secret_variables(context)) and _is_all_printed(effect.origin.command, context):
            message = "Prints all variables into the conversation, and some of them hold secrets."
            yield Match(effect, message, "env | cut -d= -f1", advice="print the variables that you need by their names.")
    elif effect.origin.site.machine == "ssh:ci":
        message = f"Hands on {effects.describe(effect) or 'secrets'}, in a workflow."
        yield Match(effect, message, instead="give each step only the secrets that it needs, as variables of its own.")
    elif effect.origin == DEFAULT_ORIGIN or (effect.origin.site.machine == "local" and _is_shown(effect.origin.command, effects)):
        what = effects.describe(effect) or "a secret"
        yield Match(effect, f"Prints a token or a secret into the conversation: {what}.", instead=_SUGGESTION)
    elif effect.origin.site.machine == LOCAL and (file := _find_committed_file(effect.origin.command, effects)):
        what = effects.describe(effect) or "a secret"
        yield Match(effect, f"Commits {file}, with a secret in it: {what}.", instead="leave it out of the repository.")


def _find_committed_file(command: int, effects: Effects) -> str:
    """Returns the file that a later command commits, with this command's output in it; empty if there is none."""
    written = [
        each.place.word.outline
        for each in effects.of_kind(Write)
        if each.content is not None and command in each.content.src and each.place.machine == LOCAL
    ]
    later = [[word.text or "" for word in run.argv] for run in effects.of_kind(Run) if run.origin.command > command and run.argv]
    commits = any(words[:1] == ["git"] and "commit" in words for words in later)
    added = [word for words in later if words[:1] == ["git"] and "add" in words for word in words[2:]]
    named = {word.rpartition("/")[2] for word in added}
    has_all = not named.isdisjoint(("-A", ".", "--all"))
    folders = tuple(f"{word.rstrip('/')}/" for word in added)
    found = (
        path for path in written if path and commits and (has_all or path.rpartition("/")[2] in named or path.startswith(folders))
    )
    return next(found, "").rpartition("/")[2]


def _is_given_secrets(effect: Operation) -> bool:
    """Returns whether a program that fetches secrets runs this one, with them as variables."""
    return any(carrier.program in _SECRET_RUNNERS for carrier in effect.origin.via)


_SECRET_RUNNERS = frozenset("doppler infisical chamber aws-vault envchain sops teller summon berglas vault-env envconsul".split())
"""1Password's `op run` masks what it has fetched in the output."""


def _has_secret_variables(context: RuleContext) -> bool:
    """Returns whether a variable holds a secret: the host's, one that this call sets, or one of an environment file that it loads
    and that could not be read."""
    effects = context.effects
    if has_secrets(context.scene.environ) or effects.derive(list_loaded_secrets):
        return True
    return any(secret_of_variable(each.name) is not None for each in effects.of_kind(Environment)) or any(
        not code.code.parts and is_environment_file(code.file) for code in effects.of_kind(Interpret)
    )


def _is_all_printed(command: int, context: RuleContext) -> bool:
    """Returns whether the values of all variables reach the caller."""
    effects = context.effects
    return _prints_everything(command, effects) and _is_shown(command, effects) and not _is_narrowed(command, context)


def _prints_everything(command: int, effects: Effects) -> bool:
    """Returns whether the program has no argument that names a variable. Code has none."""
    runs = list_runs(command, effects)
    return not any(len(run.argv) > 1 and run.argv[0].file_name in ("env", "printenv") for run in runs)


def _is_narrowed(command: int, context: RuleContext) -> bool:
    """Returns whether a search or `cut` lets only some lines or the names pass, and no name of a secret is searched for."""
    effects = context.effects
    fed = [run for reader in effects.readers_of(command) for run in list_runs(reader, effects) if run.argv]
    return any(run.argv[0].file_name in (*_SEARCH_PROGRAMS, "cut", "wc") for run in fed) and not any(
        _searches_for_secrets(run, context) for run in fed
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


def _check_printed_variables(run: Run, context: RuleContext) -> Iterator[Match]:
    effects = context.effects
    name = run.argv[0].file_name if run.argv else ""
    if name == "printenv" and run.origin.command in effects.shown:
        named = (word.text for word in run.argv[1:])
        secret = next((found for each in named if each and (found := secret_of_variable(each))), None)
    elif name in ("echo", "printf"):
        secret = next((found for each in _iter_printed(run, effects) if (found := secret_of_variable(each))), None)
    elif name in ("jq", "yq"):
        if _selects_secret(run, effects):
            message = f"Prints a secret that a provider keeps: {run.argv[0].text} {run.argv[-1].display_text}."
            yield Match(run, message, instead=_SUGGESTION)
        return
    elif name in _SEARCH_PROGRAMS and _searches_for_secrets(run, context) and _is_fed_with_values(run, effects):
        message = f"Prints secrets among the values of a release: {run.argv[0].text} {run.argv[-1].display_text}."
        yield Match(run, message, instead=_SUGGESTION)
        return
    elif name == "curl" and _shows_its_request(run, effects):
        named = (part.variable for word in run.argv[1:] for part in word.parts if isinstance(part, Hole))
        secret = next((found for each in named if (found := secret_of_variable(each))), None)
    elif effects.shown_variables and name.rstrip("0123456789.") in _INTERPRETERS:
        secret = next((found for each in sorted(effects.shown_variables) if (found := secret_of_variable(each))), None)
    else:
        return
    if secret is not None:
        yield Match(run, f"Prints {secret.what} into the conversation.", _TEST, advice=_ADVICE)


def _shows_its_request(run: Run, effects: Effects) -> bool:
    """Returns whether curl prints what it sends, with its headers, on standard error or into a trace on standard output."""
    texts = [word.text or "" for word in run.argv[1:]]
    is_traced = any(option in ("--trace", "--trace-ascii") and value in ("-", "%") for option, value in pairwise(texts))
    is_verbose = any(_IS_VERBOSE(text) for text in texts)
    readers = effects.readers_of(run.origin.command)
    is_filtered = any(each.argv[0].file_name not in _COPIERS for reader in readers for each in list_runs(reader, effects))
    writes = any(isinstance(each, Write) for each in effects.of_command(run.origin.command))
    return (is_verbose or is_traced) and not is_filtered and not writes and _is_own_command(run)


_COPIERS = ("echo", "printf", "cat", "tee")
_IS_VERBOSE = re.compile(r"--verbose|-[a-zA-Z]*v[a-zA-Z]*").fullmatch


def _iter_printed(run: Run, effects: Effects) -> Iterator[str]:
    """Yields the variables whose values `echo` shows."""
    if effects.shown_variables and _is_own_command(run):
        named = (part.variable for word in run.argv[1:] for part in word.parts if isinstance(part, Hole))
        yield from (each for each in named if each in effects.shown_variables)
    loaded = effects.derive(list_loaded_secrets)
    text = " ".join(word.outline for word in run.argv[1:]) if loaded else ""
    yield from (name for name, value in loaded.items() if value in text and any(value in each for each in effects.shown_texts))


_PROVIDERS = frozenset(
    "terraform tofu pulumi aws gcloud az oci doctl heroku fly flyctl vault bao consul railway render kubectl oc".split()
)
_SECRET_FIELD = re.compile(
    r"\.\[?\"?\w*(?:password|passwd|secret(?!s?_?(?:arn|name|id|version|list))|private_?key|access_?token|api_?key|connection_?string)\w*\"?\]?"
    r"(?:\s*$|\.value\b|\[|\s*\||,)",
    re.IGNORECASE,
)


def _selects_secret(run: Run, effects: Effects) -> bool:
    """Returns whether a filter shows a field named after a secret of what a provider's program printed."""
    if run.origin.command not in effects.shown or not any(_SECRET_FIELD.search(word.text or "") for word in run.argv[1:]):
        return False
    feeding = effects.commands_feeding(frozenset((run.origin.command,)))
    return any(
        each.argv[0].file_name in _PROVIDERS for each in effects.of_kind(Run) if each.argv and each.origin.command in feeding
    )


def _is_fed_with_values(run: Run, effects: Effects) -> bool:
    """Returns whether it reads what `helm get values` or `terraform output` printed."""
    feeding = effects.commands_feeding(frozenset((run.origin.command,)))
    runs = (each for each in effects.of_kind(Run) if each.argv and each.origin.command in feeding)
    return any((each.argv[0].file_name, word.text) in _PRINTED_VALUES for each in runs for word in each.argv[1:4])


_PRINTED_VALUES = frozenset(
    (("helm", "values"), ("helm", "all"), ("helm3", "values"), ("terraform", "output"), ("tofu", "output"))
)


def _is_own_command(run: Run) -> bool:
    """Returns whether the call itself says what runs, and no file of the project, server or container does."""
    return not run.origin.file and run.origin.site.machine == LOCAL


_INTERPRETERS = frozenset(
    "python node nodejs deno bun ruby php perl lua pwsh powershell Rscript R elixir iex julia groovy jshell java kotlin kotlinc"
    " go swift dotnet scala scala-cli dart nim runghc cargo".split()
)
_SECRET_NAMES = re.compile(r"token|secret|passw|api_?key|private_?key|credential", re.IGNORECASE)
_SEARCH_PROGRAMS = ("grep", "egrep", "rg", "awk", "sed")


def _is_searched_for_secrets(command: int, context: RuleContext) -> bool:
    """Returns whether the output is searched for secrets by their names (`env | grep -i token`), and shown."""
    effects = context.effects
    fed = [run for reader in effects.readers_of(command) for run in list_runs(reader, effects) if run.argv]
    if any(run.argv[0].file_name == "cut" for run in fed):
        return False  # prints only the names
    return any(_searches_for_secrets(run, context) for run in fed)


def _searches_for_secrets(run: Run, context: RuleContext) -> bool:
    """Returns whether a program searches text for names of secrets, and its output is shown."""
    texts = [word.text or "" for word in run.argv[1:]]
    is_silent = not {"-q", "-c", "-l", "-o"}.isdisjoint(texts)
    is_search = run.argv[0].file_name in _SEARCH_PROGRAMS and any(_names_secret(text, context) for text in texts)
    return is_search and not is_silent and run.origin.command in context.effects.shown


def _names_secret(pattern: str, context: RuleContext) -> bool:
    """Returns whether a pattern looks for names of secrets, or for a variable with one, of the host or of a file that this call
    has loaded."""
    if _SECRET_NAMES.search(pattern):
        return True
    wanted = [each.strip("^=\\").lower() for each in pattern.split("|")]
    held = (*context.effects.derive(list_loaded_secrets), *filter(secret_of_variable, context.scene.environ))
    return any(each.isidentifier() and any(each in name.lower() for name in held) for each in wanted)


def _is_history(read_effect: Read) -> bool:
    return read_effect.place.is_in("personal") is True and (read_effect.place.path or "").endswith("_history")


def _is_history_searched(command: int, context: RuleContext) -> bool:
    """Returns whether a shell's history is searched for secrets by their names, by the program that reads it or by a filter."""
    own = list_runs(command, context.effects)
    return _is_searched_for_secrets(command, context) or any(_searches_for_secrets(run, context) for run in own)


def _is_shown(command: int, effects: Effects) -> bool:
    """Returns whether the output reaches the caller, directly or through filters."""
    if any(command in effects.commands_feeding(code.code.src) for code in effects.of_kind(Interpret)):
        return False  # `eval "$(...)"` sets variables from it
    if is_reduced(command, effects, lambda each: _is_reduction(each, effects)):
        return False
    return is_displayed(command, effects, lambda each: _is_text_filter(each, effects))


def _is_text_filter(command: int, effects: Effects) -> bool:
    return any(run.argv[0].file_name in _FILTERS for run in list_runs(command, effects))


def _is_reduction(command: int, effects: Effects) -> bool:
    """Returns whether a program prints the names or the number of what it is given, or nothing."""
    runs = list_runs(command, effects)
    return bool(runs) and all(
        run.argv[0].file_name == "wc"
        or prints_names_or_counts(run, reads_file=False)
        or (
            run.argv[0].file_name in ("jq", "yq", "grep", "rg")
            and any(word.text in _REDUCING_ARGUMENTS or _is_reducing_stage(word.text or "") for word in run.argv[1:])
        )
        for run in runs
    )


_REDUCING_ARGUMENTS = frozenset(("keys", "keys[]", ".[].name", ".[].key", "length", "-q", "--count", "--quiet"))
_REDUCING_STAGE = re.compile(
    r"(?:.*\|)?\s*(?:keys(?:_unsorted)?(?:\[\])?(?:\s*\|\s*\.\[\])?|length)\s*|.*\|\s*(?:has\([^()]*\)|type|map\(\.key\)|\.key)\s*",
    re.DOTALL,
).fullmatch
"""Arguments with which a filter prints names, a count or nothing. `jq -c` prints everything, on one line."""
_KEYS_OF_DATA = re.compile(r"\.(?:data|stringData)\b(?:\s*//\s*\{\})?\s*\)?\s*\|\s*(?:keys(?:_unsorted)?|length)\b")
_FIELDS = re.compile(r"\.[A-Za-z_]\w*")
_NAMES_OF_FIELDS = re.compile(r"(?<=[{,])\s*\w+\s*:(?=\s*\.)")
"""Matches the names under which an object gets its fields: `{ttl: .data.ttl}`."""
_ANSWER_OF_VAULT = re.compile(r"\.(?:data|auth)\.(?=[A-Za-z_])")
_ABOUT_A_SECRET = frozenset(
    ".items .metadata .name .expiration .Expiration .namespace .labels .creationTimestamp .type .kind .ttl"
    " .creation_ttl .expire_time .expires_at"
    " .expiresOn .expires_in .lease_duration .renewable .policies .creation_time .created_at .updated_at .version".split()
)
"""Fields that tell something about a secret, and not the secret."""


def _is_reducing_stage(text: str) -> bool:
    """Returns whether a filter of jq ends with names or a count, or selects only fields that are about a secret."""
    if _REDUCING_STAGE(text):
        return True
    rest = _NAMES_OF_FIELDS.sub("", _KEYS_OF_DATA.sub("", text))
    rest = _ANSWER_OF_VAULT.sub(".", rest)
    fields = _FIELDS.findall(rest)
    is_whole = re.search(r"(?<![\w\])}\"])\.(?![\w\[])|to_entries|\btostring\b|@base64d|\.\.", rest) is not None
    return bool(fields) and fields[-1] not in (".metadata", ".items") and not is_whole and _ABOUT_A_SECRET.issuperset(fields)
