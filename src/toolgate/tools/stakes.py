"""What is at stake in a call whose verb says nothing: a production system, money, an administrator's rights, a door.

A call that neither reads nor rehearses is worth a question if its arguments name one of these, whatever the tool is called. An
object among the arguments that names an act of reading (`{"op": "evaluate"}`) is left aside with all that it holds.
"""

import re
from collections.abc import Iterator, Mapping

from toolgate.safeguards import list_settings

from .act_kinds import READING_VERBS, knows_verb, names_report
from .argument_acts import names_final_step
from .arguments import METHODS, find_leaves
from .carried_calls import is_dry_run, parse_texts
from .data_keys import is_data_key
from .decisions import DECIDING_VERBS, find_decision
from .environments import is_about_chains, is_on_test_chain, moves_no_money
from .equipment import is_equipment
from .harmless_marks import asks_for_thing, has_harmless_mark, is_familiar
from .messages import chooses_sandbox
from .names import fold_key, split_words
from .rehearsals import is_simulated, is_throwaway

Leaves = list[tuple[str, object]]
_HARMLESS_VERBS = READING_VERBS | frozenset(
    "exists wait poll help whoami ping evaluate chat consult discuss generate scan vulncheck propagate forecast optimize "
    "optimise solve score rank detect estimate enquiry inquiry hover summarize summary analyze analyse audit compare convert "
    "calculate compute translate resolve open navigate goto use select switch choose connect login authenticate watch tail "
    "follow think ask render format draft propose suggest review predict classify extract parse lint is can ps netstat whatif "
    "dryrun planonly validateonly maintenance graphql peek review "
    "verfolgen pruefen anzeigen berechnen calcular simuler lire sok hent zoek toon szukaj cerca mostra".split()
)
"""Words of tools and acts that change nothing that others rely on: they read, choose, or work on a text."""
_READ_THINGS = frozenset(
    "log logs schema metrics history version versions info docs trends stats statistics usage details indexes tree types "
    "information lag latency health occupancy availability breakdown overview forecast uptime rate rates budget balance "
    "positions roster level levels".split()
)
"""Last words of tools that read: `service_logs`."""
_TEXTS = frozenset(
    "issue issues ticket tickets card cards story epic page pages doc docs document documents note notes comment comments "
    "message messages task tasks todo todos label labels wiki thread memory memories entity entities relation relations bookmark "
    "annotation".split()
)
"""Objects that are a text about something, and not the thing itself."""
_RECORDS = frozenset(
    "insert append row rows record records cell cells expense expenses entry entries estimate quote deal deals opportunity lead "
    "leads".split()
)
"""Words of tools that write a figure down: an amount in it is not paid."""
_BROWSERS = frozenset("browser playwright puppeteer chrome chromium selenium page devtools".split())
_PRODUCTION = frozenset("prod production prd".split())
_ACT_ENDINGS = ("action", "operation", "verb", "method", "command", "mode", "type", "kind", "intent", "fn", "function")
_NAMING_KEYS = ("op", "fn", "function", "action", "method", "operation", "verb", "name", "call", "tool", "toolname")
_PLACE_ENDINGS = ("path", "dir", "directory", "folder", "file", "filename", "cwd", "url", "uri", "query", "filter")
_READING_CODES = frozenset((1, 2, 3, 4))
"""Modbus' functions that read."""
_ROLE_ENDINGS = ("role", "roles", "permission", "permissions", "accesslevel", "privilege", "privileges")
_ADMINISTRATORS = frozenset("admin administrator owner superadmin superuser root".split())
_SERVICES = frozenset(
    (
        # money
        *("stripe", "paypal", "square", "adyen", "braintree", "mollie", "gocardless", "razorpay", "plaid", "wise", "quickbooks"),
        *("xero", "billing", "payments", "payment", "payroll", "gusto", "bank", "banking", "treasury", "chargebee", "recurly"),
        # what is shown to the public, or sent to customers
        *("twilio", "sendgrid", "mailgun", "postmark", "mailchimp", "klaviyo", "braze", "iterable", "customerio", "brevo"),
        *("shopify", "woocommerce", "bigcommerce", "appstore", "playstore", "ads", "adwords", "facebook", "instagram"),
        *("twitter", "linkedin", "youtube", "tiktok", "buffer", "hootsuite", "godaddy", "namecheap", "dns", "cdn", "registrar"),
        # where others' programs run
        *("cloudflare", "vercel", "netlify", "fastly", "akamai", "heroku", "digitalocean", "hetzner", "linode", "proxmox"),
        *("argocd", "pulumi", "spacelift", "terraform", "vsphere", "railway", "render", "flyio"),
        # networks and guarded machines
        *(
            "junos",
            "nxos",
            "eos",
            "panos",
            "fortigate",
            "netmiko",
            "napalm",
            "netconf",
            "restconf",
            "mikrotik",
            "routeros",
            "meraki",
        ),
        *("falcon", "crowdstrike", "sentinelone", "velociraptor", "rtr", "tanium"),
        # rights
        *("okta", "auth", "keycloak", "entra", "jumpcloud", "onelogin", "cognito", "iam", "ldap", "intune", "jamf"),
        # people who are called, employed or observed
        *("pagerduty", "opsgenie", "victorops", "oncall", "statuspage", "bamboohr", "workday", "rippling", "deel", "personio"),
        # what a deployment does at once
        *("launchdarkly", "flagsmith", "unleash", "statsig", "configcat", "flags"),
    )
)
"""Words in the names of servers whose changes reach customers, money, rights or what others run: an act whose verb is not known
is worth a question there. GROWS: a word for each."""
_REHEARSED = frozenset(
    "test tests testing dev development staging preview sandbox local demo draft drafts planning scenario twin training".split()
)
_PARTIES = frozenset(
    "currency to recipient beneficiary payee destination iban accountid toaccount vendor vendorid wallet toaddress cardid".split()
)
"""Arguments beside an amount that tell that it is paid."""
_SPENDING = frozenset("send transfer approve swap bridge stake withdraw mint deploy write".split())
"""Acts at a blockchain that somebody pays for, or that give away what a wallet holds."""
_PROGRAMS = frozenset("mcp server servers package plugin extension repo repository skill connector".split())
"""What is installed, and runs from then on."""
_TERMINALS = frozenset(("terminal", "shell"))
_GENERIC_TOOLS = frozenset("invoke call execute request rpc mutate dispatch run do exec api command".split())
"""Words of tools whose arguments name the act."""
_COMMANDED = frozenset(
    "mavlink ardupilot junos nxos eos panos fortigate netmiko napalm mikrotik routeros falcon crowdstrike velociraptor".split()
)
"""Servers whose commands are those of other machines."""
_WRITING_VERBS = frozenset("write update insert delete remove set modify upsert patch put".split())
_HEALTH_RECORDS = frozenset("fhir hl7 ehr emr openmrs openemr cerner athenahealth".split())
"""Servers of patients' records, on which treatments rest."""
_CONTENTS = frozenset("content newstr newcontent body markdown text html".split())
_REPLACING = frozenset("replace overwrite".split())
_LOCKED = frozenset("door doors garage gate gates lock locks valve valves".split())
_OPENING = frozenset("open unlock disarm release".split())
_SWITCHED_OFF = frozenset(("turn", "off"))
"""How a smart home opens a lock."""
_MAX_NAME_LENGTH = 80  # characters of a name; longer values are text


