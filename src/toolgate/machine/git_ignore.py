"""Paths of a repository that git ignores (gitignore(5)).

A `.gitignore` counts if git has its current content: a new one may have been written to hide what is deleted next.
"""

import os
from collections.abc import Callable

from toolgate.ignore_rules import NO_RULES, RuleFile, parse_rules

from . import descriptors

_MAX_BYTES = 100_000  # bytes


class IgnoreRules:
    """The rules of one work tree. `is_held` tells whether git has the current content of a file."""

    def __init__(self, top: str, home: str, is_held: Callable[[str], bool]) -> None:
        self._top, self._is_held = top.rstrip("/"), is_held
        self._own = parse_rules(_read_text(f"{home}/.config/git/ignore")) if home else NO_RULES
        self._chains: dict[str, tuple[tuple[RuleFile, int], ...]] = {}

    def is_ignored(self, name: str, *, folder: bool) -> bool:
        """Returns whether the rules of its folder, and of those above, ignore a path. Parent folders are checked before it."""
        for rules, cut in self._rules_for_folder(name.rpartition("/")[0]):
            found = rules.match_path(name[cut:], folder)
            if found is not None:
                return found
        return False

    def _rules_for_folder(self, folder: str) -> tuple[tuple[RuleFile, int], ...]:
        """Returns the rules for paths in a folder, the nearest first, and where their part of a path begins."""
        if folder not in self._chains:
            rest = self._rules_for_folder(folder.rpartition("/")[0]) if folder else ((self._own, 0),)
            rules = self._rules_of_folder(folder)
            mine = ((rules, len(folder) + 1 if folder else 0),) if rules is not NO_RULES else ()
            self._chains[folder] = (*mine, *rest)
        return self._chains[folder]

    def _rules_of_folder(self, folder: str) -> RuleFile:
        file = f"{folder}/.gitignore" if folder else ".gitignore"
        text = _read_text(f"{self._top}/{file}")
        return parse_rules(text) if text and self._is_held(file) else NO_RULES


def _read_text(path: str) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | descriptors.NONBLOCK | descriptors.CLOEXEC | descriptors.NOFOLLOW), "rb") as opened:
            return opened.read(_MAX_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
