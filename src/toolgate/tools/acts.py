"""What a tool does at a service, by the verbs in its name and in arguments such as `action` and `method`.

How severe it is depends on the object: `production`, `all`, `*`, `public`.
"""

from collections.abc import Mapping
from typing import NamedTuple

from .act_kinds import DAILY_KINDS, READING_VERBS, STRONG_VERBS, WEAK_VERBS, kind_of_name, starts_with_reading
from .argument_acts import (
    MUTATION,
    MUTATIONS,
    applies_plan,
    find_argument_kind,
    find_job_name,
    keeps_replicas,
    searches_away,
    unlocks,
)
from .arguments import CHECKING, METHODS, find_leaves
from .carried_calls import find_weakened_setting, is_dry_run, list_operations, list_requests, parse_texts
from .data_keys import is_data_key
from .environments import is_local_data, is_local_database, is_on_test_chain, moves_no_money, uses_emulator
from .harmless_marks import is_familiar
from .messages import addresses_many, pages_somebody, sends_binding_document, sends_mail, shares_result
from .named_acts import list_named_acts, list_named_objects
from .names import fold_key, split_words
from .record_filters import deletes_single_key, selects_records
from .rehearsals import is_simulated, is_throwaway, names_simulation
from .shared_documents import shares_outside
from .shared_work import changes_shared_work, find_public_act

_CARRIED_KINDS = ("deletes", "excludes", "stops", "pays", "grants", "opens")
"""Acts of a request within another call. Of an operation's name the first three count; of a key, which may be a field of data,
the first alone."""
_SEVERE_WORDS = frozenset(
    "prod production live all everything everyone everybody anyone public world root admin admins owner owners master main bulk "
    "batch mass campaign newsletter broadcast".split()
)
_PUBLIC_VALUES = frozenset(
    "public publicread publicreadwrite anyone anyonewithlink anyonewiththelink everyone allusers allauthenticatedusers world "
    "anonymous internet jedermitlink anyonewithalink publico oeffentlich tous cualquiera jedermann jeder".split()
)
_OPENING_KEYS = frozenset(
    "visibility access acl permission permissions privacy sharing share scope role grantee principal member members type "
    "audience "
    "publicaccess cannedacl predefinedacl privacystatus privacylevel".split()
)
_ALL_KEYS = frozenset(
    "all deleteall everything cascade allproducts purgeeverything purgeall permanent permanently harddelete skiptrash".split()
)
_SKIP_APPROVAL_KEYS = frozenset("autoapprove autoapproved skipconfirmation skipapproval".split())
"""Arguments that make the service go on without asking anybody."""
_KEEPERS_OF_DOCUMENTS = frozenset("notes mail gmail outlook imap drive dropbox onedrive sharepoint notion evernote box".split())
"""Servers whose folders are none of this machine's."""
_FOLDERS = frozenset(("folder", "folders", "mailbox", "notebook"))
_DOCUMENT_STORES = frozenset("firebase firestore couchdb couchbase cosmos cosmosdb dynamodb elasticsearch gcs blob".split())
_DOCUMENTS = frozenset("document documents collection collections object objects blob blobs".split())
"""What paths name in these stores."""
_MAX_NAME_LENGTH = 80  # characters of a name; longer values are text


class ServiceAct(NamedTuple):
    """`kind`: deletes, pays, grants, publishes, opens, stops, merges, deploys, sends, overwrites, forwards, weakens, excludes.
    `is_severe`: the object is a production system, everything, or everybody."""

    kind: str
    target: str
    is_severe: bool


