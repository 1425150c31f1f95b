"""Parses a host's payload: one JSON object. Its form is read strictly, and fields that decide nothing leniently."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from toolgate.model.errors import BadPayload, TooDeep

Given = Mapping[str, object]
DEEPEST = 256
"""Levels of a payload. Far beyond what a tool takes or returns, and far below the limit of Python's stack: how much stack is left
differs between transports, and an answer must not."""


def parsed(payload: bytes) -> Given:
    """Raises BadPayload for anything that is not one JSON object in UTF-8."""
    try:
        given: object = _READER.decode(payload.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadPayload(f"the payload is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise TooDeep(_TOO_DEEP) from None
    except ValueError as error:
        raise BadPayload(f"the payload is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise BadPayload("the payload is not a JSON object")
    if payload.count(b"{") + payload.count(b"[") > DEEPEST and _is_deeper(given, DEEPEST):
        raise TooDeep(_TOO_DEEP)
    return given


_TOO_DEEP = f"the payload is nested too deep (more than {DEEPEST} levels)"


def _is_deeper(value: object, most: int) -> bool:
    """Walks level by level: a recursive walk would be limited by the stack."""
    level = [value]
    for _ in range(most):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Rejects two values for one key: which of them the client uses is unknown, and it never writes such an object."""
    whole = dict(pairs)
    if len(whole) != len(pairs):
        raise BadPayload("the payload has a key twice in one object")
    return whole


def _no_constant(name: str) -> object:
    raise BadPayload(f"the payload holds {name}, which is not JSON")


_READER = json.JSONDecoder(object_pairs_hook=_without_duplicates, parse_constant=_no_constant)


def string(given: Given, key: str, default: str | None = None) -> str:
    """Raises BadPayload where a required key has no text."""
    value = given.get(key, default)
    if value is None:
        raise BadPayload(f"`{key}` is missing")
    if not isinstance(value, str):
        raise BadPayload(f"`{key}` is not text")
    return text(value)


def lenient(given: Given, key: str) -> str:
    """Returns the text of a field that decides nothing: empty for anything but text."""
    value = given.get(key)
    return text(value) if isinstance(value, str) else ""


def text(value: str) -> str:
    """Replaces lone surrogates of a JSON string with U+FFFD, as a client does when it passes the text on."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


class Input(NamedTuple):
    """The arguments of a tool call."""

    tool: str
    fields: Mapping[str, object]
    cwd: str

    def string(self, key: str, default: str | None = None) -> str:
        value = self.fields.get(key, default)
        if value is None:
            raise BadPayload(f"{self.tool}: `{key}` is missing")
        if not isinstance(value, str):
            raise BadPayload(f"{self.tool}: `{key}` is not text")
        return text(value)

    def path(self, key: str) -> str:
        value = self.string(key)
        if not value or "\0" in value:
            raise BadPayload(f"{self.tool}: `{key}` is no path")
        return value
