"""What a tool does at a service where its arguments tell more than its verb.

A forced push, a rule that forwards mail, a protection that is switched off, a job whose name says that it deletes."""

import re
from collections.abc import Mapping

from toolgate.model.address import host_of, is_loopback
from toolgate.safeguards import Setting, list_settings

from .act_kinds import OFF_VERBS, SETTING_VERBS
from .lifted_safeguards import lifts_safeguard
from .machine_sizes import rents_largest_machine
from .named_acts import list_named_objects
from .names import fold_key, split_words
from .opened_networks import find_opened_network
from .record_filters import EVERY_WORDS, changes_many_records, has_empty_filter
from .shop_prices import sets_shop_price

Leaves = list[tuple[str, object]]
_PUSHING_WORDS = frozenset("push ref refs".split())
_FORCE_KEYS = frozenset("force forced forcepush".split())
_BYPASS_KEYS = frozenset("bypass bypassrules bypassprotection admin skipchecks".split())
_PROTECTIONS = frozenset(
    "protection protections mfa logging auditing alarm alarms firewall encryption antivirus detection detections "
    "interlock limiter failsafe edr waf ratelimit".split()
)
_ROLE_KEYS = frozenset("role roles permission permissions accesslevel privilege privileges".split())
_ADMINISTRATORS = frozenset("admin administrator owner superadmin superuser root".split())
_ADMINISTRATOR_KEYS = frozenset("admin isadmin administrator superuser issuperuser superadmin issuperadmin isowner".split())
_OPEN_RULE = re.compile(r"\ballow\s+[\w\s,]*(?:write|create|update|delete)[\w\s,]*:\s*if\s+true\b")
"""A rule of Firebase that lets everybody write."""
_EXCLUDING_VERBS = frozenset("ban kick expel evict".split())
_MEMBER_KEYS = frozenset("user users userid userids member memberid username".split())
_UNLOCKING_VERBS = frozenset("unlock disarm".split())
_LOCKED_THINGS = frozenset("door doors gate garage car vehicle alarm safe lock".split())
_RUNNING_VERBS = frozenset("run build execute exec trigger invoke start call dispatch launch".split())
_NOT_RUNNING = frozenset("test tests testing debug benchmark hierarchy graph tree trace lint".split())
_JOB_KEYS = frozenset(
    "playbook job jobname jobid workflow workflowid workflowname runbook pipeline pipelinename automation function functionname "
    "service task taskname procedure lambda".split()
)
_QUERY_WORDS = frozenset(("query", "by"))
_MODE_KEYS = frozenset("runtype plantype planmode mode runmode".split())
_EVERY_KEYS = frozenset("all applytoall everything allrecords allproducts".split())
_GONE_KEYS = frozenset("archived isarchived deleted isdeleted intrash trashed".split())
"""Arguments that put the object of the call away when they are true."""
_ENDING_KEYS = frozenset("cancel cancelatperiodend cancelnow cancelimmediately terminate endnow".split())
"""Arguments that end what somebody is served with when they are true."""
_SERVED_OBJECTS = frozenset(
    (
        *("service", "user", "account", "customer", "subscription", "instance", "server", "cluster", "tenant", "organization"),
        *("employee", "employment", "worker", "contract", "order", "booking", "reservation", "membership", "license", "member"),
    )
)
_NOTIFYING_KEYS = frozenset("sendupdates sendnotifications notify notifyattendees sendnotification notifyguests".split())
_COMMITTING_SWITCH = re.compile(
    r"(?:post|publish|release)(?:ed|now|results|grades)?|(?:publish|notify|send|release)to(?:all|parents|customers|everyone|users|students|members|taxadvisor|authorit(?:y|ies))|finali[sz]e\w*"
    r"|(?:submit|send|transmit|release|file|report|post)(?:to|with)(?:the)?(?:bank|tax\w*|irs|hmrc|government|court|regulator|exchange|register|registrar|registry|elster)"
    r"|pay(?:fee|now|all)?|override(?!s)\w*(?:limit|safety|check|lock|interlock)\w*|\w*declarationsigned|authori[sz]e\w*(?:payment|transfer)?"
)
"""Matches a folded argument that makes a call final when it is true: published, paid, declared, past a limit."""
_IS_OWN = re.compile(r"(?i)(?:^|[-_/])(?:dev|private|test|internal|own|staging)(?:[-_/]|$)").search
_COST_KEYS = frozenset("confirmcostid confirmcost costconfirmationid acceptcost acceptcharges confirmcharges".split())
"""Arguments that agree to what the call costs."""
_BOUGHT = frozenset("subscription subscriptions plan cluster database instance service account".split())
_PRICE_KEYS = frozenset("price amount unitprice unitamount saleprice listprice baseprice regularprice priceamount".split())
_PRICED_OBJECTS = frozenset("product products variant variants price prices plan sku item items catalog listing offer".split())
_STATE_ENDINGS = ("status", "state", "addlabelids")
_ZERO = re.compile(r"0+(?:\.0+)?")
_STOPPED_STATES = ("stopped", "poweredoff", "poweredOff", "POWERED_OFF", "STOPPED", "halted", "shutdown")
_GONE_STATES = frozenset(
    (
        *("trash", "trashed", "deleted", "terminated", "destroyed", "disabled", "suspended", "deactivated", "deprovisioned"),
        *("cancelled", "canceled", "dismissed", "fired", "revoked", "offboarded"),
    )
)
_LARGER_OBJECTS = frozenset("page pages database databases project projects channel repository space board workspace".split())
_PRODUCTION_WORDS = frozenset("prod production live".split())
_DEPLOYED_SETTINGS = frozenset("env envs variable variables flag flags toggle domain dns".split())
"""What a deployment runs with: changed for production, it changes what everybody uses."""
_REPLACING_VERBS = frozenset("update set change replace modify patch upsert edit".split())
_SWITCHING_WORDS = frozenset("on enable start set activate".split())
_ORIGIN_KEYS = frozenset("allowedorigins corsallowedorigins alloworigins weborigins redirecturis callbacks".split())
"""What may ask in the name of a user who has logged in."""
_REGISTRIES = frozenset("npm pypi rubygems crates nuget maven dockerhub packagist".split())
_UPLOADING_VERBS = frozenset("upload push add publish promote".split())
_PIPES_INTO_DELETE = re.compile(r"\|\s*delete\b").search
"""Finds Splunk's command that makes events unsearchable for good."""
_DESTROYING_KEY = re.compile(
    r"(?:is|force|auto|allow)?(?:destroy|purge|wipe|truncate|erase|nuke|teardown)(?:all|data|everything|run|plan)?"
    r"|drop(?:table|database|schema|collection|index)s?"
    r"|(?:delete|remove|destroy)(?:envvars?|env|environment|database|db|volumes?|data|records|users|project|site|domain|backups?|bucket"
    r"|cluster|instance|tables?|index|everything|snapshots?|finalsnapshot|namespace)"
)
"""Matches a folded argument that destroys the object of the call when it is true."""
_WRITING_STAGES = frozenset(("$out",))
"""Stages of a pipeline that replace a collection by their result."""
_COUNT_OF_KIND = re.compile(r"[a-z_]{1,40}[=:](\d{1,4})")
"""Matches the number of processes of one kind (`web=0`)."""
_REPLICA_KEYS = frozenset("replicas replicacount desiredcount desiredcapacity numberofinstances".split())


