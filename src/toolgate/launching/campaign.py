"""Writes a campaign's settings and its two hooks when it begins, never over a person's changes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgate.install import Change, Plan, own_command
from toolgate.machine import files
from toolgate.model.errors import SettingsError
from toolgate.policy.find import SCRIPT_MODE

from .rendering import render
from .shim import Script

HOST, PROFILE = "claude-code", "nous-plan"
ENFORCER, STOP = "bin/nous-plan-enforcer", "bin/nous-execute-stop"
HOOKS = {ENFORCER: Script("settings init", HOST, "PreToolUse", PROFILE), STOP: Script("settings init", HOST, "Stop", PROFILE)}


@dataclass(frozen=True, slots=True)
class Campaign:
    """Absolute paths. `plan`: the commands of the plan; `programs`: further programs that may be run."""

    work_dir: str
    repo: str = ""
    plan: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    @property
    def settings_path(self) -> str:
        return settings_path(self.work_dir)

    @property
    def scripts(self) -> dict[str, bytes]:
        return {name: script.text(self.work_dir, own_command()).encode() for name, script in HOOKS.items()}

    def settings(self) -> dict[str, Any]:
        """Returns the settings with the campaign's own hooks."""
        stop, enforcer = f"{self.work_dir}/{STOP}", f"{self.work_dir}/{ENFORCER}"
        return render(self.work_dir, self.repo or None, self.plan, self.programs, stop, enforcer)


def settings_path(work_dir: str) -> str:
    return f"{work_dir}/.claude/settings.json"


def work_dir_of(repo: str, run: str) -> str:
    """Returns the folder of a repository's run. Raises SettingsError for a name that leads elsewhere."""
    if not run or run in (".", "..") or "/" in run or not run.isprintable():
        raise SettingsError(f"run {run!r}", "it is no name of a folder", "use letters, digits, dashes")
    return f"{repo}/.nous/{run}"


def plan_init(campaign: Campaign) -> Plan:
    """Plans the files of a new campaign. An existing settings file stays, whatever it holds; the hooks are overwritten."""
    changes, notes = [], []
    for name, text in campaign.scripts.items():
        path = files.destination(f"{campaign.work_dir}/{name}")
        before = files.read(path)
        if before != text:
            changes.append(Change(path, before, text, SCRIPT_MODE))
    path = files.destination(campaign.settings_path)
    before, wanted = files.read(path), written(campaign.settings())
    if before is None:
        changes.append(Change(path, None, wanted))
    elif before != wanted:
        notes.append(f"{path} is there already and stays as it is; `toolgate settings diff` shows what it lacks")
    return Plan(HOST, tuple(changes), tuple(notes))


def plan_merge(campaign: Campaign) -> Plan:
    """Plans the addition of missing entries to an existing settings file; its own entries stay. Raises SettingsError for a file
    that is no JSON."""
    path = files.destination(campaign.settings_path)
    before = files.read(path)
    wanted = campaign.settings()
    if before is None:
        return Plan(HOST, (Change(path, None, written(wanted)),))
    there = _object(path, before)
    notes = tuple(f"{path}: `{key}` stays {json.dumps(value)}" for key, value in _kept(there, wanted))
    after = merged(there, wanted)
    return Plan(HOST, () if after == there else (Change(path, before, written(after)),), notes)


def difference(campaign: Campaign) -> str:
    """Returns the difference between the existing and the rendered settings; empty when there is none."""
    path = campaign.settings_path
    return Change(path, files.read(path), written(campaign.settings())).diff


def merged(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Joins tables, extends lists, and keeps existing values."""
    result = dict(there)
    for key, value in wanted.items():
        before = result.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            result[key] = merged(before, value)
        elif isinstance(before, list) and isinstance(value, list):
            result[key] = [*before, *(each for each in value if each not in before)]
        elif key not in result:
            result[key] = value
    return result


def written(settings: Mapping[str, Any]) -> bytes:
    return (json.dumps(settings, indent=2) + "\n").encode()


def _kept(there: Mapping[str, Any], wanted: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    """Yields the values of the file that differ, by key."""
    for key in wanted.keys() & there.keys():
        one, other = there[key], wanted[key]
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _kept(one, other, f"{above}{key}.")
        elif one != other and not (isinstance(one, list) and isinstance(other, list)):
            yield f"{above}{key}", one


def _object(path: str, content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except ValueError as problem:
        raise SettingsError(path, f"it is no JSON ({problem})", "mend that first; nothing was changed") from None
    if not isinstance(value, dict):
        raise SettingsError(path, "it holds no JSON object", "mend that first; nothing was changed")
    return value