def find_stake(server: str, tool: str, arguments: Mapping[str, object]) -> str | None:
    """Returns the kind of act that the arguments suggest; None if nothing is at stake, or if the call only reads."""
    words, served = frozenset(split_words(tool)), frozenset(split_words(server))
    if (
        _is_dry(arguments)
        or _only_looks(tool)
        or served & _BROWSERS
        or is_simulated((*words, *served), arguments)
        or is_throwaway(server, tool, arguments)
    ):
        return None
    if "install" in words and words & _PROGRAMS:
        return "installs"
    if _operates_lock(words | served, arguments):
        return "operates"
    parsed = parse_texts(arguments)
    leaves = [leaf for each in _iter_acting_objects(parsed) for leaf in each]
    if any(map(chooses_sandbox, list_settings(parsed))) or is_on_test_chain((*words, *served), leaves):
        return None
    about_text = bool(words & _TEXTS) and not _issues_something(tool)
    named = {fold_key(str(key)): value for key, value in arguments.items()}
    given = (named.get(key) for key in _NAMING_KEYS if words & _GENERIC_TOOLS)
    acts = [value for value in given if isinstance(value, str) and value.upper() not in METHODS]
    return _find_in_leaves(server, words.union(*map(split_words, acts)), leaves, about_text=about_text)


def _issues_something(tool: str) -> bool:
    """Returns whether `issue` is the verb of a tool's name: `issueTelexRelease`, and not `issue_create`."""
    first, *rest = split_words(tool) or ("",)
    return first == "issue" and bool(rest) and not knows_verb(frozenset(rest[:1])) and _HARMLESS_VERBS.isdisjoint(rest)


