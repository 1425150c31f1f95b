"""The rules of a `.gitignore` file (gitignore(5))."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_MAX_RULES = 2_000


class _Rule(NamedTuple):
    expression: re.Pattern[str]
    ignores: bool
    only_folders: bool


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


NO_RULES = RuleFile(())
