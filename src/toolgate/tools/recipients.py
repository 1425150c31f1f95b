"""The mail addresses that a tool sends to."""

import re
from collections.abc import Iterator, Mapping

from .arguments import find_leaves

_RECIPIENT_KEYS = frozenset("to cc bcc recipient recipients toemail torecipients emails email mailto sendto toaddresses".split())
_ADDRESS = re.compile(r"(?:[^<>,;]*<)?([^\s<>,;]+@[\w-]+(?:\.[\w-]+)+)>?")


def find_recipients(arguments: Mapping[str, object]) -> Iterator[str]:
    """Yields the address of each recipient: `a@b.example`, also in `Name <a@b.example>`."""
    for key, value in find_leaves(arguments):
        if key in _RECIPIENT_KEYS and isinstance(value, str):
            yield from _ADDRESS.findall(value)