def find_act(
    server: str, tool: str, arguments: Mapping[str, object], *, is_requested: bool = False, names_paths: bool = False
) -> ServiceAct | None:
    """Returns the act of a call at a service, if it is worth a question. `is_requested`: the method is judged with its address;
    `names_paths`: the call names files, which are judged as such. A payment in a provider's test mode is none, nor is
    what a database of this machine loses."""
    is_elsewhere = bool(
        (_FOLDERS.intersection(split_words(tool)) and _KEEPERS_OF_DOCUMENTS.intersection(split_words(server)))
        or (_DOCUMENTS.intersection(split_words(tool)) and _DOCUMENT_STORES.intersection(split_words(f"{server} {tool}")))
    )
    act = _find_act(server, tool, arguments, is_requested=is_requested, names_paths=names_paths and not is_elsewhere)
    leaves = list(find_leaves(arguments))
    named = split_words(f"{server} {tool}")
    if act is None or is_on_test_chain(named, leaves):
        return None
    if is_throwaway(server, tool, arguments) or (act.kind in ("pays", "sends", "publishes") and _is_left_open(server, arguments)):
        return None
    if act.kind in ("operates", "publishes", "stops") and is_simulated(named, arguments):
        return None
    if act.kind == "deletes" and names_simulation(named):
        return None
    is_rehearsal = act.kind == "pays" and moves_no_money(server, leaves)
    is_local = is_local_data(server, arguments, "database.drop") or is_local_database(server) or uses_emulator(server, arguments)
    is_of_local_data = act.kind in ("deletes", "deploys", "overwrites") and is_local
    return None if is_rehearsal or is_of_local_data else act


def _is_left_open(server: str, arguments: Mapping[str, object]) -> bool:
    """Returns whether a call says that somebody else has to complete what it makes: `status: "draft"`, `submit: false`. Known
    servers drop arguments that they do not know."""
    if is_familiar(split_words(server)):
        return False
    entries = [(fold_key(key), value) for key, value in arguments.items()]
    return any(
        (key in ("status", "state") and value in ("draft", "DRAFT", "Draft")) or (key == "submit" and value is False)
        for key, value in entries
    )


def _find_act(
    server: str, tool: str, arguments: Mapping[str, object], *, is_requested: bool, names_paths: bool
) -> ServiceAct | None:
    if is_dry_run(arguments):
        return None
    arguments = parse_texts(arguments)
    leaves = list(find_leaves(arguments))
    short = [
        (key, value)
        for key, value in leaves
        if isinstance(value, str) and len(value) <= _MAX_NAME_LENGTH and not is_data_key(key)
    ]
    severe = _is_severe(short, leaves)
    is_reading = starts_with_reading(split_words(tool)) and not any(list_requests(arguments))
    acts = list_named_acts(tool, arguments, short, is_reading=is_reading, is_requested=is_requested)
    if "apply" in split_words(tool) and any(value is True and key in _SKIP_APPROVAL_KEYS for key, value in leaves):
        return ServiceAct("deploys", tool, True)
    if searches_away(server, leaves):
        return ServiceAct("deletes", tool, True)
    named = frozenset(word for name in (tool, *acts[: len(acts) == 1]) for word in split_words(name))
    if not is_reading and (shown := _find_shown_act(server, tool, named, arguments, leaves, severe=severe)):
        return shown
    if selects_records(tool, arguments) or deletes_single_key(server, tool, arguments):
        return None
    if shares_result(named, arguments) or (
        not is_reading
        and (
            addresses_many(frozenset(split_words(server)), named, leaves)
            or sends_binding_document(named, leaves)
            or sends_mail(server, (tool, *acts, *list_requests(arguments)), arguments)
            or pages_somebody(server, named, leaves)
        )
    ):
        return ServiceAct("sends", tool, True)
    if started := _find_started_job(tool, leaves, severe=severe):
        return started
    objects = list_named_objects(arguments)
    for name in (*acts, tool):
        words = split_words(name)
        nouns = frozenset(words if name is tool else (*words, *split_words(tool), *objects))
        files = names_paths and not (name is not tool and name.upper() in METHODS)
        kind = kind_of_name(words, nouns, severe=severe or bool(_SEVERE_WORDS & nouns), names_paths=files)
        if kind is not None and not ("scale" in words and keeps_replicas(leaves)):
            what = tool if name is tool else f"{tool} {name}"
            is_severe = severe or bool(_SEVERE_WORDS & nouns) or kind not in DAILY_KINDS
            return ServiceAct(kind, what, is_severe or changes_shared_work(kind, frozenset(split_words(server)), nouns))
    if not is_reading and (carried := _find_carried_act(tool, arguments, severe=severe, names_paths=names_paths)):
        return carried
    if split_words(tool)[:1] not in CHECKING and (changed := _find_mutation(tool, leaves, severe=severe)):
        return changed
    opens = (not is_reading or bool(acts)) and any(_makes_public(key, value) for key, value in leaves)
    return ServiceAct("opens", tool, True) if opens else None


