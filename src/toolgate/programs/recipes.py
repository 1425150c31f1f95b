"""Makefiles: what a target would run, and on which line it stands."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from toolgate.model.word import EMPTY, Hole, Word, known

from .manifests import Find, Step

# ---- Makefile

_RULE = re.compile(r"^([^\s#:=][^#:=]*?)\s*::?(?!=)\s*([^#=]*?)(?:;(.*))?(?:\s#.*)?$")
_SETTING = re.compile(r"^\s*(?:export\s+|override\s+)?([\w.-]+)\s*(\?|\+|:{1,3})?=\s*(.*)$")
_MOST_FILES = 50
_WILDCARD = re.compile(r"\$[({]wildcard\s+([^(){}]*)[)}]").sub
"""A function of make that names the files it finds, as `include` does by itself."""
_INCLUDE = re.compile(r"^[-s]?include\s+(.+)")
_REFERENCE = re.compile(r"\$(?:\$|\(([\w.-]+)\)|\{([\w.-]+)\}|([@<^?*+|%])|([\w])|(\(|\{))")


@dataclass(slots=True)
class _Target:
    needs: list[str] = field(default_factory=list)
    lines: list[tuple[str, int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Makefile:
    """`included`: it reads other files too, so what is not set in it may be set there."""

    targets: dict[str, _Target] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    included: bool = False
    done: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, text: str, find: "Find") -> "Makefile":
        found = cls()
        found.add(text, "", find)
        return found

    def add(self, text: str, file: str, find: "Find") -> None:
        """What stands in a file, and where it includes others, in those."""
        current = [_Target()]
        for number, line in _logical_lines(text):
            if line.startswith("\t"):
                for target in current:
                    target.lines.append((file, number, line.strip()))
            elif setting := _SETTING.match(line):
                name, how, value = setting.groups()
                before = self.settings.get(name, "")
                self.settings[name] = (
                    f"{before} {value}".strip() if how == "+" else before if how == "?" and before else value.strip()
                )
            elif rule := _RULE.match(line):
                names, needs, recipe = rule.groups()
                current = [self.targets.setdefault(name, _Target()) for name in names.split()]
                for target in current:
                    target.needs += needs.replace("|", " ").split()
                    if recipe:
                        target.lines.append((file, number, recipe.strip()))
            elif included := _INCLUDE.match(line):
                self.included = True
                names = self.expanded(_WILDCARD(r"\1", included[1].partition("#")[0]), {}, "").text or ""
                for name in names.split():
                    if name not in self.done and len(self.done) < _MOST_FILES:
                        self.done.add(name)
                        for other in find(name):
                            self.add(other, name, find)

    def first(self) -> str | None:
        return next((name for name in self.targets if not name.startswith(".") and "%" not in name), None)

    def steps(self, wanted: list[str], given: Mapping[str, Word]) -> list[Step]:
        """The recipes of these targets and of what they need, in order."""
        steps: list[Step] = []
        seen: set[str] = set()
        waiting = list(reversed(wanted))
        while waiting and len(seen) < 200:
            name = waiting[-1]
            target = self.targets.get(name)
            if name in seen or target is None:
                waiting.pop()
                if name not in seen or target is None:
                    continue
            seen.add(name)
            if unmet := [need for need in target.needs if need in self.targets and need not in seen]:
                waiting += reversed(unmet)
                continue
            if waiting and waiting[-1] == name:
                waiting.pop()
            for file, line, recipe in target.lines:
                steps.append(Step(without_unknown_start(self.expanded(recipe.lstrip("@-+ \t"), given, name)), line, file))
            target.lines = []
        return steps

    def expanded(self, text: str, given: Mapping[str, Word], target: str, depth: int = 0) -> Word:
        """As make hands it to the shell. A function's result, and what another file may set, is some name."""
        result, at = EMPTY, 0
        for match in _REFERENCE.finditer(text):
            if match.start() < at:
                continue
            result, at = result + known(text[at : match.start()]), match.end()
            name = match[1] or match[2] or match[4]
            if match[0] == "$$":
                result = result + known("$")
            elif match[3] == "@":
                result = result + known(target)
            elif match[5]:
                at = _end_of_call(text, match.start())
                result = result + SOMETHING
            elif name in given:
                result = result + given[name]
            elif name in self.settings and depth < 8:
                result = result + self.expanded(self.settings[name], given, target, depth + 1)
            elif name in _OWN:
                result = result + known(_OWN[name])
            elif name and not self.included:
                continue  # set nowhere: nothing
            else:
                result = result + SOMETHING
        return result + known(text[at:])


SOMETHING = Word((Hole("?*", "a variable"),))
_OWN = {
    "MAKE": "make",
    "CC": "cc",
    "CXX": "c++",
    "AR": "ar",
    "LD": "ld",
    "RM": "rm -f",
    "SHELL": "/bin/sh",
    "CURDIR": ".",
    "PWD": ".",
}
"""What make itself sets."""


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their continuations, numbered by where they begin."""
    start, held = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        if not held:
            start = number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        yield start, held + (line.lstrip() if held else line)
        held = ""
    if held:
        yield start, held


def without_unknown_start(text: Word) -> Word:
    """`$(Q)rm x`: a variable that nobody knows may be nothing at all."""
    parts = list(text.parts)
    while parts and isinstance(parts[0], Hole):
        parts.pop(0)
    return Word(tuple(parts), src=text.src)


def _end_of_call(text: str, start: int) -> int:
    depth = 0
    for n in range(start + 1, len(text)):
        if text[n] in "({":
            depth += 1
        elif text[n] in ")}":
            depth -= 1
            if depth == 0:
                return n + 1
    return len(text)
