"""What the name of an act says that it does: `delete_project`, `create_refund`, `scale`."""

READING_VERBS = frozenset(
    "get list ls search read describe show view fetch query find count check validate preview plan diff status inspect browse "
    "lookup "
    "retrieve head explain estimate simulate dry test lint export download explore can has is undelete restore recover".split()
)
STRONG_VERBS = frozenset(
    "delete destroy drop purge terminate truncate flush flushall flushdb wipe erase nuke obliterate teardown deprovision "
    "decommission deregister undeploy reset revoke prune empty deletemany deleteall dropdatabase destroyed unprotect "
    "overwrite".split()
)
WEAK_VERBS = frozenset(
    "remove rm del clear cancel disable archive unpublish unlink detach close deactivate uninstall trash forget "
    "unregister expunge void expire".split()
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
    "spreadsheet worksheet sheet values contacts helm graph".split()
)
_OWN_RUNS = frozenset(("run", "runs", "build", "builds"))
"""What a service does for the caller: cancelling it loses nothing."""
_PAYMENT_NOUNS = frozenset(
    "refund refunds payout payouts transfer transfers charge charges pay payment payments withdraw withdrawal buy purchase sell "
    "swap trade order orders checkout wire donate tip crypto funds money eth bitcoin btc usdc payroll payrun bill bills "
    "reservation booking settlement settlements ride cart salary compensation".split()
)
_PAYMENT_VERBS = frozenset("refund payout transfer charge pay withdraw buy purchase sell swap donate wire checkout".split())
_BOOKED = frozenset(
    "truck freight shipment transport courier carrier container cargo vessel "
    "listing flight flights hotel trip stay car train ticket tickets".split()
)
_WAGES = frozenset("payroll salary compensation payrun wage wages".split())
_MACHINES = frozenset(
    "server servers droplet droplets instance instances vm vms snapshot machine machines linode linodes node".split()
)
_MAKING_VERBS = frozenset(
    "create make place submit schedule execute issue send new initiate request confirm capture approve authorize".split()
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
    "deployment project environment line plant conveyor furnace reactor "
    "app application site node nodepool droplet droplets dyno dynos function device devices router gateway host".split()
)
_TYPED_NOUNS = frozenset("key keys keystroke keystrokes input click tap event signal command".split())
"""What is sent to a window or a terminal, not to people."""
_STORAGE_NOUNS = frozenset("volume disk drive partition".split())
SETTING_VERBS = frozenset(
    "create add set update enable register configure make insert put change toggle patch modify edit mutate".split()
)
OFF_VERBS = frozenset("disable deactivate remove delete stop bypass off".split())
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
DAILY_KINDS = ("merges", "deploys", "sends")
"""Acts that ask only where the object is severe. `merge_and_purge` is judged by the other verb."""
_ONLY_SEVERE_VERBS = ("share", "forward", "mute", "silence")


_REPORTS = frozenset("history stats statistics status metrics versions log logs".split())
_REPORTED = frozenset("release deploy order transfer charge refund payout purchase swap trade merge sync rollback".split())
"""What a tool reads a report of."""


def names_report(words: tuple[str, ...]) -> bool:
    """Returns whether a name is that of a report whose first word could be a verb: `release_history`."""
    return len(words) > 1 and words[-1] in _REPORTS and words[-2] in _REPORTED


def kind_of_name(words: tuple[str, ...], nouns: frozenset[str], *, severe: bool, names_paths: bool) -> str | None:
    if names_report(words):
        return None
    at = next((n for n, word in enumerate(words) if word in READING_VERBS or _is_verb(word)), None)
    if at is None:
        return None
    if words[at] in READING_VERBS:
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
    return next((kind for kind in kinds if kind not in DAILY_KINDS), kinds[0] if kinds else None)


def _kind_of_verb(verb: str, nouns: frozenset[str], *, severe: bool, names_paths: bool) -> str | None:
    if names_paths and verb in _FILE_VERBS and not _SERVICE_NOUNS & nouns:
        return None
    if verb in STRONG_VERBS:
        return "deletes" if severe or not _MINOR_NOUNS & nouns or _SERVICE_NOUNS & nouns else None
    is_weak = verb in WEAK_VERBS and not (verb == "cancel" and nouns & _OWN_RUNS)
    if is_weak and ((severe and not _MINOR_NOUNS & nouns) or _SERVICE_NOUNS & nouns):
        return "deletes"
    if verb in ("sign", "approve", "submit", "send", "broadcast") and "transaction" in nouns:
        return "pays"
    if verb in _PAYMENT_VERBS or (verb in _MAKING_VERBS and _PAYMENT_NOUNS & nouns):
        return "pays" if not nouns & frozenset(("file", "files", "list", "data")) else None
    if (verb == "book" and _BOOKED & nouns) or (verb in ("update", "set") and _WAGES & nouns):
        return "pays"
    if verb in ("rebuild", "reinstall", "recreate", "rollback") and nouns & _MACHINES:
        return "deletes"
    if verb in _GRANTING_VERBS or (verb in _GIVING_VERBS and _PERMISSION_NOUNS & nouns):
        return "grants"
    if severe and verb in ("assign", "add") and nouns & frozenset(("group", "groups")):
        return "grants"
    if verb == "issue" and nouns & frozenset(("key", "keycard", "badge", "credential")):
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
    STRONG_VERBS
    | WEAK_VERBS
    | _PAYMENT_VERBS
    | _MAKING_VERBS
    | _GRANTING_VERBS
    | _GIVING_VERBS
    | _STOPPING_VERBS
    | _PUBLISHING_VERBS
    | _EXCLUDING_VERBS
    | frozenset(_KINDS_OF_VERBS)
    | {"sign", "format", "book", "enroll", "rebuild", "reinstall", "recreate"}
)


def knows_verb(words: frozenset[str]) -> bool:
    """Returns whether one of these words is a verb that a kind of act is known for, or one that is known to do no harm."""
    return not words.isdisjoint(_VERBS)


def starts_with_reading(words: tuple[str, ...]) -> bool:
    return next((word in READING_VERBS for word in words if word in READING_VERBS or _is_verb(word)), False)
