"""Paths of a repository that git ignores (gitignore(5)).

A `.gitignore` counts if git has its current content: a new one may have been written to hide what is deleted next.
"""

import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from . import descriptors

_MAX_BYTES = 100_000  # bytes
_MAX_RULES = 2_000


class _Rule(NamedTuple):
    expression: re.Pattern[str]
    ignores: bool
    only_folders: bool


class IgnoreRules:
    """The rules of one work tree. `is_held` tells whether git has the current content of a file."""

    def __init__(self, top: str, home: str, is_held: Callable[[str], bool]) -> None:
        self._top, self._is_held = top.rstrip("/"), is_held
        self._own = parse_rules(_read_text(f"{home}/.config/git/ignore")) if home else _NO_RULES
        self._chains: dict[str, tuple[tuple[RuleFile, int], ...]] = {}

    def is_ignored(self, name: str, *, folder: bool) -> bool:
        """Returns whether the rules of its folder, and of those above, ignore a path. Parent folders are checked before it."""
        for rules, cut in self._rules_for_folder(name.rpartition("/")[0]):
            found = rules.match_path(name[cut:], folder)
            if found is not None:
                return found
        return False

    def _rules_for_folder(self, folder: str) -> tuple[tuple["RuleFile", int], ...]:
        """Returns the rules for paths in a folder, the nearest first, and where their part of a path begins."""
        if folder not in self._chains:
            rest = self._rules_for_folder(folder.rpartition("/")[0]) if folder else ((self._own, 0),)
            rules = self._rules_of_folder(folder)
            mine = ((rules, len(folder) + 1 if folder else 0),) if rules is not _NO_RULES else ()
            self._chains[folder] = (*mine, *rest)
        return self._chains[folder]

    def _rules_of_folder(self, folder: str) -> "RuleFile":
        file = f"{folder}/.gitignore" if folder else ".gitignore"
        text = _read_text(f"{self._top}/{file}")
        return parse_rules(text) if text and self._is_held(file) else _NO_RULES


def _read_text(path: str) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | descriptors.NONBLOCK | descriptors.CLOEXEC | descriptors.NOFOLLOW), "rb") as opened:
            return opened.read(_MAX_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


class RuleFile:
    """The rules of one file, in order: the last match applies."""

    def __init__(self, rules: tuple[_Rule, ...]) -> None:
        self._rules = rules
        self._any = re.compile("|".join(f"(?:{rule.expression.pattern})" for rule in rules), re.DOTALL) if rules else None

    def match_path(self, name: str, folder: bool) -> bool | None:
        """Returns whether a path below the file's folder is ignored; None if no rule matches."""
        if self._any is None or self._any.fullmatch(name) is None:
            return None
        for rule in reversed(self._rules):
            if (folder or not rule.only_folders) and rule.expression.fullmatch(name):
                return rule.ignores
        return None


@lru_cache(256)
def parse_rules(text: str) -> RuleFile:
    return RuleFile(tuple(_parse_lines(text)))


def _parse_lines(text: str) -> Iterator[_Rule]:
    for line in text.splitlines()[:_MAX_RULES]:
        pattern = line if line.endswith("\\ ") else line.rstrip()
        if not pattern or pattern.startswith("#"):
            continue
        negated = pattern.startswith("!")
        pattern = pattern[1:] if negated else pattern.removeprefix("\\")
        only_folders = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        if not pattern:
            continue
        anchored = "/" in pattern
        expression = _translate_pattern(pattern.removeprefix("/"))
        try:
            compiled = re.compile(expression if anchored else rf"(?:.*/)?{expression}", re.DOTALL)
        except re.error:
            continue
        yield _Rule(compiled, not negated, only_folders)


def _translate_pattern(pattern: str) -> str:
    out, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            out, at = out + "(?:.*/)?", at + 3
        elif pattern.startswith("/**", at) and at + 3 == len(pattern):
            out, at = out + "/.+", at + 3
        elif pattern[at] == "*":
            out += "[^/]*"
            at += 2 if pattern.startswith("**", at) else 1
        elif pattern[at] == "?":
            out, at = out + "[^/]", at + 1
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            inner = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            out, at = out + f"[{'^' + inner[1:] if inner.startswith('!') else inner}]", end + 1
        elif pattern[at] == "\\" and at + 1 < len(pattern):
            out, at = out + re.escape(pattern[at + 1]), at + 2
        else:
            out, at = out + re.escape(pattern[at]), at + 1
    return out


_NO_RULES = RuleFile(())
