"""Guards that a tool takes away, networks that it opens to everybody, and machines that it switches off."""

from .act_kinds import OFF_VERBS, SETTING_VERBS
from .equipment import operates_equipment
from .names import split_words

Leaves = list[tuple[str, object]]
_SECURITY_SERVICES = frozenset(
    "wazuh crowdstrike sentinelone defender falco snort suricata waf firewall pfsense opnsense guardduty splunk siem edr".split()
)
_HOME_GUARDS = frozenset("alarm lock camera security smoke".split())


def find_opened_network(words: frozenset[str], server: frozenset[str], leaves: Leaves) -> str | None:
    """Returns the kind of act of a call that takes a guard away, lets everybody through, or switches a machine off."""
    if operates_equipment(words, server):
        return "operates"
    if server & _SECURITY_SERVICES and words & {*OFF_VERBS, "uninstall", "suppress", "remove"}:
        return "weakens"
    values = {(key, str(value).lower()) for key, value in leaves}
    if any(
        key in ("action", "policy", "type") and value in ("pass", "allow", "accept", "permit") for key, value in values
    ) and any(
        key.startswith(("source", "src", "from", "cidr")) and value in ("any", "*", "0.0.0.0/0", "::/0") for key, value in values
    ):
        return "opens"
    if words & {"share", "publish"} and words & {"web", "internet"}:
        return "opens"
    if "off" in words and words & {"power", "turn", "switch"}:
        if any(key == "entityid" and not _HOME_GUARDS.isdisjoint(split_words(value)) for key, value in values):
            return "weakens"
        return "stops" if words & {"vm", "server", "machine", "instance", "droplet"} else None
    return "deploys" if words & {"nameserver", "nameservers"} and words & SETTING_VERBS else None
