"""Users' own patterns, and the values that they exclude."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from toolgate.model.pattern import CompiledPattern, compile_pattern

from .detectors.forms import Hit


class Pattern(NamedTuple):
    """A user's own kind. `expression` is re2's: its time is linear in the text."""

    kind: str
    expression: str

    def find(self, text: str) -> Iterator[Hit]:
        for match in compile_expression(self.expression).finditer(text):
            if match.end() > match.start():
                yield Hit(match.start(), match.end(), self.kind)


class Exclusions(NamedTuple):
    """Excluded values, and domains whose addresses are no secret (`example.org`, `@corp.example`); compared as a whole, in any
    case."""

    values: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()

    def contains(self, value: str) -> bool:
        folded = value.lower()
        return folded in self.values or ("@" in folded and folded.rpartition("@")[2] in self.domains)


@lru_cache(256)
def compile_expression(expression: str) -> CompiledPattern:
    """Compiles an expression. Raises ImportError without re2, ValueError for an invalid expression."""
    return compile_pattern(expression, 8 << 20)
