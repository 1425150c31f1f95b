"""Loads the profiles that the package ships: `profiles/*.toml` and those of the designs, trusted because tests read every one."""

import os
from collections.abc import Mapping
from typing import Any

from toolgate import designs
from toolgate.model.decision import Verdict
from toolgate.model.rule import RuleRow, Ruling

from .statements import RuleSetting, Statements
from .strictness import SWITCHES, stricter_value

PACKAGE = os.path.dirname(os.path.dirname(__file__))
PROFILES_FOLDER = os.path.join(PACKAGE, "profiles")


def list_names() -> tuple[str, ...]:
    return tuple(sorted((*list_general_names(), *designs.PROFILES)))


def list_general_names() -> tuple[str, ...]:
    """Returns the names of the profiles that belong to no design."""
    return tuple(sorted(name.removesuffix(".toml") for name in os.listdir(PROFILES_FOLDER) if name.endswith(".toml")))


def read_stamp() -> str:
    """Returns a value that changes with any profile, so that policies compiled from an old one are not reused."""
    return repr([(name, os.stat(locate_profile(name)).st_mtime_ns) for name in list_names()])


def locate_profile(name: str) -> str:
    if name in designs.PROFILES:
        return os.path.join(PACKAGE, "designs", designs.PROFILES[name], "profile.toml")
    return os.path.join(PROFILES_FOLDER, f"{name}.toml")


def load_profile(table: Mapping[str, RuleRow], name: str) -> Statements:
    """Returns a profile's statements, over those of the profiles that it extends. Raises KeyError for an unknown profile."""
    if name not in list_names():
        raise KeyError(name)
    import tomllib

    with open(locate_profile(name), "rb") as file:
        said = tomllib.load(file)
    below = [load_profile(table, each) for each in said.get("extends", ())]
    switches = _strictest_switches(below)
    switches.update((key, _parse_verdict(said[key]) if key == "cap" else said[key]) for key in SWITCHES if key in said)
    rules = _strictest_rules(table, below)
    rules.update((rule, _read_setting(each)) for rule, each in said.get("rules", {}).items())
    if "other" in said:
        other = RuleSetting(_parse_verdict(said["other"]), _parse_verdict(said["other"]))
        rules = {**dict.fromkeys(table, other), **rules}
    if "at_least" in said:
        rules = _raise_rules(table, rules, _parse_verdict(said["at_least"]))
    zones = said.get("zones", {})
    return Statements(
        "profile",
        f"profile {name}",
        switches=switches,
        rules=rules,
        safe=tuple(zones.get("safe", ())),
        blocked=(*(path for each in below for path in each.blocked), *zones.get("blocked", ())),
        workplaces=tuple(said.get("workplaces", ())),
        names=said.get("names", {}),
    )


def _raise_rules(table: Mapping[str, RuleRow], rules: Mapping[str, RuleSetting], least: Verdict) -> dict[str, RuleSetting]:
    """Raises every rule to at least that verdict, for sure and unsure matches: also rules added to the table later."""
    result: dict[str, RuleSetting] = {}
    for rule, row in table.items():
        ruling = rules.get(rule, RuleSetting()).apply_to(Ruling(row.verdict, row.unsure))
        result[rule] = RuleSetting(max(ruling.verdict, least), max(ruling.unsure, least), ruling.options)
    return result


def _strictest_switches(profiles: list[Statements]) -> dict[str, object]:
    result: dict[str, object] = {}
    for profile in profiles:
        for name, value in profile.switches.items():
            result[name] = stricter_value(name, result.get(name, value), value)
    return result


def _strictest_rules(table: Mapping[str, RuleRow], profiles: list[Statements]) -> dict[str, RuleSetting]:
    """A profile that does not mention a rule contributes its row's default."""
    result: dict[str, RuleSetting] = {}
    for rule in {rule: None for profile in profiles for rule in profile.rules if rule in table}:
        row = Ruling(table[rule].verdict, table[rule].unsure)
        rulings = [profile.rules.get(rule, RuleSetting()).apply_to(row) for profile in profiles]
        options = {key: value for each in rulings for key, value in each.options.items()}
        result[rule] = RuleSetting(max(each.verdict for each in rulings), max(each.unsure for each in rulings), options)
    return result


def _read_setting(table: Mapping[str, Any]) -> RuleSetting:
    return RuleSetting(
        _parse_verdict(table["verdict"]) if "verdict" in table else None,
        _parse_verdict(table["unsure"]) if "unsure" in table else None,
        table.get("options", {}),
    )


def _parse_verdict(text: str) -> Verdict:
    return Verdict[text.upper()]
