"""Adds the trust that a host requires from its user once a person agreed to it, and removes it with the gate's entries."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from toolgate.hosts import load_settings as settings_of
from toolgate.machine import files
from toolgate.model.errors import SettingsError
from toolgate.model.host import NeedsTrust

from .plan import Change, Plan, report_os_errors

TrustEdit = Callable[[str, str, object], str]


@report_os_errors()
def plan_trust(host: str, scope: str, home: str, project: str, environ: Mapping[str, str]) -> Plan:
    """Plans the trust in the registered entries; no change for a host that requires none. Raises SettingsError."""
    wiring = settings_of(host)
    if not isinstance(wiring, NeedsTrust):
        return Plan(host, ())
    change = _plan_trust_edit(wiring, wiring.add_trust, wiring.locate_settings(scope, home, project, environ), home, environ)
    return Plan(host, (change,) if change else ())


@report_os_errors()
def add_trust_removal(plan: Plan, scopes: tuple[str, ...], home: str, project: str, environ: Mapping[str, str]) -> Plan:
    """Returns an uninstall plan that also removes the trust."""
    wiring = settings_of(plan.host)
    if not isinstance(wiring, NeedsTrust):
        return plan
    places = [wiring.locate_settings(scope, home, project, environ) for scope in scopes if scope in wiring.SCOPES]
    changes = (_plan_trust_edit(wiring, wiring.remove_trust, place, home, environ) for place in places)
    return replace(plan, changes=(*plan.changes, *(change for change in changes if change)))


def find_untrusted_events(
    wiring: NeedsTrust, hooks_file: str, settings: object, home: str, environ: Mapping[str, str]
) -> frozenset[str]:
    """Returns the events whose gate entries the host would skip."""
    try:
        text = (files.read_file(wiring.trust_file(home, environ)) or b"").decode()
        return wiring.list_events(settings) - wiring.read_trusted_events(text, hooks_file, settings)
    except (OSError, ValueError):
        return wiring.list_events(settings)


def _plan_trust_edit(
    wiring: NeedsTrust, edit: TrustEdit, hooks_file: str, home: str, environ: Mapping[str, str]
) -> Change | None:
    content = files.read_file(hooks_file)
    if content is None:
        return None
    path = files.resolve_destination(wiring.trust_file(home, environ))
    before = files.read_file(path)
    try:
        text = (before or b"").decode()
        after = edit(text, hooks_file, json.loads(content))
    except ValueError as problem:
        raise SettingsError(path, f"it cannot be edited ({problem})", "fix it first; nothing was changed") from None
    return None if after == text else Change(path, before, after.encode() if after else None)
