"""Which settings keep data, records and access safe, and which values of them take that away.

Providers, databases and tools of servers name their settings alike: a word for what protects (`deletion-protection`,
`BackupRetentionPeriod`, `versioning`), words that turn its sense around (`no`, `disable`, `skip`), and a value that switches it
on or off. One reading of these words holds for a command's options, for the arguments of a tool or a method, and for statements.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = re.compile(r"[a-z]+|\d+")
_GUARDS = frozenset(
    (
        "alarm alarms antivirus appendonly audit auditd auditing backup backups binlog cmek detector dnssec encryption "
        "failsafe finalizer firewall fsync guardduty hsts interlock limiter logging mfa mtls pitr protected protection "
        "protections retention rls ssl tde tls trail ttlseconds versioning waf"
    ).split()
)
"""Words of what protects, in the name of a setting."""
_GUARDING_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in (
        "soft delete; point in time; block public; restrict public; ignore public acls; access prevention; archive mode; "
        "final snapshot; strict ssl; use https; invoker iam; security level; require ssl; require tls; ssl enforcement; "
        "verify ssl; ssl verify; deny non fast; deny deletes; account enabled; secure boot; shielded vm; full page; "
        "code owner reviews; approving review; status checks; enforce admins; general log; delete lock; object lock; "
        "vulnerability alerts; network policy; row level security; log enabled; log bin; automated snapshots; "
        "authentication required; auth disabled; auth enabled; auth required; pod security; two factor; secure transport; "
        "flow log; web acl; secret scanning; pipeline succeeds; time to live; data scrubber; reclaim policy; "
        "deletion policy; removal policy; management events; require approvals; required approvals; approvals to merge; "
        "approvals required; keep days; offsite copy; masked; verify jwt; jwt verification"
    ).split("; ")
)
_HAZARDS = (("api", "termination"), ("api", "stop"), ("force", "destroy"))
"""What is dangerous where it is on: `disable-api-termination` protects a machine."""
_NEGATIONS = frozenset(
    "no disable disabled skip bypass suspend suspended without clear remove unset pause paused unschedule off cancel"
    " disassociate".split()
)
_SWITCHES = frozenset(
    "enabled enable status state value on active mode disabled disable suspend suspended paused pause enabling days hours seconds"
    " is set rule spec settings config configuration options template metadata p patch parameters params input"
    " body data args arguments request requests payload fields attributes properties"
    " schedule schedules".split()
)
"""Names that say nothing of what they switch: that is in the names around them."""
_FREE_NAMES = frozenset("variables env environment vars tags labels annotations environmentvariables".split())
"""Objects with names that somebody else chose."""
_ACTION_NAMES = frozenset("type action operation op command do".split())
_OFF_VALUES = frozenset(
    "false off no n none disabled disable suspended inactive 0 essentially_off privileged delete destroy".split()
)
_ON_VALUES = frozenset("true on yes y enabled enable active".split())
_PERIODS = frozenset(("retention", "ttlseconds", "live"))
_STOPPED_COUNTS = tuple(
    tuple(phrase.split())
    for phrase in (
        "replicas; replica count; desired count; desired capacity; node count; num nodes; max instances; instance count; "
        "number of instances; concurrent executions; hard pods"
    ).split("; ")
)
"""Numbers of what runs: nothing does where one is 0."""
_MACHINE_COUNTS = tuple(
    tuple(phrase.split())
    for phrase in (
        "count; nodes; node count; num nodes; desired capacity; instance count; number of instances; min count; max count; "
        "min instances; min nodes; max nodes; min size; max size; new capacity; num workers"
    ).split("; ")
)
_MANY_MACHINES, _MANY_COPIES = 50, 500
"""Numbers of machines, and of copies of a program, that are rarely meant and cost a fortune."""
_LARGE_ENOUGH = 86_400.0  # seconds: what is kept for a day or less is as good as not kept
_UNIT_SECONDS = {
    **dict.fromkeys(("ms", "millis", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
}
_PERIOD = re.compile(r"(\d{1,12})\s?([a-z]{0,12})")
_MAX_TEXT = 20_000  # characters of a value that is read as JSON or as pairs
_MAX_SETTINGS = 500
_PAIR = re.compile(r"([\w.:/\[\]-]{1,80})=([\w.-]{1,40})(?=,|$)")

Setting = tuple[tuple[str, ...], object]
"""The names from the outermost to the innermost, and the value."""


def find_weakened(settings: Iterable[Setting]) -> str:
    """Returns the name of the first safeguard that one of the settings takes away; empty if there is none."""
    for names, value in settings:
        if any(name.lower() in _FREE_NAMES for name in names[:-1]):
            continue
        if weakens(names, value) or lifts_ban(names, value):
            return names[-1]
        if names_action((names, value)) and weakens((str(value),), True):
            return str(value)
    return ""


def names_action(setting: Setting) -> bool:
    """Returns whether the value is the name of what is to be done: `{"type": "disable_backups"}`."""
    names, value = setting
    return isinstance(value, str) and names[-1:] != () and names[-1].lower() in _ACTION_NAMES


def weakens(names: Sequence[str], value: object) -> bool:
    """Returns whether this value takes away the safeguard that the names speak of. A name such as `enabled` speaks of what is
    around it."""
    sense = _read_value(value)
    for name in reversed(names):
        words = split_name(name)
        if guard := _find_sense(words):
            if _PERIODS.isdisjoint(words) or sense is not None:
                return sense is not None and guard * sense < 0
            return guard > 0 and _is_short(words, value)
        sense = None if sense is None else sense * _count_negations(words)
        if not (_SWITCHES | _NEGATIONS).issuperset(words):
            return False
    return False


def lifts_ban(names: Sequence[str], value: object) -> bool:
    """Returns whether this value empties a list of what is forbidden, or allows every path: `blockedCommands: []`."""
    words = {word for name in names[-2:] for word in split_name(name)}
    if words & _BANS:
        return value in ((), "")
    is_everywhere = value in ("/", "*", "**", "/*", "/**") or (value == () and "directories" in words)
    return bool(words & {"allowed", "allow"} and words & _ALLOWED_PLACES and is_everywhere)


_BANS = frozenset("blocked blocklist blacklist denied deny denylist disallowed forbidden banned".split())
_ALLOWED_PLACES = frozenset("directories directory paths path roots root commands folders".split())


def stops_everything(names: Sequence[str], value: object) -> bool:
    """Returns whether this value leaves nothing running of what the names speak of."""
    words = tuple(word for name in names[-2:] for word in split_name(name))
    return str(value) == "0" and any(words[-len(each) :] == each for each in _STOPPED_COUNTS)


def starts_many(names: Sequence[str], value: object) -> bool:
    """Returns whether this value starts so many machines, or copies of a program, that the bill is the harm."""
    words, text = split_name(names[-1]), str(value)
    if not text.isdecimal() or len(text) > _MAX_DIGITS:
        return False
    is_of_machines = words in _MACHINE_COUNTS or (words == ("size",) and _names_group_of_machines(names[0]))
    return int(text) >= (_MANY_MACHINES if is_of_machines else _MANY_COPIES) and (is_of_machines or words in _STOPPED_COUNTS)


def _names_group_of_machines(command: str) -> bool:
    return any(group in command for group in ("instance groups", "instance-groups", "node-pool", "node pool", "vmss", "fleet"))


_MAX_DIGITS = 12


def list_settings(value: object, names: tuple[str, ...] = ()) -> Iterator[Setting]:
    """Yields each value of nested objects and lists, also of those in texts (JSON, `Status=Suspended`), with the names that lead
    to it."""
    waiting: list[Setting] = [(names, value)]
    for _ in range(_MAX_SETTINGS):
        if not waiting:
            return
        path, each = waiting.pop()
        if isinstance(each, str):
            each = _parse_text(each)
        if isinstance(each, Mapping):
            pair = _find_pair(each)
            waiting += [((*path, pair[0]), pair[1])] if pair else []
            waiting += [((*path, str(name)), part) for name, part in each.items() if not pair or str(name).lower() not in _PAIRED]
        elif isinstance(each, list | tuple) and each:
            waiting += [(path, part) for part in each]
        else:
            yield path, () if isinstance(each, list) else each


@lru_cache(2048)
def split_name(name: str) -> tuple[str, ...]:
    """Splits `BackupRetentionPeriod`, `backup_retention_period` and `--backup-retention-period` into the same words."""
    return tuple(_WORDS.findall(_CAMEL.sub(" ", name).lower()))


def _find_pair(entries: Mapping[str, object]) -> tuple[str, object] | None:
    """Returns the name and the value of an object that is a setting: `{"Key": "deletion_protection", "Value": "false"}`."""
    folded = {str(key).lower(): value for key, value in entries.items()}
    name = next((each for key in _NAMES_OF_PAIR if isinstance(each := folded.get(key), str)), "")
    value = next((folded[key] for key in _VALUES_OF_PAIR if key in folded), None)
    return (name, value) if name and value is not None else None


_NAMES_OF_PAIR = ("key", "name", "parametername", "setting", "settingname", "option", "kind")
_VALUES_OF_PAIR = ("value", "parametervalue")
_PAIRED = frozenset((*_NAMES_OF_PAIR, *_VALUES_OF_PAIR))


def _parse_text(text: str) -> object:
    """Returns the object that a text spells, as JSON or as pairs; otherwise the text."""
    if len(text) > _MAX_TEXT:
        return text
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    pairs = _PAIR.findall(text)
    return dict(pairs) if pairs and ",".join(map("=".join, pairs)) == text else text


@lru_cache(2048)
def _find_sense(words: tuple[str, ...]) -> int:
    """Returns 1 if a name speaks of a safeguard, -1 if of a danger or of a safeguard that is off, 0 for anything else."""
    if any(_contains(words, each) for each in _HAZARDS):
        return -_count_negations(words)
    if not _GUARDS.isdisjoint(words) or any(_contains(words, each) for each in _GUARDING_PHRASES):
        return _count_negations(words)
    return 0


def _count_negations(words: tuple[str, ...]) -> int:
    """Returns -1 for an odd number of words that turn the sense around, and 1 for an even number."""
    return -1 if sum(word in _NEGATIONS for word in words) % 2 else 1


def _contains(words: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    return any(words[n : n + len(phrase)] == phrase for n in range(len(words) - len(phrase) + 1))


def _read_value(value: object) -> int | None:
    """Returns 1 for a value that switches something on, -1 for one that switches it off; None if it does neither."""
    if isinstance(value, bool):
        return 1 if value else -1
    text = str(value).strip().lower()
    return -1 if text in _OFF_VALUES else 1 if text in _ON_VALUES else None


def _is_short(words: tuple[str, ...], value: object) -> bool:
    """Returns whether something is kept for a day or less."""
    found = _PERIOD.fullmatch(str(value).strip().lower())
    if found is None:
        return False
    unit = found[2] or next((word for word in words if word in _UNIT_SECONDS), "days")
    return int(found[1]) * _UNIT_SECONDS.get(unit, _LARGE_ENOUGH) <= _LARGE_ENOUGH
