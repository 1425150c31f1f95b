"""Browsers that code operates: clicks on what is named for deleting or paying, at a page of another machine.

`await page.goto("https://admin.acme.io/tenants/7"); await page.click("[data-testid=delete-tenant]")`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolgate.model.address import host_of, is_loopback
from toolgate.model.word import Word, known_word

from .values import Value, list_alternatives, list_parts

if TYPE_CHECKING:
    from .reporter import Reporter
    from .shared_state import Arguments

_VISITS = frozenset("goto get visit navigate_to navigateto open_url".split())
_POINTS = re.compile(
    r"^(?:locator|getBy\w+|get_by_\w+|find_elements?(?:_by_\w+)?|findElement|waitForSelector|wait_for_selector|\$+)$"
)
_CLICKS = frozenset("click dblclick tap press submit clickAndWait".split())
_WORDS = re.compile(r"[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DELETING = frozenset("delete destroy terminate wipe erase purge".split())
_OBJECTS = frozenset(
    "account accounts project organization org workspace repository repo database server cluster bucket tenant site domain store "
    "shop subscription team instance user users customer customers environment backup volume company membership droplet "
    "deployment confirm permanently forever everything all selected".split()
)
_PAYMENT = re.compile(
    r"\b(?:pay|buy|order)\W*now\b|\b(?:place|confirm|submit|complete)\W+(?:your\W+|the\W+)?(?:order|payment|purchase|transfer)\b"
    r"|\b(?:pay|payment)\W*(?:button|submit|confirm)\b|\bsend\W+(?:money|payment)\b|\bpurchase\b",
    re.IGNORECASE,
)


class OperatedPage:
    """The page that code is on, and what it pointed at last."""

    def __init__(self) -> None:
        self._host = ""
        self._pointed: tuple[str, ...] = ()

    def note_call(self, name: str, arguments: Arguments) -> None:
        """Records a call that opens a page, or finds an element of it."""
        method = name.rpartition(".")[2]
        if method.lower() in _VISITS and arguments.positional:
            address = next((word.head for word in _iter_words(arguments.positional[0])), "")
            self._host = host_of(address) if address.startswith("http") else self._host
        elif _POINTS.match(method):
            self._pointed = _labels_of(arguments)

    def find_act(self, name: str, arguments: Arguments) -> str:
        """Returns the kind of act of a click at a page of another machine; empty if it is none."""
        if name.rpartition(".")[2] not in _CLICKS or not self._host or is_loopback(self._host):
            return ""
        labels = (*_labels_of(arguments), *self._pointed)
        if any(map(_names_deletion, labels)):
            return "deletes"
        return "pays" if any(map(_PAYMENT.search, labels)) else ""


def report_click(report: Reporter, name: str, arguments: Arguments) -> None:
    """Reports a click that deletes or pays something. A file's code is its author's responsibility."""
    if not report.is_excused and not report.is_test and (kind := report.openings.page.find_act(name, arguments)):
        report.operation("tool.act", known_word(name), **{kind: True})


def _labels_of(arguments: Arguments) -> tuple[str, ...]:
    words = [word for value in arguments.all_values() for word in _iter_words(value)]
    return tuple(word.text for word in words if word.text)


def _iter_words(value: Value, depth: int = 2) -> Iterator[Word]:
    for each in list_alternatives(value):
        if isinstance(each, Word):
            yield each
        elif depth:
            for part in list_parts(each):
                yield from _iter_words(part, depth - 1)


def _names_deletion(label: str) -> bool:
    words = frozenset(_WORDS.findall(_CAMEL.sub(" ", label).lower()))
    return not words.isdisjoint(_DELETING) and not words.isdisjoint(_OBJECTS)
