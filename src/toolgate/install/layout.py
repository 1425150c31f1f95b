"""A design's own files beside the registration, and its profile in the user's policy.

The profile is one marked line of policy.toml, so that removing the design leaves everything else of that file.
"""

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace

from toolgate.designs import LAYOUTS, PROFILES, load_module
from toolgate.hosts import load_host as host_of
from toolgate.machine import files
from toolgate.machine.environment import find_folders

from .command import own_command
from .plan import Change, Plan, report_os_errors

SCRIPT_MODE = 0o755
"""The mode of a script that a design registers by its path alone."""
PROFILE_LINE = 'profile = "{profile}"  # of toolgate install --layout {layout}; toolgate uninstall removes this line\n'


@report_os_errors()
def add_layout(plan: Plan, layout: str, home: str, environ: Mapping[str, str]) -> Plan:
    """Returns the plan with the design's files beside the registration, and its profile in force. Files that a person may have
    edited (its rules, its log, another profile) stay."""
    changes, notes = list(plan.changes), list(plan.notes)
    for path, before, text, is_script in _iter_files(layout, host_of(plan.host).own_folder(home, environ)):
        if before == text and not (is_script and stat.S_IMODE(os.stat(path).st_mode) != SCRIPT_MODE):
            continue
        if before is not None and not is_script:
            notes.append(f"{path} is there already and stays as it is")
            continue
        changes.append(Change(path, before, text, SCRIPT_MODE if is_script else None))
    change_or_problem = _plan_profile(layout, f"{find_folders(environ, home).config}/policy.toml")
    if isinstance(change_or_problem, Change):
        changes.append(change_or_problem)
    elif change_or_problem:
        notes.append(change_or_problem)
    return replace(plan, changes=tuple(changes), notes=tuple(notes))


@report_os_errors()
def remove_layouts(plan: Plan, home: str, environ: Mapping[str, str]) -> Plan:
    """Returns the plan without the files of every layout that nobody changed, and without their profile's line."""
    changes = list(plan.changes)
    policy = files.resolve_destination(f"{find_folders(environ, home).config}/policy.toml")
    for layout in LAYOUTS:
        own = _iter_files(layout, host_of(plan.host).own_folder(home, environ))
        changes += [Change(path, before, None) for path, before, text, _ in own if before == text]
        before, line = files.read_file(policy), _render_line(layout)
        if before is not None and line in before:
            changes.append(Change(policy, before, before.replace(line, b"", 1) or None))
    return replace(plan, changes=tuple(changes))


def _iter_files(layout: str, folder: str) -> Iterator[tuple[str, bytes | None, bytes, bool]]:
    """Yields for each file of the layout: path, present content, wanted content, whether it is a script."""
    pieces: Mapping[str, str] = load_module(LAYOUTS[layout], "layout").pieces(own_command())
    for name, text in pieces.items():
        path = files.resolve_destination(f"{folder}/{name}")
        yield path, files.read_file(path), text.encode(), name.startswith("hooks/")


def _plan_profile(layout: str, policy: str) -> Change | str:
    """Returns the change that names the profile, or a note on why another one stays; empty where it is named already."""
    path = files.resolve_destination(policy)
    before = files.read_file(path)
    profile = _profile_of(layout)
    try:
        current = tomllib.loads((before or b"").decode()).get("profile", "")
    except ValueError:
        return f'{path} is no TOML and stays as it is; name the profile "{profile}" there'
    if current:
        return (
            "" if current == profile else f'{path} names the profile "{current}", which stays; the layout is made for "{profile}"'
        )
    return Change(path, before, _render_line(layout) + (before or b""))


def _render_line(layout: str) -> bytes:
    return PROFILE_LINE.format(profile=_profile_of(layout), layout=layout).encode()


def _profile_of(layout: str) -> str:
    return next(profile for profile, folder in PROFILES.items() if folder == LAYOUTS[layout])
