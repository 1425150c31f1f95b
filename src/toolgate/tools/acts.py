"""What a tool does at a service, by the verbs in its name and in arguments such as `action` and `method`.

How severe it is depends on the object: `production`, `all`, `*`, `public`.
"""

from collections.abc import Mapping
from typing import NamedTuple

from .argument_acts import (
    MUTATION,
    MUTATIONS,
    applies_plan,
    find_argument_kind,
    find_job_name,
    keeps_replicas,
    unlocks,
)
from .arguments import METHODS, find_leaves, is_data_key
from .carried_calls import find_weakened_setting, is_dry_run, list_operations, list_requests, parse_texts
from .environments import is_local_database, moves_no_money, uses_emulator
from .messages import addresses_many, pages_somebody, sends_binding_document, sends_mail, shares_result
from .named_acts import list_named_acts, list_named_objects
from .names import split_words
from .record_filters import selects_records

_READING_VERBS = frozenset(
    "get list ls search read describe show view fetch query find count check validate preview plan diff status inspect browse "
    "lookup "
    "retrieve head explain estimate simulate dry test lint export download explore can has is undelete restore recover".split()
)
_CHECKING = (("validate",), ("lint",), ("check",), ("parse",), ("format",), ("explain",))
"""First words of tools that look at a text without carrying out what it says."""
_STRONG_VERBS = frozenset(
    "delete destroy drop purge terminate truncate flush flushall flushdb wipe erase nuke obliterate teardown deprovision "
    "decommission deregister undeploy reset revoke prune empty deletemany deleteall dropdatabase destroyed unprotect "
    "overwrite".split()
)
_WEAK_VERBS = frozenset(
    "remove rm del clear cancel disable archive unpublish unlink detach close deactivate uninstall trash forget "
    "unregister expunge void".split()
)
_FILE_VERBS = frozenset("delete remove rm unlink erase wipe clear truncate overwrite trash".split())
"""Verbs that are used for files, too: if paths are named, those are judged."""
_MINOR_NOUNS = frozenset(
    "entity entities observation observations relation relations node nodes edge edges memory memories task tasks todo todos "
    "item items note "
    "notes comment comments reply label labels tag tags draft drafts cache caches bookmark bookmarks reaction session "
    "sessions tab tabs "
    "cell cells line lines element elements text selection symbol cookie cookies filter filters view highlight annotation "
    "annotations shape shapes layer layers frame paragraph block blocks breakpoint breakpoints screenshot recording timer "
    "reminder "
    "range ranges content style bullets dimension review reviews pending "
    "worktree zoom browser context conversation counter layout buffer console log logs breadcrumb thought thoughts process watch "
    "gameobject gameobjects prefab prefabs sprite sprites mesh meshes keyframe keyframes "
    "terminal cursor input form field fields slide history state css style word words character characters shape".split()
)
"""Small or personal objects: deleting a single one raises no question."""
_SERVICE_NOUNS = frozenset(
    "project service server instance instances machine vm cluster pool database db dataset bucket volume disk site "
    "domain zone record stack deployment queue topic stream user users team org organization account tenant secret token "
    "certificate backup snapshot namespace group policy customer subscription payment order invoice webhook resource "
    "resources droplet pipeline environment app application envelope filing points restore table schema collection "
    "repository repo member collaborator permission role key index branch release member website channel channels "
    "conversations keyspace tunnel function workspace workflow dashboard monitor calendar calendars mailbox inbox "
    "spreadsheet worksheet sheet values contacts helm".split()
)
_PAYMENT_NOUNS = frozenset(
    "refund refunds payout payouts transfer transfers charge charges pay payment payments withdraw withdrawal buy purchase sell "
    "swap trade order orders checkout wire donate tip crypto funds money eth bitcoin btc usdc payroll payrun bill bills "
    "reservation booking ride cart salary compensation".split()
)
_PAYMENT_VERBS = frozenset("refund payout transfer charge pay withdraw buy purchase sell swap donate wire checkout".split())
_BOOKED = frozenset("listing flight flights hotel trip stay car train ticket tickets".split())
_WAGES = frozenset("payroll salary compensation payrun wage wages".split())
_MACHINES = frozenset(
    "server servers droplet droplets instance instances vm vms snapshot machine machines linode linodes node".split()
)
_MAKING_VERBS = frozenset(
    "create make place submit execute issue send new initiate request confirm capture approve authorize".split()
)
_GRANTING_VERBS = frozenset("grant invite promote impersonate".split())
_GIVING_VERBS = frozenset("add write attach assign put set update create share enable bind modify associate".split())
_PERMISSION_NOUNS = frozenset(
    "member members collaborator collaborators admin admins owner role roles policy policies permission permissions acl iam "
    "binding "
    "rolebinding clusterrolebinding access grant invitation invite privilege privileges".split()
)
_STOPPING_VERBS = frozenset("stop shutdown halt pause suspend poweroff reboot restart kill scale drain".split())
_EXCLUDING_VERBS = frozenset("ban kick suspend expel evict offboard unenrol unenroll".split())
_PEOPLE_NOUNS = frozenset("user users member members account accounts customer customers employee".split())
_SERVER_NOUNS = frozenset(
    "instance instances server servers vm vms machine machines database databases db cluster clusters service services "
    "deployment project environment "
    "app application site node nodepool droplet droplets dyno dynos function device devices router gateway host".split()
)
_TYPED_NOUNS = frozenset("key keys keystroke keystrokes input click tap event signal command".split())
"""What is sent to a window or a terminal, not to people."""
_STORAGE_NOUNS = frozenset("volume disk drive partition".split())
_PUBLISHING_VERBS = frozenset("publish unpublish post".split())
_KINDS_OF_VERBS = {
    "merge": "merges",
    "deploy": "deploys",
    "redeploy": "deploys",
    "unblock": "deploys",
    "rollback": "deploys",
    "apply": "deploys",
    "sync": "deploys",
    "promote": "deploys",
    "send": "sends",
    "email": "sends",
    "broadcast": "sends",
    "release": "publishes",
    "stop": "stops",
    "share": "opens",
    "forward": "sends",
    "mute": "stops",
    "silence": "stops",
}
_DEPLOYED_NOUNS = frozenset(
    "run plan stack application applications app manifest manifests workspace configuration terraform infrastructure migration "
    "migrations changeset environment project service release".split()
)
"""What `apply` and `sync` put into effect: `apply_patch` and `apply_filter` change something small."""
_MUTES = frozenset("downtime silence mute snooze blackout suppression maintenance".split())
_WATCHERS = frozenset("monitor monitors alert alerts alarm alarms check checks uptime".split())
_DAILY_KINDS = ("merges", "deploys", "sends")
"""Acts that ask only where the object is severe. `merge_and_purge` is judged by the other verb."""
_CARRIED_KINDS = ("deletes", "excludes", "stops", "pays", "grants", "opens")
"""Acts of a request within another call. Of an operation's name the first three count; of a key, which may be a field of data,
the first alone."""
_ONLY_SEVERE_VERBS = ("share", "forward", "mute", "silence")
_SEVERE_WORDS = frozenset(
    "prod production live all everything everyone everybody anyone public world root admin admins owner owners master main bulk "
    "batch mass campaign newsletter broadcast".split()
)
_PUBLIC_VALUES = frozenset(
    "public publicread publicreadwrite anyone anyonewithlink anyonewiththelink everyone allusers allauthenticatedusers world "
    "anonymous internet".split()
)
_OPENING_KEYS = frozenset(
    "visibility access acl permission permissions privacy sharing share scope role grantee principal member members type "
    "audience "
    "publicaccess cannedacl predefinedacl privacystatus privacylevel".split()
)
_ALL_KEYS = frozenset("all deleteall everything cascade allproducts purgeeverything purgeall".split())
_SKIP_APPROVAL_KEYS = frozenset("autoapprove autoapproved skipconfirmation skipapproval".split())
"""Arguments that make the service go on without asking anybody."""
_KEEPERS_OF_DOCUMENTS = frozenset("notes mail gmail outlook imap drive dropbox onedrive sharepoint notion evernote box".split())
"""Servers whose folders are none of this machine's."""
_FOLDERS = frozenset(("folder", "folders", "mailbox", "notebook"))
_DOCUMENT_STORES = frozenset("firebase firestore couchdb couchbase cosmos cosmosdb dynamodb elasticsearch s3 gcs blob".split())
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
    is_rehearsal = act is not None and act.kind == "pays" and moves_no_money(server, find_leaves(arguments))
    is_of_local_data = act is not None and act.kind == "deletes" and (is_local_database(server) or uses_emulator(arguments))
    return None if is_rehearsal or is_of_local_data else act


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
    is_reading = _is_reading(split_words(tool)) and not any(list_requests(arguments))
    acts = list_named_acts(tool, arguments, short, is_reading=is_reading, is_requested=is_requested)
    if "apply" in split_words(tool) and any(value is True and key in _SKIP_APPROVAL_KEYS for key, value in leaves):
        return ServiceAct("deploys", tool, True)
    if not is_reading and (shown := _find_shown_act(server, tool, arguments, leaves, severe=severe)):
        return shown
    if selects_records(tool, arguments):
        return None
    named = frozenset(split_words(tool))
    if shares_result(named, leaves) or (
        not is_reading
        and (
            addresses_many(frozenset(split_words(server)), named, leaves)
            or sends_binding_document(named, leaves)
            or sends_mail(server, (tool, *list_requests(arguments)), arguments)
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
        kind = _kind_of_name(words, nouns, severe=severe or bool(_SEVERE_WORDS & nouns), names_paths=files)
        if kind is not None and not ("scale" in words and keeps_replicas(leaves)):
            what = tool if name is tool else f"{tool} {name}"
            return ServiceAct(kind, what, severe or bool(_SEVERE_WORDS & nouns) or kind not in _DAILY_KINDS)
    if not is_reading and (carried := _find_carried_act(tool, arguments, severe=severe, names_paths=names_paths)):
        return carried
    if split_words(tool)[:1] not in _CHECKING and (changed := _find_mutation(tool, leaves, severe=severe)):
        return changed
    opens = (not is_reading or bool(acts)) and any(_makes_public(key, value) for key, value in leaves)
    return ServiceAct("opens", tool, True) if opens else None


def _find_shown_act(
    server: str, tool: str, arguments: Mapping[str, object], leaves: list[tuple[str, object]], *, severe: bool
) -> ServiceAct | None:
    """Returns the act that the arguments show, whatever the tool's name says."""
    if weakened := find_weakened_setting(tool, arguments):
        return ServiceAct("weakens", f"{tool} {weakened}", True)
    if shown := find_argument_kind(server, tool, arguments, leaves):
        return ServiceAct(shown, tool, True)
    return ServiceAct("deploys", tool, True) if severe and applies_plan(tool, leaves) else None


def _find_mutation(tool: str, leaves: list[tuple[str, object]], *, severe: bool) -> ServiceAct | None:
    """Returns the act of a GraphQL mutation."""
    for _, value in leaves:
        for mutation in MUTATIONS.finditer(value) if isinstance(value, str) and MUTATION.match(value) else ():
            words = split_words(mutation[1])
            if kind := _kind_of_name(words, frozenset(words), severe=severe, names_paths=False):
                return ServiceAct(kind, f"{tool} {mutation[1]}", True)
    return None


def _find_carried_act(tool: str, arguments: Mapping[str, object], *, severe: bool, names_paths: bool) -> ServiceAct | None:
    """Returns the act of an operation or a request that the arguments carry."""
    operations = ((name, names_paths, _CARRIED_KINDS[: 1 if is_field else 3]) for name, is_field in list_operations(arguments))
    requests = ((name, False, _CARRIED_KINDS) for name in list_requests(arguments))
    for name, files, kinds in (*operations, *requests):
        words = split_words(name)
        kind = _kind_of_name(words, frozenset((*words, *split_words(tool))), severe=severe, names_paths=files)
        if kind in kinds and "one" not in words:
            return ServiceAct(kind, f"{tool} {name}", True)
    return None


def _find_started_job(tool: str, leaves: list[tuple[str, object]], *, severe: bool) -> ServiceAct | None:
    """Returns the act of the job that a tool starts, by the job's name."""
    job = find_job_name(tool, leaves)
    if job is None:
        return None
    words = split_words(job)
    does = "weakens" if unlocks(job) else _kind_of_name(words, frozenset(words), severe=severe, names_paths=False)
    if does in ("weakens", "deletes", "pays") or (does == "deploys" and severe):
        return ServiceAct(does, f"{tool} {job}", True)
    return None


def _kind_of_name(words: tuple[str, ...], nouns: frozenset[str], *, severe: bool, names_paths: bool) -> str | None:
    at = next((n for n, word in enumerate(words) if word in _READING_VERBS or _is_verb(word)), None)
    if at is None:
        return None
    if words[at] in _READING_VERBS:
        if "and" not in words and "then" not in words and "or" not in words:
            return None
        words = words[at + 1 :]
    verbs = [word for word in words if _is_verb(word)]
    # `create_merge_request`: `merge` is a noun there
    acting = (verb for n, verb in enumerate(verbs) if not n or verb not in _KINDS_OF_VERBS)
    kinds = [
        kind
        for verb in acting
        if (kind := _kind_of_verb(verb, nouns - {verb}, severe=severe, names_paths=names_paths)) is not None
    ]
    return next((kind for kind in kinds if kind not in _DAILY_KINDS), kinds[0] if kinds else None)


def _kind_of_verb(verb: str, nouns: frozenset[str], *, severe: bool, names_paths: bool) -> str | None:
    if names_paths and verb in _FILE_VERBS and not _SERVICE_NOUNS & nouns:
        return None
    if verb in _STRONG_VERBS:
        return "deletes" if severe or not _MINOR_NOUNS & nouns or _SERVICE_NOUNS & nouns else None
    if verb in _WEAK_VERBS and ((severe and not _MINOR_NOUNS & nouns) or _SERVICE_NOUNS & nouns):
        return "deletes"
    if verb in ("sign", "approve", "submit", "send", "broadcast") and "transaction" in nouns:
        return "pays"
    if verb in _PAYMENT_VERBS or (verb in _MAKING_VERBS and _PAYMENT_NOUNS & nouns):
        return "pays" if not nouns & frozenset(("file", "files", "list", "data")) else None
    if (verb == "book" and _BOOKED & nouns) or (verb in ("update", "set") and _WAGES & nouns):
        return "pays"
    if verb in ("rebuild", "reinstall", "rollback") and nouns & _MACHINES:
        return "deletes"
    if verb in _GRANTING_VERBS or (verb in _GIVING_VERBS and _PERMISSION_NOUNS & nouns):
        return "grants"
    if severe and verb in ("assign", "add") and nouns & frozenset(("group", "groups")):
        return "grants"
    if verb in _GIVING_VERBS and "key" in nouns and nouns & frozenset(("access", "ssh", "deploy")):
        return "grants"
    return _kind_of_other_verb(verb, nouns, severe=severe)


def _kind_of_other_verb(verb: str, nouns: frozenset[str], *, severe: bool) -> str | None:
    """Returns the kind of an act that neither deletes, pays nor grants."""
    if verb == "post":
        return "publishes" if "tweet" in nouns else None
    if verb == "create" and "draft" in nouns:
        return None
    if verb in _PUBLISHING_VERBS or (verb == "create" and not nouns.isdisjoint(("release", "tweet", "tweets", "toot"))):
        return "publishes"
    if severe and verb in _GIVING_VERBS | _MAKING_VERBS and _MUTES & nouns:
        return "stops"
    if verb in ("apply", "sync") and not _DEPLOYED_NOUNS & nouns:
        return None
    if verb in _EXCLUDING_VERBS and _PEOPLE_NOUNS & nouns:
        return "excludes"
    if verb == "format":
        return "deletes" if _STORAGE_NOUNS & nouns else None
    if verb == "send" and _TYPED_NOUNS & nouns:
        return None
    if verb == "make" and "public" in nouns:
        return "opens"
    if verb in _STOPPING_VERBS:
        return "stops" if _SERVER_NOUNS & nouns or (severe and not _MINOR_NOUNS & nouns) else None
    severe = severe or (verb in _MUTES and not _WATCHERS.isdisjoint(nouns))
    return None if verb in _ONLY_SEVERE_VERBS and not severe else _KINDS_OF_VERBS.get(verb)


def _is_verb(word: str) -> bool:
    return word in _VERBS


_VERBS = (
    _STRONG_VERBS
    | _WEAK_VERBS
    | _PAYMENT_VERBS
    | _MAKING_VERBS
    | _GRANTING_VERBS
    | _GIVING_VERBS
    | _STOPPING_VERBS
    | _PUBLISHING_VERBS
    | _EXCLUDING_VERBS
    | frozenset(_KINDS_OF_VERBS)
    | {"sign", "format", "book", "enroll", "rebuild", "reinstall"}
)


def _is_reading(words: tuple[str, ...]) -> bool:
    return next((word in _READING_VERBS for word in words if word in _READING_VERBS or _is_verb(word)), False)


def _is_severe(short: list[tuple[str, str]], leaves: list[tuple[str, object]]) -> bool:
    if any(value is True and key in (*_ALL_KEYS, "prod", "production") for key, value in leaves):
        return True
    return any(value == "*" or value.endswith("/*") or not _SEVERE_WORDS.isdisjoint(split_words(value)) for _, value in short)


def _makes_public(key: str, value: object) -> bool:
    """Returns whether this argument makes something public."""
    if isinstance(value, str):
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
    if words & _READING_VERBS or words & _STRONG_VERBS or words & _WEAK_VERBS:
        return False
    keys = {key for key, _ in find_leaves(arguments)}
    if words & frozenset(("cron", "crontab", "cronjob")):
        return True
    return bool(
        words & frozenset(("schedule", "scheduled", "recurring")) or keys & frozenset(("cron", "cronexpression", "crontab"))
    ) and bool(keys & frozenset(("prompt", "command", "cmd", "script", "task", "cron", "cronexpression", "instructions", "job")))
