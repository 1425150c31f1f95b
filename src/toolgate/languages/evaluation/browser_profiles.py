"""Browsers that code starts with a profile: its cookies and passwords are the user's, if the profile is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolgate.model.word import Word, known_word

from .operated_pages import report_click
from .shared_state import Arguments
from .values import ListValue, MapValue, Value, word_of

if TYPE_CHECKING:
    from .reporter import Reporter

_OPENING_NAMES = frozenset("launchPersistentContext launch_persistent_context FirefoxProfile".split())
_KEYS = frozenset("userDataDir user_data_dir".split())
_OPTION = re.compile(r"-{0,2}user-data-dir=")
_STORES = ("/Default/Cookies", "/cookies.sqlite")
"""Where Chromium and Firefox keep cookies in a profile."""
_MAX_DEPTH = 3


def report_opened_profile(report: Reporter, name: str, arguments: Arguments) -> None:
    """Reports that a call starts a browser with a profile, by its name or its settings: the browser reads the profile's cookies;
    and what it clicks. A file's code is its author's responsibility."""
    report_click(report, name, arguments)
    if report.is_excused:
        return
    folders = list(_iter_profiles(MapValue(arguments.named.items()))) + [
        each for value in arguments.positional for each in _iter_profiles(value)
    ]
    if name.rpartition(".")[2] in _OPENING_NAMES:
        folders += map(word_of, arguments.positional[:1])
    for folder in folders:
        is_firefox = "firefox" in (folder.text or folder.tail).lower()
        report.read(folder + known_word(_STORES[is_firefox]))


def _iter_profiles(value: Value, depth: int = _MAX_DEPTH) -> Iterator[Word]:
    """Yields the folders of profiles in a call's settings: `{userDataDir: folder}`, `["--user-data-dir=folder"]`."""
    if isinstance(value, Word) and (option := _OPTION.match(value.head)) is not None:
        yield value.drop_first(option.end())
    elif isinstance(value, MapValue) and depth:
        for key, each in value.known_entries:
            if key in _KEYS:
                yield word_of(each)
            else:
                yield from _iter_profiles(each, depth - 1)
    elif isinstance(value, ListValue) and depth:
        for each in value.items[:64]:
            yield from _iter_profiles(each, depth - 1)