def _find_shown_act(
    server: str,
    tool: str,
    named: frozenset[str],
    arguments: Mapping[str, object],
    leaves: list[tuple[str, object]],
    *,
    severe: bool,
) -> ServiceAct | None:
    """Returns the act that the arguments show, whatever the tool's name says. `named`: the words of the tool and its acts."""
    if weakened := find_weakened_setting(tool, arguments):
        return ServiceAct("weakens", f"{tool} {weakened}", True)
    if shown := find_argument_kind(server, tool, named, arguments, leaves):
        return ServiceAct(shown, tool, True)
    if public := find_public_act(frozenset(split_words(server)), named, leaves):
        return ServiceAct(public, tool, True)
    if shares_outside(named, arguments):
        return ServiceAct("opens", tool, True)
    return ServiceAct("deploys", tool, True) if severe and applies_plan(tool, leaves) else None


def _find_mutation(tool: str, leaves: list[tuple[str, object]], *, severe: bool) -> ServiceAct | None:
    """Returns the act of a GraphQL mutation."""
    for _, value in leaves:
        for mutation in MUTATIONS.finditer(value) if isinstance(value, str) and MUTATION.match(value) else ():
            words = split_words(mutation[1])
            if kind := kind_of_name(words, frozenset(words), severe=severe, names_paths=False):
                return ServiceAct(kind, f"{tool} {mutation[1]}", True)
    return None


def _find_carried_act(tool: str, arguments: Mapping[str, object], *, severe: bool, names_paths: bool) -> ServiceAct | None:
    """Returns the act of an operation or a request that the arguments carry."""
    operations = ((name, names_paths, _CARRIED_KINDS[: 1 if is_field else 3]) for name, is_field in list_operations(arguments))
    requests = ((name, False, _CARRIED_KINDS) for name in list_requests(arguments))
    for name, files, kinds in (*operations, *requests):
        words = split_words(name)
        kind = kind_of_name(words, frozenset((*words, *split_words(tool))), severe=severe, names_paths=files)
        if kind in kinds and "one" not in words:
            return ServiceAct(kind, f"{tool} {name}", True)
    return None


def _find_started_job(tool: str, leaves: list[tuple[str, object]], *, severe: bool) -> ServiceAct | None:
    """Returns the act of the job that a tool starts, by the job's name."""
    job = find_job_name(tool, leaves)
    if job is None:
        return None
    words = split_words(job)
    does = "weakens" if unlocks(job) else kind_of_name(words, frozenset(words), severe=severe, names_paths=False)
    if does in ("weakens", "deletes", "pays") or (does == "deploys" and severe):
        return ServiceAct(does, f"{tool} {job}", True)
    return None


def _is_severe(short: list[tuple[str, str]], leaves: list[tuple[str, object]]) -> bool:
    if any(value is True and key in (*_ALL_KEYS, "prod", "production") for key, value in leaves):
        return True
    return any(value == "*" or value.endswith("/*") or not _SEVERE_WORDS.isdisjoint(split_words(value)) for _, value in short)


def _makes_public(key: str, value: object) -> bool:
    """Returns whether this argument makes something public."""
    if isinstance(value, str):
        if key.endswith("publicaccess") and value.lower() in ("container", "blob", "enabled"):
            return True
        return (key in _OPENING_KEYS and value.lower().replace("-", "").replace("_", "") in _PUBLIC_VALUES) or (
            value == "0.0.0.0/0" and key not in ("body", "text")
        )
    if value is True and key.startswith(("allow", "enable")) and "public" in key:
        return True
    return (
        value is True and key in ("anonymous", "allowanonymous", "public", "ispublic", "makepublic", "publiclyaccessible")
    ) or (value is False and key in ("private", "isprivate"))


def is_scheduling(tool: str, arguments: Mapping[str, object]) -> bool:
    """Returns whether the call schedules something to run later or repeatedly."""
    words = frozenset(split_words(tool))
    if words & READING_VERBS or words & STRONG_VERBS or words & WEAK_VERBS:
        return False
    keys = {key for key, _ in find_leaves(arguments)}
    if words & frozenset(("cron", "crontab", "cronjob")):
        return True
    return bool(
        words & frozenset(("schedule", "scheduled", "recurring")) or keys & frozenset(("cron", "cronexpression", "crontab"))
    ) and bool(keys & frozenset(("prompt", "command", "cmd", "script", "task", "cron", "cronexpression", "instructions", "job")))