_TUNNEL_SERVERS = frozenset("ngrok cloudflared localtunnel pinggy zrok bore".split())
_TUNNELS = frozenset("tunnel tunnels endpoint endpoints edge share port".split())


def find_argument_kind(
    server: str, tool: str, words: frozenset[str], arguments: Mapping[str, object], leaves: Leaves
) -> str | None:
    """Returns the kind of act that the arguments show; None where they show none. Whether a job's name says that it deletes is
    asked by `find_job_name`. `words`: those of the tool and of the acts that its arguments name."""
    switched_on = {key for key, value in leaves if value is True}
    if sent := _find_sending_kind(words, switched_on, leaves) or _find_lifted_guard(server, tool, leaves):
        return sent
    is_forwarding = words & {"webhook", "webhooks", "forwarding"} or _has_forwarding_address(arguments)
    if (words & SETTING_VERBS and is_forwarding) or _starts_sending(leaves):
        return "forwards"
    if _switches_protection_off(words, leaves):
        return "weakens"
    if words & (EVERY_WORDS | _QUERY_WORDS) and words & {"update", "delete", "remove", "patch"} and has_empty_filter(arguments):
        return "deletes"
    if changed := _find_changed_rights(words, leaves) or find_opened_network(words, frozenset(split_words(server)), leaves):
        return changed
    if words & _STARTING_VERBS and rents_largest_machine(leaves):
        return "bills"
    is_tunnel = words & _TUNNELS and not _TUNNEL_SERVERS.isdisjoint(split_words(server))
    if (words & {"set", "turn"} and split_words(tool)[-1] == "public") or (is_tunnel and words & _STARTING_VERBS):
        return "opens"
    if changed := _find_changed_setting(words, frozenset(split_words(server)), arguments, leaves):
        return changed
    if words & _UPLOADING_VERBS and not _REGISTRIES.isdisjoint(split_words(server)):
        return "publishes"
    if _is_told_to_destroy(switched_on, leaves):
        return "deletes"
    if any(_WRITING_STAGES.intersection(stage) for stage in _list_objects(arguments)):
        return "deletes"
    is_scaled = words & {"scale", "patch", "set", "update", "resize"} and 0 in _counts_of_replicas(leaves)
    return "stops" if is_scaled or ("maintenance" in words and words & _SWITCHING_WORDS) else None


