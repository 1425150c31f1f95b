"""Requests to the public interfaces of services, judged as the calls of a tool that they are.

`POST /3.0/campaigns/a1/actions/send` does what a server's tool `send_campaigns` does: the words are in the path, or in a
parameter that names the command; the arguments are the fields of the query and the body.
"""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from toolgate.flows.service_hosts import is_service_host
from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.network.transfer import CURL
from toolgate.tools.acts import find_act

_KINDS = (
    "pays",
    "sends",
    "grants",
    "opens",
    "forwards",
    "excludes",
    "weakens",
    "deletes",
    "stops",
    "bills",
    "publishes",
    "deploys",
)
_HOST_FOR_TESTS = re.compile(r"(?:^|[.-])(?:sandbox|test|staging|dev|demo|paper)(?=[.-])")
_TEST_KEY = re.compile(r"(?:^|[\s:])(?:sk|rk)_test_\w+")
_WORD = re.compile(r"[A-Za-z][A-Za-z_.-]{2,40}")
_PLAIN_STEPS = frozenset(
    "api rest xml json v rpc index admin actions action services graphql webhooks hooks users me accounts".split()
)
_COMMAND_FIELDS = ("command", "action", "method", "operation", "cmd", "type")
_CHANGING = ("POST", "PUT", "PATCH")
_INCOMING_WEBHOOK = re.compile(
    r"hooks\.slack\.com/|(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/|[\w.-]+\.office(?:365)?\.com/webhook|chat\.googleapis\.com/"
)
"""Matches addresses that take messages for a channel. Their path is a secret, and says nothing of the act."""
_UNKNOWN = "\ufffc"
"""A host of which nothing is known."""

_MAX_BODY = 20_000  # characters


def find_request_acts(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields what a request of this command does at a service."""
    method, urls, bodies = _read_curl(argv) if argv[0].file_name == "curl" else _read_httpie(argv)
    for url in urls:
        act = _find_act(method, url.outline, bodies)
        is_for_tests = "api.stripe.com" in url.head and any(_TEST_KEY.search(word.outline) for word in argv[1:])
        if act is not None and not is_for_tests:
            yield Operation("tool.act", context.origin, known_word(f"{method} ") + url, ((act, True),))


def _read_curl(argv: tuple[Word, ...]) -> tuple[str, list[Word], list[str]]:
    """Returns the method, the addresses and the bodies of a request."""
    options = CURL.parse(argv)
    bodies = [value.outline for name, value in options.values if name.startswith(("--data", "--form", "--json"))]
    named = options.value_of("--request")
    method = (named.text or "").upper() if named is not None else "POST" if bodies else "GET"
    return method, [*options.operands, *options.values_of("--url")], bodies


def _read_httpie(argv: tuple[Word, ...]) -> tuple[str, list[Word], list[str]]:
    words = [word for word in argv[1:] if word.starts_with("-") is False]
    named = words.pop(0).outline.upper() if words and words[0].outline.isalpha() and len(words) > 1 else ""
    fields = [word.outline.replace(":=", "=", 1).replace("==", "=", 1) for word in words[1:] if "=" in word.outline]
    return named or ("POST" if fields else "GET"), words[:1], fields


def _find_act(method: str, url: str, bodies: list[str]) -> str | None:
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        host = parts.hostname or ""
    except ValueError:
        return None
    arguments = {key: value for text in (parts.query, *bodies) for key, value in _read_fields(text)}
    if host == _UNKNOWN and method in _CHANGING:  # `$SLACK_WEBHOOK`: what it sends still tells whom it reaches
        act = find_act("webhook", "send_message", arguments, is_requested=True)
        return act.kind if act is not None and act.is_severe and act.kind == "sends" else None
    if not is_service_host(host) or _HOST_FOR_TESTS.search(host):
        return None
    command = next((value for key, value in arguments.items() if key.lower() in _COMMAND_FIELDS and isinstance(value, str)), "")
    if method not in _CHANGING and not command:
        return None
    path = "" if _INCOMING_WEBHOOK.match(host + parts.path) else parts.path
    steps = [step for step in re.split("[/:]", path) if _WORD.fullmatch(step) and step.lower() not in _PLAIN_STEPS]
    last = (command or (steps[-1] if steps else "message")).replace(".", "_")
    before = steps[-2:] if command else steps[-3:-1]
    context = "_".join(step.replace(".", "_") for step in before)
    act = find_act(host.replace(".", "_"), f"{last}_{context}", arguments, is_requested=True)
    if (act is None or not act.is_severe) and not command:  # a collection gets a new member, or one of its members is changed
        verb = "create" if method == "POST" else "update"
        act = find_act(host.replace(".", "_"), f"{verb}_{last}_{context}", arguments, is_requested=True)
    return act.kind if act is not None and act.is_severe and act.kind in _KINDS else None


def _read_fields(text: str) -> list[tuple[str, Any]]:
    """Returns the fields of a query, a form or a JSON object; none if the text is too long or is nothing of these."""
    if len(text) > _MAX_BODY:
        return []
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return []
        return list(found.items()) if isinstance(found, dict) else []
    return parse_qsl(text, keep_blank_values=True)