def _is_dry(arguments: Mapping[str, object]) -> bool:
    """Returns whether the call, or an object that it carries, says that nothing is to be changed."""
    is_checked = any(fold_key(str(key)) == "validate" and value is True for key, value in arguments.items())
    return (
        is_checked or is_dry_run(arguments) or any(isinstance(each, Mapping) and is_dry_run(each) for each in arguments.values())
    )


def _only_looks(tool: str) -> bool:
    """Returns whether a tool's name says that it reads: by its first verb, or by the thing that it returns."""
    words = split_words(tool)
    if names_report(words):
        return True
    first = next((word for word in words if word in _HARMLESS_VERBS or knows_verb(frozenset((word,)))), "")
    if first:
        return first in _HARMLESS_VERBS and DECIDING_VERBS.isdisjoint(words)
    return DECIDING_VERBS.isdisjoint(words) and not _READ_THINGS.isdisjoint(words[-1:])


def speaks_for_itself(server: str, tool: str) -> bool:
    """Returns whether the names alone tell what is at stake, whatever code the call is given: `write_cypher` of `neo4j-prod`, the
    commands of a router."""
    served, words = frozenset(split_words(server)), frozenset(split_words(tool))
    return bool((_PRODUCTION & served and _WRITING_VERBS & words) or served & _COMMANDED)


def _find_in_leaves(server: str, words: frozenset[str], leaves: Leaves, *, about_text: bool) -> str | None:
    """Returns the kind of act that the leaves of the acting objects suggest. `words`: those of the tool and of the act that it is
    asked for; `about_text`: the tool is for texts and tickets."""
    served = frozenset(split_words(server))
    names = [(key, value) for key, value in leaves if isinstance(value, str) and len(value) <= _MAX_NAME_LENGTH]
    if told := _find_told_act(words | served, words, leaves, names):
        return told
    if any(value is False and names_final_step(key) for key, value in leaves):
        return None
    if leaves and is_equipment(words | served | _list_mentioned(names)) and not _is_only_prepared(leaves):
        return "operates"
    if (decided := find_decision(served, words, leaves, about_text=about_text)) is not None:
        return None if _is_rehearsed(words | served, names) else decided
    if about_text:
        return None
    is_rehearsed = _is_rehearsed(words | served, names)
    if _pays(leaves) and not words & _RECORDS and not is_rehearsed and not moves_no_money(server, leaves):
        return "pays"
    is_configured = words & {"config", "configuration", "command"} and words & {"send", "set", "commit", "execute", "run", "push"}
    if served & _SERVICES and leaves and (is_configured or not knows_verb(words)) and not is_rehearsed:
        return None if not is_configured and has_harmless_mark(words, leaves) else "reaches"
    is_treatment = served & _HEALTH_RECORDS and words & _WRITING_VERBS and not is_rehearsed
    if is_treatment or _is_in_production(words, served, leaves, names):
        return None if any(value is False and key == "commit" for key, value in leaves) else "alters"
    if not served or not leaves or is_familiar(served | words & _TERMINALS) or moves_no_money(server, leaves):
        return None
    if knows_verb(words - _GENERIC_TOOLS) or has_harmless_mark(words | served, leaves):
        return None
    return None if words.isdisjoint(_GENERIC_TOOLS) and asks_for_thing(words, leaves) else "untold"


def _find_told_act(all_words: frozenset[str], words: frozenset[str], leaves: Leaves, names: list[tuple[str, str]]) -> str | None:
    """Returns the kind of an act that arguments tell by themselves."""
    if _empties_content(words, leaves):
        return "overwrites"
    if any(key.endswith(_ROLE_ENDINGS) and _ADMINISTRATORS.intersection(split_words(value)) for key, value in names):
        return "grants"
    return "pays" if is_about_chains(all_words) and words & _SPENDING else None


def _empties_content(words: frozenset[str], leaves: Leaves) -> bool:
    """Returns whether the whole content of a page or a document is replaced with nothing."""
    acts = (value for key, value in leaves if key in (*_NAMING_KEYS, "command", "mode") and isinstance(value, str))
    is_replaced = not _REPLACING.isdisjoint(words.union(*(split_words(each[:_MAX_NAME_LENGTH]) for each in acts)))
    return (
        is_replaced
        and any(value == "" and key in _CONTENTS for key, value in leaves)
        and not any(key == "oldstr" for key, _ in leaves)
    )


def _is_in_production(words: frozenset[str], server_words: frozenset[str], leaves: Leaves, names: list[tuple[str, str]]) -> bool:
    """Returns whether the call's names or its arguments say production."""
    return bool(_PRODUCTION & (words | server_words) and leaves) or any(_names_production(key, value) for key, value in names)