def _find_lifted_guard(server: str, tool: str, leaves: Leaves) -> str | None:
    """Returns the kind of act of a call that lifts a safeguard, or changes what customers pay."""
    if lifts_safeguard(leaves):
        return "weakens"
    return "deploys" if sets_shop_price(server, tool, leaves) else None


def names_final_step(key: str) -> bool:
    """Returns whether a folded argument makes a call final when it is true."""
    return _COMMITTING_SWITCH.fullmatch(key) is not None


def searches_away(server: str, leaves: Leaves) -> bool:
    """Returns whether a search of Splunk deletes what it finds."""
    return "splunk" in split_words(server) and any(_PIPES_INTO_DELETE(str(value)) for _, value in leaves)


def applies_plan(tool: str, leaves: Leaves) -> bool:
    """Returns whether a tool applies a plan of infrastructure: `pulumi-cli-up`, `run_type: "plan_and_apply"`."""
    words = frozenset(split_words(tool))
    return bool("up" in words and words & _PLANNED) or any(
        key in _MODE_KEYS and value in _APPLYING_MODES for key, value in leaves
    )


_PLANNED = frozenset("pulumi stack".split())
_APPLYING_MODES = frozenset("plan_and_apply plan-and-apply auto_apply apply".split())


def _is_told_to_destroy(switched_on: set[str], leaves: Leaves) -> bool:
    """Returns whether a switch or a mode says so: `is_destroy: true`, `run_type: "destroy"`."""
    modes = {fold_key(value) for key, value in leaves if key in _MODE_KEYS and isinstance(value, str)}
    return any(map(_DESTROYING_KEY.fullmatch, switched_on | modes))


def _starts_sending(leaves: Leaves) -> bool:
    """Returns whether a workflow that requests an address of another machine is put to work."""
    values = [(key, value) for key, value in leaves if isinstance(value, str)]
    starts = any(key in ("type", "op", "operation") and fold_key(value) == "activateworkflow" for key, value in values)
    hosts = [host_of(value) for key, value in values if key.endswith(("url", "uri")) and value.startswith("http")]
    return starts and not all(map(is_loopback, hosts))


def _is_gone_state(key: str, value: object) -> bool:
    """Returns whether an argument puts an object into a state in which it is gone, or serves nobody."""
    return key.endswith(_STATE_ENDINGS) and isinstance(value, str) and value.lower() in _GONE_STATES


def notifies_everybody(leaves: Leaves) -> bool:
    """Returns whether a service tells all who take part of a change: `sendUpdates: "all"`."""
    return any(key in _NOTIFYING_KEYS and value in (True, "all", "everyone", "externalOnly") for key, value in leaves)


def _is_free_price(key: str, value: object) -> bool:
    is_zero = isinstance(value, int | float) and not isinstance(value, bool) and value == 0
    return key in _PRICE_KEYS and (is_zero or (isinstance(value, str) and _ZERO.fullmatch(value) is not None))


