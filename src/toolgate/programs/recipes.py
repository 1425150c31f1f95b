"""Makefiles and justfiles: what a target would run, and on which line it stands."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from toolgate.model.word import EMPTY, Hole, Word, known

from .manifests import Step

# ---- Makefile

_RULE = re.compile(r"^([^\s#:=][^#:=]*?)\s*::?(?!=)\s*([^#=]*?)(?:;(.*))?(?:\s#.*)?$")
_SETTING = re.compile(r"^\s*(?:export\s+|override\s+)?([\w.-]+)\s*(\?|\+|:{1,3})?=\s*(.*)$")
_INCLUDE = re.compile(r"^[-s]?include\s+(.+)")
_REFERENCE = re.compile(r"\$(?:\$|\(([\w.-]+)\)|\{([\w.-]+)\}|([@<^?*+|%])|([\w])|(\(|\{))")


@dataclass(slots=True)
class _Target:
    needs: list[str] = field(default_factory=list)
    lines: list[tuple[str, int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Makefile:
    """`included`: it reads other files too, so what is not set in it may be set there; `waiting`: those not added yet."""

    targets: dict[str, _Target] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    included: bool = False
    waiting: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, text: str) -> "Makefile":
        found = cls()
        found.add(text, "")
        return found

    def add(self, text: str, file: str) -> None:
        """What stands in a file that is read too."""
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
                self.waiting.append(included[1].partition("#")[0])

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
                steps.append(Step(_without_unknown_start(self.expanded(recipe.lstrip("@-+ \t"), given, name)), line, file))
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
                result = result + _SOMETHING
            elif name in given:
                result = result + given[name]
            elif name in self.settings and depth < 8:
                result = result + self.expanded(self.settings[name], given, target, depth + 1)
            elif name in _OWN:
                result = result + known(_OWN[name])
            elif name and not self.included:
                continue  # set nowhere: nothing
            else:
                result = result + _SOMETHING
        return result + known(text[at:])


_SOMETHING = Word((Hole("?*", "a variable of make"),))
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


def _without_unknown_start(text: Word) -> Word:
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


# ---- justfile

_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)((?:\s+[*+$]?\w+(?:=(?:\"[^\"]*\"|'[^']*'|\S+))?)*)\s*:(?!=)\s*(.*)$")


def just_imports(text: str) -> list[str]:
    """The files that a justfile imports, in its own namespace."""
    return re.findall(r"(?m)^import\??\s+[\"']([^\"'\n]+)[\"']", text)


def just_steps(texts: list[tuple[str, str]], wanted: list[str]) -> list[Step]:
    """The lines of a justfile's recipes, with a name for what `{{ }}` puts in. `texts`: files by name, its own first; what it
    says itself counts before what it imports."""
    recipes: dict[str, tuple[list[str], str, list[tuple[int, str]]]] = {}
    for file, text in texts:
        current: list[tuple[int, str]] = []
        for number, line in enumerate(text.split("\n"), 1):
            if line[:1] in (" ", "\t"):
                current.append((number, line.strip()))
            elif found := _RECIPE.match(line):
                current = []
                recipes.setdefault(found[1], (found[3].replace("&&", " ").split(), file, current))
            elif line.strip() and not line.startswith("#"):
                current = []
    names = wanted or list(recipes)[:1]
    steps: list[Step] = []
    done: set[str] = set()
    while names and len(done) < 200:
        name = names.pop(0)
        if name in done or name not in recipes:
            continue
        done.add(name)
        needs, file, lines = recipes[name]
        names = needs + names
        if not lines or not lines[0][1].startswith("#!"):  # a script of its own is no list of commands
            steps += [Step(_without_unknown_start(_filled(line.lstrip("@-"))), number, file) for number, line in lines if line]
    return steps


def _filled(line: str) -> Word:
    result = EMPTY
    for n, piece in enumerate(re.split(r"\{\{.*?\}\}", line)):
        result = result + _SOMETHING + known(piece) if n else known(piece)
    return result