def _operates_lock(all_words: frozenset[str], arguments: Mapping[str, object]) -> bool:
    """Returns whether the call opens a door, by its name or by what an object of its arguments says."""
    said = [value for key, value in find_leaves(arguments) if isinstance(value, str) and not is_data_key(key)]
    mentioned = all_words.union(*(split_words(value) for value in said if len(value) <= _MAX_NAME_LENGTH))
    return bool(mentioned & _LOCKED and (mentioned & _OPENING or all_words >= _SWITCHED_OFF))


def _iter_acting_objects(arguments: Mapping[str, object]) -> Iterator[Leaves]:
    """Yields the leaves of each object that names no act of reading; none if all that is carried by a list only reads."""
    waiting: list[object] = [arguments]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list | tuple):
            waiting += each
        if not isinstance(each, Mapping):
            continue
        entries = [(fold_key(str(key)), value) for key, value in each.items()]
        if any(_reads(key, value) or _only_reads(value) for key, value in entries):
            continue
        waiting += [value for _, value in entries if isinstance(value, Mapping | list | tuple)]
        yield [*(leaf for key, value in entries for leaf in _list_leaves(key, value)), *_find_variable(dict(entries))]


def _only_reads(steps: object) -> bool:
    """Returns whether a list holds objects, each of which only reads."""
    if not isinstance(steps, list | tuple) or not steps:
        return False
    return all(
        isinstance(each, Mapping) and any(_reads(fold_key(str(key)), value) for key, value in each.items()) for each in steps
    )


def _find_variable(entries: Mapping[str, object]) -> Leaves:
    """Returns what an entry of a list of variables sets: `{"key": "DEPLOY_ENV", "value": "production"}`."""
    name, value = entries.get("key", entries.get("name")), entries.get("value")
    is_variable = isinstance(name, str) and isinstance(value, str) and len(value) <= _MAX_NAME_LENGTH
    return [(fold_key(str(name)), value)] if is_variable else []


def _list_leaves(key: str, value: object) -> Leaves:
    values = value if isinstance(value, list | tuple) else (value,)
    return [(key, each) for each in values if not isinstance(each, Mapping | list | tuple)]


def _reads(key: str, value: object) -> bool:
    """Returns whether an argument says that the object which holds it only reads."""
    if key in ("fc", "functioncode"):
        return value in _READING_CODES
    if key in ("graphql", "query") and isinstance(value, str) and _READS_GRAPH(value):
        return True
    if not isinstance(value, str) or not (key in ("op", "tool", "toolname") or key.endswith(_ACT_ENDINGS)):
        return False
    if value.upper() in METHODS:
        return value.upper() in ("GET", "HEAD", "OPTIONS")
    words = split_words(value)
    return not (_HARMLESS_VERBS - _VALUES_OF_DEVICES).isdisjoint(words[:2]) or not _READ_THINGS.isdisjoint(words[-1:])


_READS_GRAPH = re.compile(r"""\s*(?:query\b[^{]*)?\{(?!\s*["'$}])(?!.*\b(?:mutation|subscription)\b)""", re.DOTALL).match
"""Matches a query of GraphQL, and no object of JSON."""
_VALUES_OF_DEVICES = frozenset(("open", "select", "switch"))
"""What a device may be told, too."""


def _names_production(key: str, value: str) -> bool:
    is_name = not is_data_key(key) and not key.endswith(_PLACE_ENDINGS) and "://" not in value and not value.startswith("prod_")
    return is_name and not _PRODUCTION.isdisjoint(split_words(value))


def _list_mentioned(names: list[tuple[str, str]]) -> frozenset[str]:
    return frozenset(word for key, value in names if key in _DEVICE_KEYS for word in split_words(value))


_DEVICE_KEYS = frozenset("device command topic machine vehicle node nodeid op method action service".split())
"""Arguments that name a machine, or what it is told."""


def _is_only_prepared(leaves: Leaves) -> bool:
    """Returns whether switches say that a machine is not started: `print: false`."""
    switches = [value for key, value in leaves if key in ("print", "start", "execute", "run", "select", "autostart")]
    return bool(switches) and all(value is False for value in switches)


def _is_rehearsed(all_words: frozenset[str], names: list[tuple[str, str]]) -> bool:
    """Returns whether a name, or an argument, says that this is for development or a test."""
    mentioned = all_words.union(*(split_words(value) for key, value in names if not is_data_key(key)))
    return not mentioned.isdisjoint(_REHEARSED)


def _pays(leaves: Leaves) -> bool:
    keys = {key for key, _ in leaves}
    return any(key.endswith(("amount", "amountcents", "amountminor")) for key in keys) and not keys.isdisjoint(_PARTIES)
