"""Reads the calls in the gate's own audit log, as far as a record holds all of a call."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from toolgate import hosts
from toolgate.audit.chain import NUMBER_KEY, OUTCOME_KIND, PREVIOUS_KEY
from toolgate.audit.fields import RecordLine
from toolgate.model.action import Action, ApplyPatch, Fetch, ReadFile, RunShell
from toolgate.model.errors import BadPayload

from .calls import CallOutcome, PastCall, UnreadableLine
from .json_lines import read_objects


class IndeterminateCall(Exception):
    """The record does not hold enough of the call to judge it again; the argument says why."""


class AuditReader:
    """Reads a day of the audit log. What was redacted, cut, or not recorded in full is no call that could be judged."""

    def list_folders(self, _home: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
        return ()  # most calls are in the hosts' own records, too

    def is_own_format(self, first_object: Mapping[str, Any]) -> bool:
        is_record = isinstance(first_object.get("format"), int) and isinstance(first_object.get("verdict"), str)
        return is_record or ("kind" in first_object and NUMBER_KEY in first_object and PREVIOUS_KEY in first_object)

    def read(self, path: str) -> Iterator[PastCall | UnreadableLine]:
        """Yields calls in the order in which they were made; their outcomes are known at the end of the file."""
        calls: list[PastCall | UnreadableLine] = []
        outcomes: dict[tuple[str, str], CallOutcome] = {}
        for line in read_objects(path):
            if line.value is None or not ("kind" in line.value or isinstance(line.value.get("verdict"), str)):
                calls.append(UnreadableLine(path, line.number, line.cause or "no record of a call"))
            elif line.value.get("kind") == OUTCOME_KIND:
                found = line.value.get("outcome")
                outcomes[_name_call(line.value)] = "failed" if found == "failed" else "ran"
            elif "kind" not in line.value:
                calls.append(_read_call(line.value, path, line.number))
        for call in calls:
            if isinstance(call, PastCall):
                yield call._replace(outcome=outcomes.get((call.session, call.call), call.outcome))
            else:
                yield call


def _name_call(line: RecordLine) -> tuple[str, str]:
    return str(line.get("session")), str(line.get("tool_use_id"))


def _read_call(line: RecordLine, path: str, number: int) -> PastCall | UnreadableLine:
    try:
        action, cwd, project = read_recorded_action(line)
    except IndeterminateCall as problem:
        return UnreadableLine(path, number, str(problem))
    session, call = _name_call(line)
    host, time, tool = (str(line.get(name, "")) for name in ("host", "time", "tool"))
    outcome: CallOutcome = "refused" if line.get("verdict") == "deny" else "unknown"
    call_fields, id_ = {"operation": line.get("operation")}, call or str(line.get("id"))
    return PastCall(host, session, id_, time, project, cwd, tool, call_fields, outcome, path, number, action)


def read_recorded_action(line: RecordLine) -> tuple[Action, str, str]:
    """Returns what a record says was asked for, the working directory and the project. Raises IndeterminateCall where it was
    redacted or cut, or holds the path alone of what was written."""
    host, tool, operation, cwd, project = (str(line.get(key, "")) for key in ("host", "tool", "operation", "cwd", "project"))
    if line.get("exact") is not True:
        raise IndeterminateCall("its text was redacted or cut, or was not recorded in full")
    if not (os.path.isabs(cwd) and os.path.isabs(project)) or "REDACTED" in cwd + project:
        raise IndeterminateCall("its folder is not on record")
    if host not in hosts.HOSTS:
        raise IndeterminateCall(f"there is no host {host[:40]!r}")
    return _parse_action(host, tool, operation, cwd), cwd, project


def _parse_action(host: str, tool: str, operation: str, cwd: str) -> Action:
    try:
        action = hosts.load_host(host).parse_action(tool, {"command": operation}, cwd)
    except BadPayload:
        action = None
    if isinstance(action, RunShell | ApplyPatch):
        return action
    verb, _, about = operation.partition(" ")
    if verb == "read":
        return ReadFile(about)
    if verb == "fetch":
        return Fetch(about)
    raise IndeterminateCall("the record holds what it was about, and not its arguments")
