"""Loads the profiles that the package ships: data in `profiles/*.toml`, trusted because tests read every one."""

import os
from collections.abc import Mapping
from typing import Any

from toolgate.model.decision import Verdict
from toolgate.model.rule import Row, Ruling

from .statements import Stated, Statements
from .strictness import SWITCHES, stricter_value

FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "profiles")
DEFAULT = "default"


def names() -> tuple[str, ...]:
    return tuple(sorted(name.removesuffix(".toml") for name in os.listdir(FOLDER) if name.endswith(".toml")))


def stamp() -> str:
    """Returns a value that changes with any profile, so that policies compiled from an old one are not reused."""
    with os.scandir(FOLDER) as entries:
        return repr(sorted((entry.name, entry.stat().st_mtime_ns) for entry in entries))


def load(table: Mapping[str, Row], name: str) -> Statements:
    """Returns a profile's statements, over those of the profiles that it extends. Raises KeyError for an unknown profile."""
    if name not in names():
        raise KeyError(name)
    import tomllib

    with open(os.path.join(FOLDER, f"{name}.toml"), "rb") as file:
        said = tomllib.load(file)
    below = [load(table, each) for each in said.get("extends", ())]
    switches = _strictest_switches(below)
    switches.update((key, _word(said[key]) if key == "cap" else said[key]) for key in SWITCHES if key in said)
    rules = _strictest_rules(table, below)
    rules.update((rule, _stated(each)) for rule, each in said.get("rules", {}).items())
    if "other" in said:
        other = Stated(_word(said["other"]), _word(said["other"]))
        rules = {**dict.fromkeys(table, other), **rules}
    if "at_least" in said:
        rules = _raised(table, rules, _word(said["at_least"]))
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


def _raised(table: Mapping[str, Row], rules: Mapping[str, Stated], least: Verdict) -> dict[str, Stated]:
    """Raises every rule to at least that verdict, for sure and unsure matches: also rules added to the table later."""
    result: dict[str, Stated] = {}
    for rule, row in table.items():
        said = rules.get(rule, Stated()).over(Ruling(row.verdict, row.unsure))
        result[rule] = Stated(max(said.verdict, least), max(said.unsure, least), said.options)
    return result


def _strictest_switches(profiles: list[Statements]) -> dict[str, object]:
    result: dict[str, object] = {}
    for profile in profiles:
        for name, value in profile.switches.items():
            result[name] = stricter_value(name, result.get(name, value), value)
    return result


def _strictest_rules(table: Mapping[str, Row], profiles: list[Statements]) -> dict[str, Stated]:
    """A profile that does not mention a rule contributes its row's default."""
    result: dict[str, Stated] = {}
    for rule in {rule: None for profile in profiles for rule in profile.rules if rule in table}:
        row = Ruling(table[rule].verdict, table[rule].unsure)
        said = [profile.rules.get(rule, Stated()).over(row) for profile in profiles]
        options = {key: value for each in said for key, value in each.options.items()}
        result[rule] = Stated(max(each.verdict for each in said), max(each.unsure for each in said), options)
    return result


def _stated(said: Mapping[str, Any]) -> Stated:
    return Stated(
        _word(said["verdict"]) if "verdict" in said else None,
        _word(said["unsure"]) if "unsure" in said else None,
        said.get("options", {}),
    )


def _word(text: str) -> Verdict:
    return Verdict[text.upper()]
