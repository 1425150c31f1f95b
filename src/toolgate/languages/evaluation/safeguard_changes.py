"""What code deletes or switches off at a service: by a client's method, by an attribute of its object, by a request."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from toolgate.flows.service_hosts import is_service_host
from toolgate.model.address import is_loopback
from toolgate.model.word import Word, known_word
from toolgate.safeguards import find_weakened, list_settings, names_action, split_name, stops_everything

from .client_acts import changes_settings, opens_to_all, switches_off
from .plain_values import plain_arguments, plain_value
from .values import Instance, MapValue, Reference, Unknown, Value, word_of

if TYPE_CHECKING:
    from .reporter import Reporter
    from .shared_state import Arguments

_STORES_WORKLOAD = re.compile(
    r"(?i)(?:patch|replace)_?namespaced_?\w*|update_?scale|apply_?scale|(?:update|patch)(?:_?(?:deployment|stateful_?set|replica_?set))?$"
)
"""Matches methods that give the cluster an object with another number of copies."""
_CHANGING_METHODS = ("POST", "PUT", "PATCH")


def report_changed_settings(report: Reporter, name: str, maker: str, arguments: Arguments) -> None:
    """Reports the safeguard that a method switches off, and what it stops by a number. `maker`: the call that made the object."""
    method = name.rpartition(".")[2]
    is_local = report.openings.is_library_local(f"{maker} {name}")
    if changes_settings(name, maker):
        settings = list(list_settings(plain_arguments(arguments), (method,)))
        _report_weakened(report, find_weakened(settings), name)
        if any(stops_everything(names, value) for names, value in settings):
            report.operation("cloud.delete", known_word(name), stops=True, local=is_local)
    if report.has_stopped_replicas and _STORES_WORKLOAD.match(method) and not report.is_excused:
        report.operation("cloud.delete", known_word(name), stops=True, local=is_local)
    if not changes_settings(name, maker) and switches_off(method):
        _report_weakened(report, find_weakened([((method,), True)]), name)


def report_changed_attribute(report: Reporter, owner: Value, name: str, value: Value) -> None:
    """Reports an attribute of a library's object that switches a safeguard off, or makes it public:
    `bucket.versioning_enabled = False`, `project.visibility = "public"`."""
    maker = find_maker(owner)
    if maker and opens_to_all(name, plain_value(value)) and not report.is_excused:
        report.operation("tool.act", known_word(f"{maker}: {name}"), opens=True)
    if name.lower() == "replicas" and str(plain_value(value)) == "0" and _is_part_of_unknown(owner):
        report.has_stopped_replicas = True
    if maker and len(split_name(name)) > 1:
        _report_weakened(report, find_weakened([((name,), plain_value(value))]), maker)


def report_request(report: Reporter, url: Word, verb: Value | None, *sent: Value | None) -> None:
    """Reports what a request deletes, or switches off by the steps of its path and the settings that it sends."""
    method = "" if verb is None or report.openings.simulates_requests else (word_of(verb).text or "").upper()
    if method == "DELETE":
        report.command(known_word("curl"), known_word("-X"), known_word(method), url)
    if method not in _CHANGING_METHODS:
        return
    settings = next((found for each in sent if (found := _read_settings(each)) is not None), None)
    host, *steps = [*"".join(part for part in url.parts if isinstance(part, str)).split("/")[2:], ""]
    text = json.dumps(settings if isinstance(settings, dict) else {}, default=str)
    if is_service_host(host.rpartition("@")[2]) or (not url.head and _mentions_everybody(text)):
        body = known_word(text)
        report.command(known_word("curl"), known_word("-X"), known_word(method), url, known_word("--data-raw"), body)
    if settings is None:
        return
    if not is_loopback(host.partition(":")[0]):
        every = list_settings(settings, tuple(step for step in steps if step))
        changed = find_weakened(each for each in every if method != "POST" or names_action(each))
        _report_weakened(report, changed, f"{method} {url.display_text}")


def _read_settings(sent: Value | None) -> object:
    """Returns the fields of what a request sends, as an object or as the text of one; None if it has none."""
    if isinstance(sent, MapValue):
        return plain_value(sent)
    text = sent.outline if isinstance(sent, Word) else ""
    try:
        found = json.loads(text) if text.startswith("{") and len(text) <= _MAX_BODY else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


_MAX_BODY = 20_000  # characters
_mentions_everybody = re.compile(r"@(?:everyone|here|channel)\b|<!(?:everyone|here|channel)").search


def _report_weakened(report: Reporter, setting: str, what: str) -> None:
    """Reports that a safeguard is switched off, unless `setting` is empty. A file's code is its author's responsibility."""
    if setting and not report.is_excused:
        local = report.openings.local_service is not None
        report.operation("safeguard.weaken", known_word(f"{setting}: {what}"), local=local)


def _is_part_of_unknown(owner: Value) -> bool:
    """Returns whether a value is an object that a call gave, or a part of one: `deployment.spec`."""
    while isinstance(owner, Reference) and owner.receiver is not None:
        owner = owner.receiver
    return isinstance(owner, Unknown)


def find_maker(owner: Value | None) -> str:
    """Returns what made an object of a library; empty for an object of the code's own."""
    if isinstance(owner, Instance):
        return owner.type if owner.cls is None else ""
    return owner.name if isinstance(owner, Unknown) else ""
