"""Repeating what costs money or reaches people: in a loop that is long, of unknown length, or without end.

Machines and answers of models cost money from their start, and nobody can take back hundreds of issues, messages or mails. Repeat
it a known, small number of times, with a pause between, and show the user the list first.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from toolgate.flows.destinations import find_destination
from toolgate.flows.endless import asks_model, is_repeated_for_long, is_repeated_without_end, starts_agent
from toolgate.machine_names import names_largest_size, names_machine
from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Effects, Origin, Run
from toolgate.model.rule import RuleContext
from toolgate.model.word import Hole, Word

_SENDERS: dict[str, tuple[str, ...]] = {
    "twilio": ("api:core:messages:create", "api:core:calls:create"),
    "aws": ("send-email", "send-bulk-email", "publish"),
}
"""By program, the subcommands that send a message to somebody."""
_BULK_SENDERS = {"aws": ("send-bulk-email", "send-bulk-templated-email", "send-users-messages")}
_BILLED_BY_USE = {
    "bq": ("query",),
    "aws": ("start-query-execution", "invoke-model", "synthesize-speech", "start-transcription-job"),
}
"""By program, the subcommands that are billed each time."""
_CONTAINERS = frozenset(("docker", "podman", "nerdctl"))
_RECIPIENT_OPTIONS = ("--to", "--phone-number", "--destination", "--destinations", "--recipient")
_FORGES = frozenset(("gh", "glab", "hub", "jira", "tea"))
_MESSAGES = frozenset("issue pr mr comment note discussion release gist incident".split())
_CREATING_VERBS = frozenset("create new comment note open post close reopen lock".split())
_CLOUDS = frozenset("aws gcloud az doctl hcloud linode-cli vultr-cli oci openstack ibmcloud scw fly flyctl".split())
_CLIENTS = frozenset("curl wget http https xh httpie wscat websocat grpcurl mail sendmail".split())
_BILLED_OR_LOCAL = _CONTAINERS | (_BILLED_BY_USE.keys() - _CLOUDS)
_MAIL_PROGRAMS = frozenset("mail mailx s-nail mutt neomutt sendmail msmtp ssmtp swaks sendEmail sendemail".split())
_WATCHED = _CLOUDS | _FORGES | _CLIENTS | _BILLED_OR_LOCAL | _MAIL_PROGRAMS | _SENDERS.keys()
_COUNTED = _FORGES | _CLOUDS | _MAIL_PROGRAMS
_COUNTING_OPTIONS = ("--count", "--max-count", "--min-count", "--num-instances")
_MANY = 10
_MANY_CONTAINERS = 200
_MANY_ROUNDS = 20
_FLOODING_ROUNDS = 100_000
_NUMBERS = ("[0-9]*", "[0-9]**", "?*[0-9]")


def check(run: Run, _options: None, context: RuleContext) -> Iterator[Match]:
    name = run.argv[0].file_name
    if name not in _WATCHED and not starts_agent(run, context.effects):
        return
    if name in _CLIENTS and _largest_feeding_count(run, context) >= _FLOODING_ROUNDS and _reaches_others(run, context):
        yield Match(run, f"Repeats {_quote_start(run)} very many times.", "repeat it a few times, with a pause between.")
    elif name not in _BILLED_OR_LOCAL and is_repeated_without_end(run, context.effects):
        if name not in _CLIENTS or _reaches_others(run, context):
            message = f"Repeats {_quote_start(run)} without end."
            yield Match(run, message, "repeat it a known number of times, with a pause between.")
    elif name in _CLOUDS and _creates_machine(run):
        if _is_repeated(run, context) or _largest_count(run.argv) >= _MANY:
            message = f"Creates many machines with {_quote_start(run)}: each of them costs money until it is deleted."
            yield Match(run, message, "create the machines that the user has named, and say what they cost.")
        elif any(names_largest_size(word.text or "") for word in run.argv):
            message = f"Creates one of the largest machines with {_quote_start(run)}: it costs tens of dollars an hour."
            yield Match(run, message, "say what it costs, and let the user create it.")
    elif _is_billed(run) and (_counts_far(run, context) or is_repeated_for_long(run, context.effects)):
        message = f"Repeats {_quote_start(run)} very many times, each of which costs money."
        yield Match(run, message, "run it once, and say what it costs.")
    elif name in _CONTAINERS and _stays_running(run) and _largest_feeding_count(run, context) >= _MANY_CONTAINERS:
        yield Match(run, f"Starts hundreds of containers with {_quote_start(run)}.", "start as many as are needed.")
    elif any(word.text in _BULK_SENDERS.get(name, ()) for word in run.argv[1:4]) or _is_mail_for_each_record(run, context):
        message = f"Sends a message to each of a list of people with {_quote_start(run)}."
        yield Match(run, message, "send it to yourself first, and show the user the list.")
    elif (
        name in _FORGES
        and _writes_message(run)
        and (_counts_far(run, context) or _is_same_again(run, context) or _is_for_each_listed(run, context))
    ):
        message = f"Writes very many messages with {_quote_start(run)}, which their readers get as notifications."
        yield Match(run, message, "write a few, and show the user the list of the others first.")


def _reaches_others(run: Run, context: RuleContext) -> bool:
    """Returns whether it connects to a host that is neither this machine nor near."""
    return any(
        isinstance(each, Connect) and find_destination(each.target).kind not in ("loopback", "near")
        for each in context.effects.of_command(run.origin.command)
    )


def _is_billed(run: Run) -> bool:
    words = {word.text for word in run.argv[1:]}
    if asks_model(run):
        return True
    return not words.isdisjoint(_BILLED_BY_USE.get(run.argv[0].file_name, ())) and words.isdisjoint(("--dry_run", "--dry-run"))


def _stays_running(run: Run) -> bool:
    return any(word.text == "run" for word in run.argv[1:2]) and any(
        word.text in ("-d", "--detach", "-dit", "-itd", "-td", "-dt") for word in run.argv[2:]
    )


def _quote_start(run: Run) -> str:
    """Returns the program with its subcommand, as a reason quotes them."""
    return f"`{' '.join(word.display_text for word in run.argv[:3])}`"


def _creates_machine(run: Run) -> bool:
    words_given = {word.text for word in run.argv}
    if "--dry-run" in words_given and "--no-dry-run" not in words_given:
        return False
    words = [word.text or "" for word in run.argv[1:6]]
    pairs = (f"{verb}_{noun}" for noun, verb in pairwise((*words, "")) if verb)
    return any(map(names_machine, (*pairs, *words)))


def _writes_message(run: Run) -> bool:
    """Returns whether it writes to people, or starts a workflow."""
    words = {word.text for word in run.argv[1:4]}
    return (not words.isdisjoint(_MESSAGES) and not words.isdisjoint(_CREATING_VERBS)) or {"workflow", "run"} <= words


def _is_mail_for_each_record(run: Run, context: RuleContext) -> bool:
    """Returns whether a mail or a text message goes to what another command printed, record by record."""
    name = run.argv[0].file_name
    sends = any(word.text in _SENDERS.get(name, ()) for word in run.argv[1:4])
    recipients = [value for option, value in pairwise(run.argv) if option.text in _RECIPIENT_OPTIONS]
    if name in _MAIL_PROGRAMS and is_repeated_for_long(run, context.effects):
        return True
    if name in _MAIL_PROGRAMS:
        sends, recipients = _is_repeated(run, context), recipients or [*run.argv[-1:]]
    return sends and any(word.src - {run.origin.command} for word in recipients)


def _is_for_each_listed(run: Run, context: RuleContext) -> bool:
    """Returns whether the words come from a list of the forge: of issues, or of what a search found."""
    return any(
        argv[0].file_name in _FORGES and any(word.text in ("list", "search") for word in argv[1:3])
        for argv in _list_feeding_commands(run, context)
    )


def _is_repeated(run: Run, context: RuleContext) -> bool:
    """Returns whether a loop runs this place of the text."""
    return context.effects.derive(_count_places)[_place_of(run)] > 1


def _is_same_again(run: Run, context: RuleContext) -> bool:
    """Returns whether a loop runs this place of the text with the same words again."""
    return context.effects.derive(_count_calls)[(_place_of(run), run.argv)] > 1 and all(
        word.text is not None for word in run.argv
    )


def _count_places(effects: Effects) -> Counter[object]:
    return Counter(_place_of(run) for run in effects.of_kind(Run) if _is_of_interest(run))


def _count_calls(effects: Effects) -> Counter[object]:
    return Counter((_place_of(run), run.argv) for run in effects.of_kind(Run) if _is_of_interest(run) and run.origin.sure)


def _is_of_interest(run: Run) -> bool:
    return bool(run.argv) and run.argv[0].file_name in _COUNTED


def _place_of(run: Run) -> object:
    origin: Origin = run.origin
    return origin.span, origin.via, origin.file


def _counts_far(run: Run, context: RuleContext) -> bool:
    """Returns whether a word has one of many numbers in it: of a range, or of `seq 500`."""
    if any(isinstance(part, Hole) and part.like in _NUMBERS for word in run.argv for part in word.parts):
        return True
    return _largest_feeding_count(run, context) >= _MANY_ROUNDS


def _largest_feeding_count(run: Run, context: RuleContext) -> int:
    """Returns the largest number of a `seq` whose output the command's words hold."""
    feeding = _list_feeding_commands(run, context)
    return max((_largest_number(argv[1:]) for argv in feeding if argv[0].file_name == "seq"), default=0)


def _list_feeding_commands(run: Run, context: RuleContext) -> list[tuple[Word, ...]]:
    """Returns the commands whose output the command's words hold."""
    feeding = context.effects.commands_feeding(frozenset().union(*(word.src for word in run.argv))) - {run.origin.command}
    return [each.argv for each in context.effects.of_kind(Run) if each.origin.command in feeding and each.argv]


def _largest_number(words: tuple[Word, ...]) -> int:
    return max((int(word.text) for word in words if word.text is not None and word.text.isdecimal()), default=0)


def _largest_count(argv: tuple[Word, ...]) -> int:
    named = [value for option, value in pairwise(argv) if option.text in _COUNTING_OPTIONS]
    return _largest_number(tuple(named))
