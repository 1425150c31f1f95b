"""Whom a tool sends to: mail addresses, and whether files go with it."""

import re
from collections.abc import Iterator, Mapping

from .arguments import find_leaves
from .names import split_words

_RECIPIENT_KEYS = frozenset("to cc bcc recipient recipients toemail torecipients emails email mailto sendto toaddresses".split())
_ADDRESS = re.compile(r"(?:[^<>,;]*<)?([^\s<>,;]+@[\w-]+(?:\.[\w-]+)+)>?")


_SENDING_VERBS = frozenset("send share upload attach post forward".split())


def sends_files(tool: str) -> bool:
    """Returns whether a tool of this name sends the files that its arguments name to somebody."""
    return not _SENDING_VERBS.isdisjoint(split_words(tool))


def find_recipients(arguments: Mapping[str, object]) -> Iterator[str]:
    """Yields the address of each recipient: `a@b.example`, also in `Name <a@b.example>`."""
    for key, value in find_leaves(arguments):
        if key in _RECIPIENT_KEYS and isinstance(value, str):
            yield from _ADDRESS.findall(value)
