"""What users look for beside what toolgate knows, and what they say is no secret."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from toolgate.model.pattern import Compiled, opened

from .detectors.forms import Hit


class Pattern(NamedTuple):
    """A user's own kind. `expression` is re2's: its time grows with the text alone, whatever is written there."""

    kind: str
    expression: str

    def find(self, text: str) -> Iterator[Hit]:
        for match in compiled(self.expression).finditer(text):
            if match.end() > match.start():
                yield Hit(match.start(), match.end(), self.kind)


class Exclusions(NamedTuple):
    """Values that are none, and domains whose addresses are nobody's secret (`example.org`, `@corp.example`); as a whole, in any case."""

    values: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()

    def hold(self, value: str) -> bool:
        folded = value.lower()
        return folded in self.values or ("@" in folded and folded.rpartition("@")[2] in self.domains)


@lru_cache(256)
def compiled(expression: str) -> Compiled:
    """Raises ImportError where there is no re2, ValueError for what is no expression."""
    return opened(expression, 8 << 20)