def _find_sending_kind(words: frozenset[str], switched_on: set[str], leaves: Leaves) -> str | None:
    """Returns the kind of act of a call that pushes by force, sends an amount of money, or merges past the rules."""
    if words & _PUSHING_WORDS and ("force" in words or switched_on & _FORCE_KEYS):
        return "overwrites"
    if words & {"send", "transfer"} and any(key == "amount" for key, _ in leaves):
        return "pays"
    if words & {"run", "process"} and words & {"payroll", "payrun"}:
        return "pays"
    if words & {"create", "register", "renew"} and words & {"domain", "domains"} and any(key == "years" for key, _ in leaves):
        return "pays"
    is_own = any(isinstance(value, str) and key in ("branch", "track", "channel") and _IS_OWN(value) for key, value in leaves)
    if "live" in words and words & {"set", "make", "mark", "push", "promote"} and not is_own:
        return "publishes"
    if "port" in words and words & {"number", "numbers"}:
        return "forwards"
    if any(map(names_final_step, switched_on)):
        return "binds"
    if words & {"upgrade"} and words & {"cluster", "plan", "tier", "subscription", "instance", "database"}:
        return "bills"
    if words & {"create", "add", "provision", "launch", "upgrade"} and any(key in _COST_KEYS and value for key, value in leaves):
        return "bills"
    if (
        words & {"create", "upgrade"}
        and words & _BOUGHT
        and any(key.startswith("paymentmethod") and value for key, value in leaves)
    ):
        return "bills"
    if words & SETTING_VERBS and words & {"override", "overrides"} and words & {"schedule", "call", "rotation", "oncall"}:
        return "overwrites"
    return "weakens" if "merge" in words and switched_on & _BYPASS_KEYS else None


def _find_changed_rights(words: frozenset[str], leaves: Leaves) -> str | None:
    """Returns the kind of act of a call that takes somebody's access, makes an administrator, or lets everybody write."""
    if words & _EXCLUDING_VERBS and any(key in _MEMBER_KEYS for key, _ in leaves):
        return "excludes"
    if words & SETTING_VERBS and any(
        (key in _ROLE_KEYS or key.endswith("role")) and _names_administrator(value) for key, value in leaves
    ):
        return "grants"
    if words & (SETTING_VERBS | {"invite"}) and any(key in _ADMINISTRATOR_KEYS and value is True for key, value in leaves):
        return "grants"
    if words & SETTING_VERBS and any(key in _ORIGIN_KEYS and value == "*" for key, value in leaves):
        return "opens"
    is_open = any(isinstance(value, str) and _OPEN_RULE.search(value) for _, value in leaves)
    return "opens" if is_open and words & (SETTING_VERBS | {"deploy", "publish", "apply"}) else None


_STARTING_VERBS = frozenset("create launch run start submit resize provision update set".split())


_WATCHERS = frozenset("monitor monitors alert alerts alarm alarms rule".split())


def _is_silenced(setting: Setting) -> bool:
    """Returns whether a setting mutes a monitor: `muted: true`, `silenced: {"*": null}`, where null is no end."""
    names, value = setting
    folded = [fold_key(name) for name in names]
    return (folded[-1:] in (["muted"], ["ismuted"], ["silenced"]) and value is True) or (
        "silenced" in folded[:-1] and value is not False
    )


def _find_changed_setting(
    words: frozenset[str], server: frozenset[str], arguments: Mapping[str, object], leaves: Leaves
) -> str | None:
    """Returns the kind of act of a call that sets something: puts an object away, or changes what a deployment runs with."""
    switched_on = {key for key, value in leaves if value is True}
    if words & SETTING_VERBS and switched_on & _GONE_KEYS and words & _LARGER_OBJECTS:
        return "deletes"
    if words & SETTING_VERBS and switched_on & _ENDING_KEYS and words & _SERVED_OBJECTS:
        return "deletes"
    named = words | {word for key, value in leaves if isinstance(value, str) for word in _words_of_mutation(value)}
    if named & SETTING_VERBS and named & _PRICED_OBJECTS and any(_is_free_price(key, value) for key, value in leaves):
        return "deploys"
    is_for_every = words & EVERY_WORDS or switched_on & _EVERY_KEYS
    if is_for_every and named & (SETTING_VERBS - {"insert", "create", "add"}) and any(key in _PRICE_KEYS for key, _ in leaves):
        return "deploys"
    puts_away = words & EVERY_WORDS or (words & SETTING_VERBS and notifies_everybody(leaves))
    puts_away = puts_away or (words & SETTING_VERBS and words & (_LARGER_OBJECTS | _SERVED_OBJECTS))
    if puts_away and any(_is_gone_state(key, value) for key, value in leaves):
        return "deletes"
    if words & SETTING_VERBS and any(key.endswith(_STATE_ENDINGS) and value in _STOPPED_STATES for key, value in leaves):
        return "stops"
    if words & SETTING_VERBS and words & _WATCHERS and any(map(_is_silenced, list_settings(arguments))):
        return "stops"
    if (
        words & SETTING_VERBS
        and words & _ADVERTISING
        and any(
            "budget" in key or key in ("microamount", "amountmicros", "bidmicros")
            for key, _ in [*leaves, *((each, 0) for each in words)]
        )
    ):
        return "pays"
    if changes_many_records(words, list_named_objects(arguments)):
        return "overwrites"
    if (
        "dns" in words | server
        and words & SETTING_VERBS
        and any(key == "type" and value in ("MX", "NS") for key, value in leaves)
    ):
        return "deploys"
    changes = words & SETTING_VERBS and words & _DEPLOYED_SETTINGS
    is_deployed = (changes or (words & _STARTING_VERBS and words & _DEPLOYMENTS)) and _names_production(leaves)
    is_of_dns = "dns" in words | server or {"zone", "record"} <= words
    return "deploys" if is_deployed or (words & _REPLACING_VERBS and is_of_dns) else None


