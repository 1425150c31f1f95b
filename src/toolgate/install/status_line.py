"""The gate's status line in the settings of a host, beside its hooks. A person's own is never replaced."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from toolgate.hosts import load_settings as settings_of
from toolgate.machine import files
from toolgate.model.errors import SettingsError
from toolgate.model.host import HasStatusLine

from .json_text import NotJson, parse, remove_member, with_member
from .plan import Change, Plan


def with_status_line(plan: Plan, scope: str, home: str, project: str, environ: Mapping[str, str]) -> Plan:
    """A plan that registers the gate, with its status line. Raises SettingsError."""
    wiring = settings_of(plan.host)
    if not isinstance(wiring, HasStatusLine):
        return replace(plan, notes=(*plan.notes, f"the client of {plan.host} shows no status line"))
    path = files.resolve_destination(wiring.locate_settings(scope, home, project, environ))
    text = _text_after(plan, path)
    before = _member(path, text, wiring.STATUS_LINE)
    status_line = wiring.make_status_line(shlex.join((os.path.abspath(sys.executable), "-I", "-X", "utf8")))
    if before == status_line:
        return plan
    if before is not None and not wiring.is_own_status_line(before):
        note = f"{path} has a status line of its own, which stays: call `toolgate statusline` in its program to show the gate's"
        return replace(plan, notes=(*plan.notes, note))
    rest = text if before is None else remove_member(text, (wiring.STATUS_LINE,))
    return _with_text(plan, path, with_member(rest, wiring.STATUS_LINE, status_line))


def without_status_line(plan: Plan, scopes: Sequence[str], home: str, project: str, environ: Mapping[str, str]) -> Plan:
    """A plan that takes the gate away, with its status line gone as well. A file that cannot be read is left alone."""
    wiring = settings_of(plan.host)
    if not isinstance(wiring, HasStatusLine):
        return plan
    for path in dict.fromkeys(
        files.resolve_destination(wiring.locate_settings(scope, home, project, environ)) for scope in scopes
    ):
        try:
            text = _text_after(plan, path)
            is_there = wiring.is_own_status_line(_member(path, text, wiring.STATUS_LINE))
        except (SettingsError, OSError):
            continue
        if is_there:
            plan = _with_text(plan, path, remove_member(text, (wiring.STATUS_LINE,)))
    return plan


def _text_after(plan: Plan, path: str) -> str:
    """What the file will hold once the plan is carried out; empty where it will not be there."""
    planned = next((change for change in plan.changes if change.path == path), None)
    content = files.read_file(path) if planned is None else planned.after
    try:
        return (content or b"").decode()
    except UnicodeDecodeError:
        raise SettingsError(path, "it is not UTF-8", "save it as UTF-8; nothing was changed") from None


def _member(path: str, text: str, key: str) -> object:
    try:
        settings = parse(text).value if text else {}
    except NotJson as fault:
        raise SettingsError(path, fault.problem, "fix that first; nothing was changed", fault.line) from None
    if not isinstance(settings, dict):
        raise SettingsError(path, "not a JSON object", "fix that first; nothing was changed", 1)
    return settings.get(key)


def _with_text(plan: Plan, path: str, text: str) -> Plan:
    planned = next((change for change in plan.changes if change.path == path), None)
    before = files.read_file(path) if planned is None else planned.before
    others = tuple(change for change in plan.changes if change.path != path)
    return replace(plan, changes=(*others, Change(path, before, text.encode() or None)))
