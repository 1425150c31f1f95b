"""Code that a browser runs in a page: whether it sends the page's cookies or storage to another place, or returns them."""

import re
from collections.abc import Iterable

from toolgate.flows.destinations import find_destination
from toolgate.model.word import known_word

from .names import split_words

_KEPT_BY_PAGE = re.compile(
    r"\bdocument\s*(?:\.\s*cookie|\[\s*['\"`]cookie)|\b(?:local|session)Storage\b|\bindexedDB\b|\bcookieStore\b|\bstorageState\b|\.cookies\(\)"
)
_SENDING = re.compile(
    r"\bfetch\s*\(|\bsendBeacon\b|\bXMLHttpRequest\b|\bWebSocket\b|\bEventSource\b|\bImage\s*\(|\.\s*src\s*=|\.\s*href\s*=|\.\s*action\s*="
    r"|\blocation\s*(?:=[^=]|\.\s*(?:assign|replace))|\bwindow\s*\.\s*open\s*\(|\baxios\b|\bsrc\s*=\s*['\"`\\]|\brequest\s*\.\s*(?:post|get|put|fetch)\b|\$\s*\.\s*(?:get|post|ajax)\b|\bimport\s*\("
)
_ADDRESS = re.compile(r"(?:(?:https?|wss?):)?//([\w.-]+\.[\w-]+|\d+(?:\.\d+){3})", re.IGNORECASE)


_RETURNS = r"(?:\breturn\b[^;]{0,200}?|=>[^;{]{0,200}?|=>\s*\(\{[^;]{0,200}?|:\s*|\.\.\.\s*|^\s*)"
_WHOLE_STORE = re.compile(
    rf"{_RETURNS}(?:\bdocument\s*\.\s*cookie\b(?!\s*(?:=[^=]|\.\s*(?:includes|length|indexOf|match|startsWith|search)\b))"
    r"|(?:\bObject\s*\.\s*(?:entries|values|assign|fromEntries)|\bJSON\s*\.\s*stringify|\.\.\.)\s*\(?[^;]{0,60}?\b(?:local|session)Storage\b(?!\s*[.\[])"
    r"|\b(?:local|session)Storage\b\s*(?:$|[;,})]))"
)
"""Matches code that gives back the page's cookies, or everything in a store."""
_SECRET_ITEM = re.compile(
    r"(?:\breturn\b|=>)[^;{]{0,80}\b(?:local|session)Storage\s*(?:\.\s*getItem\s*\(|\[)\s*['\"`][^'\"`]{0,60}?(?:token|secret|session|auth|jwt|passw|api_?key)",
    re.IGNORECASE,
)


_RUNNING_WORDS = frozenset("evaluate script eval javascript js execute".split())


def runs_in_page(tool: str) -> bool:
    """Returns whether a tool runs code in a page, by its name."""
    return not _RUNNING_WORDS.isdisjoint(split_words(tool))


def returns_store(texts: Iterable[str]) -> bool:
    """Returns whether code returns the page's cookies, everything that a page stores, or an item with a secret's name."""
    read = [_NAMES_OF_ITEMS.sub("names", text) for text in texts if len(text) <= _LONGEST]
    return any(_WHOLE_STORE.search(text) or _SECRET_ITEM.search(text) for text in read)


_LONGEST = 20_000
_NAMES_OF_ITEMS = re.compile(r"\bObject\s*\.\s*keys\s*\(\s*[\w.]{1,60}\s*\)")


def find_receiver(texts: Iterable[str]) -> str:
    """Returns the host that code sends what a page keeps to; empty if it sends nothing, or only to this machine."""
    for text in texts:
        if _KEPT_BY_PAGE.search(text) and _SENDING.search(text):
            for found in _ADDRESS.finditer(text):
                if find_destination(known_word(found[1])).kind not in ("loopback", "near"):
                    return found[1]
    return ""
