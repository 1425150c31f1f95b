"""Conditions of a makefile: which lines between `ifeq` and `endif` are read."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from toolgate.model.word import Maybe

_DIRECTIVE = re.compile(r" *(?P<otherwise>else\b)? *(?:(?P<name>ifeq|ifneq|ifdef|ifndef)\b *(?P<test>.*))?$").match
_END = re.compile(r" *endif\b").match
_SIDES = re.compile(r"\((?P<left>(?:[^(),]|\([^()]*\))*),(?P<right>(?:[^()]|\([^()]*\))*)\)").match
_QUOTED = re.compile(r"([\"'])(?P<left>[^\"']*)\1\s+([\"'])(?P<right>[^\"']*)\3").match


@dataclass(slots=True)
class Conditions:
    """The conditions around a line, the outermost first. `expand`: returns the value of a text, None if it is unknown; then both
    branches are read. Each holds whether its branch is read, and whether another branch of it was read before."""

    expand: Callable[[str], str | None]
    open: list[tuple[Maybe, Maybe]] = field(default_factory=list)

    @property
    def is_certain(self) -> bool:
        """Whether the branch of the next line is certainly read."""
        return all(is_read is True for is_read, _ in self.open)

    def read(self, line: str) -> bool:
        """Reads a line. Returns whether it is none of the makefile's: a directive, or in a branch that is left out."""
        if _END(line) is not None:
            self.open = self.open[:-1]
            return True
        found = None if line.startswith("\t") else _DIRECTIVE(line)
        if found is not None and (found["otherwise"] or found["name"]):
            self._enter(bool(found["otherwise"]), found["name"] or "", (found["test"] or "").strip())
            return True
        return any(is_read is False for is_read, _ in self.open)

    def _enter(self, is_alternative: bool, name: str, test: str) -> None:
        is_inside = all(is_read is not False for is_read, _ in (self.open[:-1] if is_alternative else self.open))
        outcome = self._decide(name, test) if name and is_inside else True
        before: Maybe = False
        if is_alternative and self.open:
            was_read, earlier = self.open.pop()
            before = True if True in (was_read, earlier) else None if None in (was_read, earlier) else False
        is_read = False if before is True or outcome is False else None if before is None or outcome is None else True
        self.open.append((is_read, before))

    def _decide(self, name: str, test: str) -> Maybe:
        """Returns whether a condition holds; None if that is unknown."""
        if name in ("ifdef", "ifndef"):
            value = self.expand(f"$({test})")
            return None if not value else name == "ifdef"
        sides = _SIDES(test) or _QUOTED(test)
        if sides is None:
            return None
        left, right = (self.expand(sides[side].strip()) for side in ("left", "right"))
        return None if left is None or right is None else (left.strip() == right.strip()) == (name == "ifeq")
