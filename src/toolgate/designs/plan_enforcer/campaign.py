"""Writes a campaign's settings and its two hooks when it begins, never over a person's changes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgate.designs import CAMPAIGNS_FOLDER, ENFORCER_SCRIPT, PLAN_PROFILE, STOP_SCRIPT
from toolgate.install import Change, Plan, own_command
from toolgate.launching.rendering import render_settings
from toolgate.launching.shim import Script
from toolgate.machine import files
from toolgate.model.errors import SettingsError
from toolgate.policy.discovery import SCRIPT_MODE

HOST, PROFILE = "claude-code", PLAN_PROFILE
HOOK_SCRIPTS = {
    ENFORCER_SCRIPT: Script("settings init", HOST, "PreToolUse", PROFILE),
    STOP_SCRIPT: Script("settings init", HOST, "Stop", PROFILE),
}


@dataclass(frozen=True, slots=True)
class Campaign:
    """Absolute paths. `plan`: the commands of the plan; `programs`: further programs that may be run."""

    work_dir: str
    repo: str = ""
    plan: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    @property
    def settings_path(self) -> str:
        return locate_settings(self.work_dir)

    @property
    def rendered_scripts(self) -> dict[str, bytes]:
        return {name: script.render(self.work_dir, own_command()).encode() for name, script in HOOK_SCRIPTS.items()}

    def render_settings(self) -> dict[str, Any]:
        """Returns the settings with the campaign's own hooks."""
        stop, enforcer = f"{self.work_dir}/{STOP_SCRIPT}", f"{self.work_dir}/{ENFORCER_SCRIPT}"
        return render_settings(self.work_dir, self.repo or None, self.plan, self.programs, stop, enforcer)


def locate_settings(work_dir: str) -> str:
    return f"{work_dir}/.claude/settings.json"


def locate_work_dir(repo: str, run: str) -> str:
    """Returns the folder of a repository's run. Raises SettingsError for a name that leads elsewhere."""
    if not run or run in (".", "..") or "/" in run or not run.isprintable():
        raise SettingsError(f"run {run!r}", "it is no name of a folder", "use letters, digits, dashes")
    return f"{repo}/{CAMPAIGNS_FOLDER}/{run}"


def plan_init(campaign: Campaign) -> Plan:
    """Plans the files of a new campaign. An existing settings file stays, whatever it holds; the hooks are overwritten."""
    changes, notes = [], []
    for name, text in campaign.rendered_scripts.items():
        path = files.resolve_destination(f"{campaign.work_dir}/{name}")
        before = files.read_file(path)
        if before != text:
            changes.append(Change(path, before, text, SCRIPT_MODE))
    path = files.resolve_destination(campaign.settings_path)
    before, wanted = files.read_file(path), encode_settings(campaign.render_settings())
    if before is None:
        changes.append(Change(path, None, wanted))
    elif before != wanted:
        notes.append(f"{path} is there already and stays as it is; `toolgate settings diff` shows what it lacks")
    return Plan(HOST, tuple(changes), tuple(notes))


def plan_merge(campaign: Campaign) -> Plan:
    """Plans the addition of missing entries to an existing settings file; its own entries stay. Raises SettingsError for a file
    that is no JSON."""
    path = files.resolve_destination(campaign.settings_path)
    before = files.read_file(path)
    additions = campaign.render_settings()
    if before is None:
        return Plan(HOST, (Change(path, None, encode_settings(additions)),))
    existing = _parse_object(path, before)
    notes = tuple(f"{path}: `{key}` stays {json.dumps(value)}" for key, value in _iter_kept_values(existing, additions))
    after = merge_settings(existing, additions)
    return Plan(HOST, () if after == existing else (Change(path, before, encode_settings(after)),), notes)


def diff_settings(campaign: Campaign) -> str:
    """Returns the difference between the existing and the rendered settings; empty when there is none."""
    path = campaign.settings_path
    return Change(path, files.read_file(path), encode_settings(campaign.render_settings())).diff


def merge_settings(existing: Mapping[str, Any], additions: Mapping[str, Any]) -> dict[str, Any]:
    """Joins tables, extends lists, and keeps existing values."""
    result = dict(existing)
    for key, value in additions.items():
        before = result.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            result[key] = merge_settings(before, value)
        elif isinstance(before, list) and isinstance(value, list):
            result[key] = [*before, *(each for each in value if each not in before)]
        elif key not in result:
            result[key] = value
    return result


def encode_settings(settings: Mapping[str, Any]) -> bytes:
    return (json.dumps(settings, indent=2) + "\n").encode()


def _iter_kept_values(
    existing: Mapping[str, Any], additions: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, object]]:
    """Yields the values of the file that differ, by key."""
    for key in additions.keys() & existing.keys():
        one, other = existing[key], additions[key]
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _iter_kept_values(one, other, f"{prefix}{key}.")
        elif one != other and not (isinstance(one, list) and isinstance(other, list)):
            yield f"{prefix}{key}", one


def _parse_object(path: str, content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except ValueError as problem:
        raise SettingsError(path, f"it is no JSON ({problem})", "fix that first; nothing was changed") from None
    if not isinstance(value, dict):
        raise SettingsError(path, "not a JSON object", "fix that first; nothing was changed")
    return value