_DEPLOYMENTS = frozenset("deployment deployments rollout deploy".split())
_ADVERTISING = frozenset("campaign campaigns ads ad adset budget budgets bid bids".split())


_MUTATION = r"mutation\b[^{]{0,500}\{\s*(?:\w+\s*:\s*)?(\w+)"
MUTATION, MUTATIONS = re.compile(rf"\s*{_MUTATION}"), re.compile(rf"\b{_MUTATION}")
"""A GraphQL mutation, whose first field names the action; and those that its arguments hold, too."""


def _words_of_mutation(text: str) -> tuple[str, ...]:
    """Returns the words of a GraphQL mutation's first field."""
    found = MUTATION.match(text)
    return split_words(found[1]) if found is not None else ()


def _names_administrator(value: object) -> bool:
    return isinstance(value, str) and not _ADMINISTRATORS.isdisjoint(split_words(value)) and not _is_text(value)


def _list_objects(arguments: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Lists the objects in lists of the arguments, such as the stages of a pipeline."""
    lists = (value for value in arguments.values() if isinstance(value, list | tuple))
    return [each for value in lists for each in value if isinstance(each, Mapping)]


def _names_production(leaves: Leaves) -> bool:
    """Returns whether a short value names a production environment, or an argument of such a name is switched on."""
    return any(
        (isinstance(value, str) and _PRODUCTION_WORDS.issuperset(split_words(value) or ("",)))
        or (key == "path" and str(value).startswith("/") and not _PRODUCTION_WORDS.isdisjoint(split_words(str(value))))
        or (value is True and key in _PRODUCTION_WORDS)
        for key, value in leaves
    )


def keeps_replicas(leaves: Leaves) -> bool:
    """Returns whether something keeps running: it is scaled to one or more replicas."""
    counts = _counts_of_replicas(leaves)
    return bool(counts) and 0 not in counts


def find_job_name(tool: str, leaves: Leaves) -> str | None:
    """Returns the name of the job, workflow or function that this tool runs."""
    if _RUNNING_VERBS.isdisjoint(split_words(tool)[:1] if "build" in split_words(tool) else split_words(tool)):
        return None
    name = next((value for key, value in leaves if key in _JOB_KEYS and isinstance(value, str) and not _is_text(value)), None)
    return None if name is None or not _NOT_RUNNING.isdisjoint((*split_words(tool), *split_words(name))) else name


def unlocks(name: str) -> bool:
    """Returns whether a service of this name opens a lock or disarms an alarm."""
    return not _UNLOCKING_VERBS.isdisjoint(split_words(name))


def _is_text(value: str) -> bool:
    return any(char.isspace() for char in value)


def _has_forwarding_address(arguments: Mapping[str, object]) -> bool:
    return any(
        isinstance(value, str) and "@" in value and any(fold_key(name).startswith(("forward", "redirectto")) for name in names)
        for names, value in list_settings(arguments)
    )


def _switches_protection_off(words: frozenset[str], leaves: Leaves) -> bool:
    if words & _UNLOCKING_VERBS:
        named = " ".join(str(value) for key, value in leaves if key in ("name", "domain", "entityid", "area"))
        return not _LOCKED_THINGS.isdisjoint((*words, *split_words(named)))
    if not (words & _PROTECTIONS or any(each.startswith("guard") for each in words)):
        return False
    return bool(words & OFF_VERBS) or bool(words & SETTING_VERBS and any(value is False for _, value in leaves))


def _counts_of_replicas(leaves: Leaves) -> list[object]:
    counts: list[object] = [value for key, value in leaves if key in _REPLICA_KEYS and isinstance(value, int)]
    pairs = (_COUNT_OF_KIND.fullmatch(value) for _, value in leaves if isinstance(value, str))
    return counts + [int(pair[1]) for pair in pairs if pair]
