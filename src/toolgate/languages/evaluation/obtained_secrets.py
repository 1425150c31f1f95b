"""Secrets that code obtains from a service: where it hands them on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgate.model.word import HoleKind, known_word

from .client_acts import is_message
from .opening_names import is_opening
from .values import Choice, Instance, ListValue, MapValue, Value, holds_kind, list_parts

if TYPE_CHECKING:
    from .reporter import Reporter
    from .shared_state import Arguments

_MAX_DEPTH = 4
_keeps_text = re.compile(r"(?:IO|String|Buffer|Array|Text\w*|Template|Mail|Message|Blob|Form\w*|File|Request|Params)$").search
_names_credential = re.compile(r"(?i)auth|key$|token|secret|passw|pwd|credential|cookie").search


def hands_on_secret(value: Value, depth: int = _MAX_DEPTH) -> bool:
    """Returns whether a value holds a secret that was obtained from a service. One under the name of a credential, such as a
    header's, authenticates the caller."""
    if isinstance(value, MapValue):
        parts = [each for name, each in value.entries.items() if not (isinstance(name, str) and _names_credential(name))]
    elif isinstance(value, ListValue | Choice):
        parts = list_parts(value)
    elif isinstance(value, Instance) and value.type.endswith("Command"):
        return False  # it asks for the secret: `client.send(new GetSecretValueCommand(..))`
    else:
        return holds_kind(value, HoleKind.SECRET, 1)
    return depth > 0 and any(hands_on_secret(each, depth - 1) for each in parts)


def report_message(report: Reporter, name: str, arguments: Arguments) -> None:
    """Reports that a method of an unknown object puts a secret where others read it: `client.chat_postMessage(text=secret)`."""
    given = [*arguments.positional, MapValue(arguments.named.items())]
    if is_message(name) and any(map(hands_on_secret, given)):
        report.connect(known_word("a service"), *given)


def kept_arguments(name: str, arguments: Arguments) -> list[Value]:
    """Returns the arguments that the result of an unknown call may hold. A connection or a client is made with a secret, and
    holds none; a text, a message or a form keeps it."""
    values = arguments.all_values()
    if not any(holds_kind(each, HoleKind.SECRET, _MAX_DEPTH) for each in values):
        return values
    name = name.removesuffix(".new")
    if is_opening(name) or (name.rpartition(".")[2][:1].isupper() and not _keeps_text(name)):
        return [each for each in values if not holds_kind(each, HoleKind.SECRET, _MAX_DEPTH)]
    return [each for each in values if not isinstance(each, MapValue) or hands_on_secret(each)]
