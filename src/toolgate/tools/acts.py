"""What a tool does at a service, by the verbs in its name and in arguments such as `action` and `method`.

How severe it is depends on the object: `production`, `all`, `*`, `public`.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from .arguments import find_leaves, is_data
from .names import split_words

_ACTION_KEYS = frozenset("action method operation op verb act requesttype operationtype mode".split())
_READS = frozenset(
    "get list ls search read describe show view fetch query find count check validate preview plan diff status inspect browse "
    "lookup "
    "retrieve head explain estimate simulate dry test lint export download explore can has is undelete restore recover".split()
)
_STRONG = frozenset(
    "delete destroy drop purge terminate truncate flush flushall flushdb wipe erase nuke obliterate teardown deprovision "
    "decommission deregister undeploy reset revoke prune empty deletemany deleteall dropdatabase destroyed".split()
)
_WEAK = frozenset("remove rm del clear cancel disable archive unpublish unlink detach close deactivate uninstall".split())
_OF_FILES = frozenset("delete remove rm unlink erase wipe clear truncate".split())
"""Verbs that are used for files, too: if paths are named, those are judged."""
_SMALL = frozenset(
    "entity entities observation observations relation relations node nodes edge edges memory memories task tasks todo todos "
    "item items note "
    "notes comment comments reply label labels tag tags draft drafts cache caches bookmark bookmarks reaction session "
    "sessions tab tabs "
    "cell cells line lines element elements text selection symbol cookie cookies filter filters view highlight annotation "
    "annotations shape shapes layer layers frame paragraph block blocks breakpoint breakpoints screenshot recording timer "
    "reminder "
    "worktree zoom browser context conversation counter layout buffer console log logs breadcrumb thought thoughts process watch "
    "terminal cursor input form field fields slide history state css style word words character characters shape".split()
)
"""Small or personal objects: deleting a single one raises no question."""
_KEPT = frozenset(
    "project service server instance instances machine vm cluster pool database db dataset bucket volume disk site domain "
    "zone record "
    "stack deployment queue topic stream user users team org organization account tenant secret token certificate backup "
    "snapshot "
    "namespace group policy customer subscription payment order invoice webhook resource resources droplet pipeline "
    "environment app "
    "application table schema collection repository repo member collaborator permission role key index branch release member "
    "website "
    "keyspace tunnel function workspace workflow dashboard monitor".split()
)
_PAYS = frozenset(
    "refund refunds payout payouts transfer transfers charge pay payment payments withdraw withdrawal buy purchase sell swap "
    "trade "
    "order checkout wire donate tip".split()
)
_PAYS_BY_ITSELF = frozenset("refund payout transfer charge pay withdraw buy purchase sell swap donate wire".split())
_MAKES = frozenset("create make place submit execute issue send new initiate request confirm capture".split())
_GRANTS = frozenset("grant invite promote impersonate".split())
_GIVES = frozenset("add attach assign put set update create share enable bind modify associate".split())
_RIGHTS = frozenset(
    "member members collaborator collaborators admin admins owner role roles policy policies permission permissions acl iam "
    "binding "
    "rolebinding clusterrolebinding access grant invitation invite privilege privileges".split()
)
_STOPS = frozenset("stop shutdown halt pause suspend poweroff reboot restart kill scale".split())
_SERVERS = frozenset(
    "instance instances server servers vm vms machine machines database databases db cluster clusters service services "
    "deployment project environment "
    "app application site node nodepool droplet droplets dyno dynos function".split()
)
_PUBLISHES = frozenset("publish unpublish".split())
_ORDINARY = {
    "merge": "merges",
    "deploy": "deploys",
    "redeploy": "deploys",
    "rollback": "deploys",
    "promote": "deploys",
    "send": "sends",
    "email": "sends",
    "broadcast": "sends",
    "release": "publishes",
    "stop": "stops",
    "share": "opens",
}
_SEVERE = frozenset(
    "prod production live all everything everyone everybody anyone public world root admin owner master main".split()
)
_PUBLIC = frozenset(
    "public publicread publicreadwrite anyone anyonewithlink anyonewiththelink everyone allusers allauthenticatedusers world "
    "anonymous internet".split()
)
_OPENING_KEYS = frozenset(
    "visibility access acl permission permissions privacy sharing share scope role grantee principal member members type "
    "audience "
    "publicaccess cannedacl predefinedacl".split()
)
_ALL_KEYS = frozenset("all deleteall everything cascade allproducts purgeeverything purgeall".split())
_UNASKED_KEYS = frozenset("autoapprove autoapproved skipconfirmation skipapproval".split())
"""Arguments that make the service go on without asking anybody."""
_MUTATION = re.compile(r"\s*mutation\b[^{]{0,500}\{\s*(?:\w+\s*:\s*)?(\w+)")
"""A GraphQL mutation: its first field names the action."""
_LONGEST = 80  # characters of a name; longer values are text


class Act(NamedTuple):
    """`kind`: deletes, pays, grants, publishes, opens, stops, merges, deploys, sends. `is_severe`: the object is a production
    system, everything, or everybody."""

    kind: str
    target: str
    is_severe: bool


def find_act(tool: str, arguments: Mapping[str, object], *, is_requested: bool = False, names_paths: bool = False) -> Act | None:
    """Return the act of a call at a service, if it is worth a question. `is_requested`: the method is judged with its address;
    `names_paths`: the call names files, which are judged as such."""
    leaves = list(find_leaves(arguments))
    short = [(key, value) for key, value in leaves if isinstance(value, str) and len(value) <= _LONGEST and not is_data(key)]
    severe = _is_severe(short, leaves)
    acts = [value for key, value in short if key in _ACTION_KEYS and not (is_requested and value.upper() == value)]
    if "apply" in split_words(tool) and any(value is True and key in _UNASKED_KEYS for key, value in leaves):
        return Act("deploys", tool, True)
    for name in (*acts, tool):
        words = split_words(name)
        nouns = frozenset(words if name is tool else (*words, *split_words(tool)))
        kind = _kind_of(words, nouns, severe=severe or bool(_SEVERE & nouns), names_paths=names_paths)
        if kind is not None:
            what = tool if name is tool else f"{tool} {name}"
            return Act(kind, what, severe or bool(_SEVERE & nouns) or kind not in ("merges", "deploys", "sends"))
    for _, value in leaves:
        mutation = _MUTATION.match(value) if isinstance(value, str) else None
        words = split_words(mutation[1]) if mutation else ()
        if mutation and (kind := _kind_of(words, frozenset(words), severe=severe, names_paths=False)):
            return Act(kind, f"{tool} {mutation[1]}", True)
    if _reads(split_words(tool)) and not acts:
        return None
    if any(_opens(key, value) for key, value in leaves):
        return Act("opens", tool, True)
    return None


def _kind_of(words: tuple[str, ...], nouns: frozenset[str], *, severe: bool, names_paths: bool) -> str | None:
    at = next((n for n, word in enumerate(words) if word in _READS or _is_verb(word)), None)
    if at is None:
        return None
    if words[at] in _READS:
        if "and" not in words and "then" not in words and "or" not in words:
            return None
        words = words[at + 1 :]
    verbs = [word for word in words if _is_verb(word)]
    for n, verb in enumerate(verbs):
        if n and verb in _ORDINARY:
            continue  # `create_merge_request`: `merge` is a noun there
        if found := _kind_of_verb(verb, nouns - {verb}, severe=severe, names_paths=names_paths):
            return found
    return None


def _kind_of_verb(verb: str, nouns: frozenset[str], *, severe: bool, names_paths: bool) -> str | None:
    if names_paths and verb in _OF_FILES and not _KEPT & nouns:
        return None
    if verb in _STRONG:
        return "deletes" if severe or not _SMALL & nouns or _KEPT & nouns else None
    if verb in _WEAK and ((severe and not _SMALL & nouns) or _KEPT & nouns):
        return "deletes"
    if verb in _PAYS_BY_ITSELF or (verb in _MAKES and _PAYS & nouns):
        return "pays" if not nouns & frozenset(("file", "files", "list", "data")) else None
    if verb in _GRANTS or (verb in _GIVES and _RIGHTS & nouns):
        return "grants"
    if verb in _GIVES and "key" in nouns and nouns & frozenset(("access", "ssh", "deploy")):
        return "grants"
    if verb in _PUBLISHES or (verb == "create" and "release" in nouns):
        return "publishes"
    if verb == "make" and "public" in nouns:
        return "opens"
    if verb in _STOPS:
        return "stops" if _SERVERS & nouns else None
    if verb == "share" and not severe:
        return None
    return _ORDINARY.get(verb)


def _is_verb(word: str) -> bool:
    return word in _VERBS


_VERBS = _STRONG | _WEAK | _PAYS_BY_ITSELF | _MAKES | _GRANTS | _GIVES | _STOPS | _PUBLISHES | frozenset(_ORDINARY)


def _reads(words: tuple[str, ...]) -> bool:
    return next((word in _READS for word in words if word in _READS or _is_verb(word)), False)


def _is_severe(short: list[tuple[str, str]], leaves: list[tuple[str, object]]) -> bool:
    if any(value is True and key in _ALL_KEYS for key, value in leaves):
        return True
    return any(value == "*" or value.endswith("/*") or not _SEVERE.isdisjoint(split_words(value)) for _, value in short)


def _opens(key: str, value: object) -> bool:
    """Tell whether this argument makes something public."""
    if isinstance(value, str):
        return (key in _OPENING_KEYS and value.lower().replace("-", "").replace("_", "") in _PUBLIC) or (
            value == "0.0.0.0/0" and key not in ("body", "text")
        )
    return (value is True and key in ("public", "ispublic", "makepublic", "publiclyaccessible")) or (
        value is False and key in ("private", "isprivate")
    )


def is_scheduling(tool: str, arguments: Mapping[str, object]) -> bool:
    """Tell whether the call schedules something to run later or repeatedly."""
    words = frozenset(split_words(tool))
    if words & _READS or words & _STRONG or words & _WEAK:
        return False
    keys = {key for key, _ in find_leaves(arguments)}
    if words & frozenset(("cron", "crontab", "cronjob")):
        return True
    return bool(
        words & frozenset(("schedule", "scheduled", "recurring")) or keys & frozenset(("cron", "cronexpression", "crontab"))
    ) and bool(keys & frozenset(("prompt", "command", "cmd", "script", "task", "cron", "cronexpression", "instructions", "job")))
