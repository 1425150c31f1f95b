"""`[limits]`, `[network]`, `[undo]` and `[audit]` of a policy file: how much may be deleted in a session without a question,
which hosts are trusted, how much is kept, and what a record holds."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toolgate.model.rule import LogLimits

from .statements import RuleSetting

_LIMITED_RULE = "filesystem.delete-uncommitted"
_RULES_ON_DESTINATIONS = ("network.exfiltrate", "network.send-project", "network.web-access", "persistence.setting")
_UNITS = {"": 1, "B": 1, "bytes": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def apply_tables(rules: Mapping[str, RuleSetting], table: Mapping[str, Any]) -> Mapping[str, RuleSetting]:
    """Returns the rules with `[limits]` and `[network]` as options of the rules that they are about."""
    return _apply_trusted_hosts(_apply_limits(rules, table.get("limits", {})), table.get("network", {}))


def _apply_limits(rules: Mapping[str, RuleSetting], limits: Mapping[str, Any]) -> Mapping[str, RuleSetting]:
    """Returns the rules with `[limits]` as options of the rule that it limits."""
    given: dict[str, int] = {"files": limits["delete_files"]} if "delete_files" in limits else {}
    if "delete_bytes" in limits:
        given["bytes"] = _parse_bytes(limits["delete_bytes"])
    before = rules.get(_LIMITED_RULE, RuleSetting())
    return {**rules, _LIMITED_RULE: replace(before, options={**before.options, **given})} if given else rules


def _apply_trusted_hosts(rules: Mapping[str, RuleSetting], network: Mapping[str, Any]) -> Mapping[str, RuleSetting]:
    """Returns the rules with the hosts of `[network]` as options of the rules on destinations, beside their own."""
    hosts = network.get("trusted", [])
    found = dict(rules)
    for rule in _RULES_ON_DESTINATIONS if hosts else ():
        before = found.get(rule, RuleSetting())
        own = before.options.get("trusted", ())
        every = tuple(dict.fromkeys((*(own if isinstance(own, list | tuple) else ()), *hosts)))
        found[rule] = replace(before, options={**before.options, "trusted": every})
    return found


def read_undo_limits(section: object) -> Mapping[str, float]:
    """Returns the limits of `[undo]` that a file sets."""
    if not isinstance(section, Mapping):
        return {}
    return {name: _parse_bytes(value) if isinstance(value, str) else value for name, value in section.items()}


def read_log_limits(section: Mapping[str, object]) -> Mapping[str, float]:
    """Returns the limits of the audit log that `[audit]` sets."""
    return read_undo_limits({name: section[name] for name in LogLimits._fields if name in section})


def read_audit_settings(section: object) -> Mapping[str, object]:
    """Returns the switches of `[audit]` that a file sets."""
    return {"audit.operations": section["operations"]} if isinstance(section, Mapping) and "operations" in section else {}


def _parse_bytes(text: str) -> int:
    number = text.rstrip("bytesBkMGT ")
    return int(float(number) * _UNITS[text[len(number) :].strip()])
