"""Code that a browser runs in a page: whether it sends the page's cookies or storage to another place."""

import re
from collections.abc import Iterable

from toolgate.flows.destinations import find_destination
from toolgate.model.word import known_word

_KEPT_BY_PAGE = re.compile(
    r"\bdocument\s*(?:\.\s*cookie|\[\s*['\"`]cookie)|\b(?:local|session)Storage\b|\bindexedDB\b|\bcookieStore\b|\bstorageState\b|\.cookies\(\)"
)
_SENDING = re.compile(
    r"\bfetch\s*\(|\bsendBeacon\b|\bXMLHttpRequest\b|\bWebSocket\b|\bEventSource\b|\bImage\s*\(|\.\s*src\s*=|\.\s*href\s*=|\.\s*action\s*="
    r"|\blocation\s*(?:=[^=]|\.\s*(?:assign|replace))|\bwindow\s*\.\s*open\s*\(|\baxios\b|\bsrc\s*=\s*['\"`\\]|\brequest\s*\.\s*(?:post|get|put|fetch)\b|\$\s*\.\s*(?:get|post|ajax)\b|\bimport\s*\("
)
_ADDRESS = re.compile(r"(?:(?:https?|wss?):)?//([\w.-]+\.[\w-]+|\d+(?:\.\d+){3})", re.IGNORECASE)


def find_receiver(texts: Iterable[str]) -> str:
    """Returns the host that code sends what a page keeps to; empty if it sends nothing, or only to this machine."""
    for text in texts:
        if _KEPT_BY_PAGE.search(text) and _SENDING.search(text):
            for found in _ADDRESS.finditer(text):
                if find_destination(known_word(found[1])).kind not in ("loopback", "near"):
                    return found[1]
    return ""
