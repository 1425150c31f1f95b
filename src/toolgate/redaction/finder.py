"""Search for secrets and personal data in text: literals first, then bounded checks where one occurs.

One pass of an Aho-Corasick automaton finds the literals of all detectors; expressions are tried only there, and only
from there on. Every expression is bounded, so the time is linear in the text.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from toolgate.model.word import Word

from . import encoded, literals
from .detectors import NUMBERS, assignments, command_lines, marks, words
from .detectors.forms import Hit, Probe
from .detectors.personal import is_safe_address, numbers
from .patterns import Exclusions, Pattern
from .safe import OUR_PLACEHOLDER

CAREFUL = 200  # hits per page that are checked fully: a page with more is a list of secrets
PAGE = 50_000
NOTHING_EXCLUDED = Exclusions()
DEFAULT = frozenset(("email",))
TRIED = 100_000
"""Places of one text at which something is tried. The text after the last one is a hit of its own, of the kind UNREAD."""
UNREAD = "unread"
PIECE = 65_536  # characters that are searched at a time


class Finder:
    """`personal`: kinds to find besides secrets: `email`, `card`, `iban`, `phone`, `ssn`. `patterns`: a user's own;
    `exclusions`: values that a user excludes. `safe_addresses`: ignore example domains and robots."""

    def __init__(
        self,
        personal: frozenset[str] = DEFAULT,
        patterns: Sequence[Pattern] = (),
        exclusions: Exclusions = NOTHING_EXCLUDED,
        *,
        safe_addresses: bool = True,
    ) -> None:
        self._numbers = personal & NUMBERS
        self._patterns, self._exclusions = tuple(patterns), exclusions
        self._safe_addresses = safe_addresses
        self._marks = _Table(marks(email="email" in personal), encoded.marks())
        self._words = _Table(words(), command_lines.NAMES)

    def find(self, text: str) -> list[Hit]:
        """Return the hits in the text, in order and without overlaps."""
        if "\x1b" in text:
            return self._beneath_colours(text)
        found, packed = self._literal(text)
        found += encoded.find(text, packed, lambda plain: self._literal(plain)[0], self._packed)
        if self._numbers:
            found += numbers(text, self._numbers)
        for pattern in self._patterns:
            found += pattern.find(text)
        found = [hit for hit in found if not self._is_excluded(text, hit)]
        if found and "REDACTED" in text:
            ours = [mark.span() for mark in OUR_PLACEHOLDER.finditer(text)]
            found = [hit for hit in found if not any(start < hit.end and hit.start < end for start, end in ours)]
        return merged(found)

    def _literal(self, text: str) -> tuple[list[Hit], list[encoded.Mark]]:
        """Return the hits, and where base64 may hide one: a single pass over the text finds both."""
        found: list[Hit] = []
        packed: list[encoded.Mark] = []
        probes, own, tried = self._marks.probes, len(self._marks.probes), 0
        for number, start, end in self._marks.each_place(text):
            if (tried := tried + 1) > TRIED:
                found.append(Hit(start, len(text), UNREAD))
                break
            if number >= own:
                packed.append((number - own, start))
                continue
            for probe in probes[number]:
                if (hit := probe(text, start, end)) is not None:
                    found.append(hit)
        most, done = len(found) + CAREFUL * (1 + len(text) // PAGE), 0
        probes, own, tried = self._words.probes, len(self._words.probes), 0
        for number, start, end in self._words.each_place(text, small):
            if (tried := tried + 1) > TRIED:
                found.append(Hit(start, len(text), UNREAD))
                break
            if number >= own:
                found += command_lines.find(text, start, end)
                continue
            for probe in probes[number]:
                if probe is assignments.probe and start < done:  # another word of a name or value that was found already
                    continue
                hasty = probe is assignments.probe and len(found) > most
                if (hit := (assignments.hasty if hasty else probe)(text, start, end)) is not None:
                    found.append(hit)
                    done = hit.end if probe is assignments.probe else done
        return found, packed

    def _packed(self, text: str) -> Iterator[encoded.Mark]:
        """Yield the positions where base64 may contain marks."""
        own = len(self._marks.probes)
        return ((number - own, start) for number, start, _ in self._marks.each_place(text) if number >= own)

    def _beneath_colours(self, text: str) -> list[Hit]:
        """Find secrets with terminal escapes inside, which are skipped for the search, and hidden with the secret."""
        plain, kept = encoded.without_escapes(text)
        if len(plain) == len(text):
            return self.find(plain.replace("\x1b", "\n"))
        starts = [start for start, _ in kept]

        def place(index: int) -> int:
            start, origin = kept[bisect_right(starts, index) - 1]
            return origin + index - start

        found = self.find(plain.replace("\x1b", "\n"))  # remaining escape characters begin no terminal sequence
        return [Hit(place(hit.start), place(hit.end - 1) + 1, hit.kind) for hit in found]

    def _is_excluded(self, text: str, hit: Hit) -> bool:
        value = text[hit.start : hit.end]
        return (hit.kind == "email" and self._safe_addresses and is_safe_address(value)) or self._exclusions.hold(value)


class _Table:
    """Literals with the probes of each. `others` are searched in the same pass, and numbered after those."""

    def __init__(self, rows: Iterable[tuple[str, Probe]], others: tuple[str, ...] = ()) -> None:
        by_literal: dict[str, list[Probe]] = {}
        for literal, probe in rows:
            by_literal.setdefault(literal, []).append(probe)
        self._places = literals.search((*by_literal, *others))
        self._longest = max(map(len, (*by_literal, *others)), default=0)
        self.probes = tuple(tuple(probes) for probes in by_literal.values())

    def each_place(self, text: str, fold: Callable[[str], str] | None = None) -> Iterable[tuple[int, int, int]]:
        """Return the places of the literals in the folded text. A long text is searched in pieces: the list of all places may
        be a hundred times as large as the text."""
        if len(text) <= PIECE:
            return self._places(fold(text) if fold else text)
        return self._in_pieces(text, fold)

    def _in_pieces(self, text: str, fold: Callable[[str], str] | None) -> Iterator[tuple[int, int, int]]:
        for at in range(0, len(text), PIECE):
            piece = text[at : at + PIECE + self._longest]
            for number, start, end in self._places(fold(piece) if fold else piece):
                if start < PIECE:
                    yield number, at + start, at + end


def small(text: str) -> str:
    """Return the text in lower case with every character in its place: only one capital becomes two characters."""
    folded = text.lower()
    return folded if len(folded) == len(text) else text.replace("\u0130", "I").lower()


def merged(found: list[Hit]) -> list[Hit]:
    """Return the hits in the order of the text; overlapping ones are joined, with the more specific kind."""
    found.sort(key=lambda hit: (hit.start, -hit.end))
    result: list[Hit] = []
    for hit in found:
        if not result or hit.start >= result[-1].end:
            result.append(hit)
            continue
        last = result[-1]
        kind = max(last.kind, hit.kind, key=_says)
        result[-1] = Hit(last.start, max(last.end, hit.end), kind)
    return result


def _says(kind: str) -> int:
    """Return how specific a kind is."""
    return {assignments.KIND: 0, "email": 0, "token": 1, "password": 1}.get(kind, 2)


@lru_cache(1)
def built_in() -> Finder:
    """Return the finder with toolgate's own detectors."""
    return Finder()


@lru_cache(8)
def in_text(text: str) -> tuple[Hit, ...]:
    """Return the hits in a text. Cached: several rules look at the same text."""
    return tuple(built_in().find(text))


def in_word(word: Word) -> tuple[Hit, ...]:
    """Return the hits in the known parts of a word; no hit extends across an unknown part."""
    return in_text(seen(word))


def seen(word: Word) -> str:
    """Return the known text of a word, with a separator that no secret contains for each unknown part."""
    return "\x00".join(part if isinstance(part, str) else "" for part in word.parts)
