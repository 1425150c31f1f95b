"""Parses a host's payload: one JSON object. Its form is read strictly, and fields that decide nothing leniently."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from toolgate.model.errors import BadPayload, TooDeep

Fields = Mapping[str, object]
MAX_DEPTH = 256
"""Levels of a payload. Far beyond what a tool takes or returns, and far below the limit of Python's stack: how much stack is left
differs between transports, and an answer must not."""


def parse_payload(payload: bytes) -> Fields:
    """Raises BadPayload for anything that is not one JSON object in UTF-8."""
    try:
        given: object = _DECODER.decode(payload.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadPayload(f"the payload is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise TooDeep(_TOO_DEEP) from None
    except ValueError as error:
        raise BadPayload(f"the payload is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise BadPayload("the payload is not a JSON object")
    if payload.count(b"{") + payload.count(b"[") > MAX_DEPTH and _is_deeper_than(given, MAX_DEPTH):
        raise TooDeep(_TOO_DEEP)
    return given


_TOO_DEEP = f"the payload is nested too deep (more than {MAX_DEPTH} levels)"


def _is_deeper_than(value: object, most: int) -> bool:
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


def _reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Rejects two values for one key: which of them the client uses is unknown, and it never writes such an object."""
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise BadPayload("the payload has a key twice in one object")
    return mapping


def _reject_constant(name: str) -> object:
    raise BadPayload(f"the payload holds {name}, which is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_reject_duplicate_keys, parse_constant=_reject_constant)


def read_string(fields: Fields, key: str, default: str | None = None) -> str:
    """Raises BadPayload where a required key has no text."""
    value = fields.get(key, default)
    if value is None:
        raise BadPayload(f"`{key}` is missing")
    if not isinstance(value, str):
        raise BadPayload(f"`{key}` is not text")
    return replace_surrogates(value)


def read_optional_text(fields: Fields, key: str) -> str:
    """Returns the text of a field that decides nothing: empty for anything but text."""
    value = fields.get(key)
    return replace_surrogates(value) if isinstance(value, str) else ""


def replace_surrogates(value: str) -> str:
    """Replaces lone surrogates of a JSON string with U+FFFD, as a client does when it passes the text on."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


class ToolInput(NamedTuple):
    """The arguments of a tool call."""

    tool: str
    fields: Mapping[str, object]
    cwd: str

    def read_string(self, key: str, default: str | None = None) -> str:
        value = self.fields.get(key, default)
        if value is None:
            raise BadPayload(f"{self.tool}: `{key}` is missing")
        if not isinstance(value, str):
            raise BadPayload(f"{self.tool}: `{key}` is not text")
        return replace_surrogates(value)

    def read_path(self, key: str) -> str:
        value = self.read_string(key)
        if not value or "\0" in value:
            raise BadPayload(f"{self.tool}: `{key}` is no path")
        return value
