"""Search for secrets and personal data in text: literals first, then bounded checks where one occurs.

One pass of an Aho-Corasick automaton finds the literals of all detectors; expressions are tried only there, and only
from there on. Every expression is bounded, so the time is linear in the text.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from toolgate.model.word import Word

from . import encoded, literals
from .detectors import NUMBERS, assignments, command_lines, iter_marks, iter_words
from .detectors.authors import is_author_address
from .detectors.forms import Hit, Probe
from .detectors.personal import find_numbers, is_safe_address
from .patterns import Exclusions, Pattern
from .safe_values import OUR_PLACEHOLDER

CAREFUL_HITS_PER_PAGE = 200  # hits per page that are checked fully: a page with more is a list of secrets
PAGE_LENGTH = 50_000
NOTHING_EXCLUDED = Exclusions()
DEFAULT_PERSONAL = frozenset(("email",))
MAX_PROBES = 100_000
"""Places of one text at which something is tried. The text after the last one is a hit of its own, of the kind UNREAD."""
MAX_AUTHORS = 500
"""Addresses of one text that may be an author's; what is in a longer list is hidden."""
UNREAD = "unread"
PIECE_LENGTH = 65_536  # characters that are searched at a time

REMEMBERED_TEXTS, REMEMBERED_LENGTH = 64, 2000  # texts; characters of each


class Finder:
    """`personal`: kinds to find besides secrets: `email`, `card`, `iban`, `phone`, `ssn`. `patterns`: a user's own;
    `exclusions`: values that a user excludes. `safe_addresses`: ignore example domains, robots and authors."""

    def __init__(
        self,
        personal: frozenset[str] = DEFAULT_PERSONAL,
        patterns: Sequence[Pattern] = (),
        exclusions: Exclusions = NOTHING_EXCLUDED,
        *,
        safe_addresses: bool = True,
    ) -> None:
        self._numbers = personal & NUMBERS
        self._patterns, self._exclusions = tuple(patterns), exclusions
        self.safe_addresses = safe_addresses
        self._marks = _LiteralTable(iter_marks(email="email" in personal), encoded.base64_marks())
        self._words = _LiteralTable(iter_words(), command_lines.NAMES)
        self._find_once = lru_cache(REMEMBERED_TEXTS)(lambda text: tuple(self.find(text)))

    def find_again(self, text: str) -> list[Hit]:
        """Returns the same hits as `find`, remembered for short texts: a call's command and folders are searched many times."""
        return list(self._find_once(text)) if len(text) <= REMEMBERED_LENGTH else self.find(text)

    def find(self, text: str) -> list[Hit]:
        """Returns the hits in the text, in order and without overlaps."""
        if "\x1b" in text:
            return self._find_between_escapes(text)
        found, packed = self._find_literals(text)
        found += encoded.find(text, packed, lambda plain: self._find_literals(plain)[0], self._packed_marks)
        if self._numbers:
            found += find_numbers(text, self._numbers)
        for pattern in self._patterns:
            found += pattern.find(text)
        tried = [hit for hit in found if hit.kind == "email"][:MAX_AUTHORS] if self.safe_addresses else []
        authors = {hit.start for hit in tried if is_author_address(text, hit.start)}
        found = [hit for hit in found if not self._is_excluded(text, hit) and not (hit.kind == "email" and hit.start in authors)]
        if found and "REDACTED" in text:
            placeholders = [mark.span() for mark in OUR_PLACEHOLDER.finditer(text)]
            found = [hit for hit in found if not any(start < hit.end and hit.start < end for start, end in placeholders)]
        return merge_hits(found)

    def _find_literals(self, text: str) -> tuple[list[Hit], list[encoded.Mark]]:
        """Returns the hits, and where base64 may hide one: a single pass over the text finds both."""
        found: list[Hit] = []
        packed: list[encoded.Mark] = []
        probes, own, tried = self._marks.probes, len(self._marks.probes), 0
        for number, start, end in self._marks.each_place(text):
            if (tried := tried + 1) > MAX_PROBES:
                found.append(Hit(start, len(text), UNREAD))
                break
            if number >= own:
                packed.append((number - own, start))
                continue
            for probe in probes[number]:
                if (hit := probe(text, start, end)) is not None:
                    found.append(hit)
        most, done = len(found) + CAREFUL_HITS_PER_PAGE * (1 + len(text) // PAGE_LENGTH), 0
        probes, own, tried = self._words.probes, len(self._words.probes), 0
        for number, start, end in self._words.each_place(text, lower_in_place):
            if (tried := tried + 1) > MAX_PROBES:
                found.append(Hit(start, len(text), UNREAD))
                break
            if number >= own:
                found += command_lines.find_secrets(text, start, end)
                continue
            for probe in probes[number]:
                if probe is assignments.probe and start < done:  # another word of a name or value that was found already
                    continue
                hasty = probe is assignments.probe and len(found) > most
                if (hit := (assignments.probe_quickly if hasty else probe)(text, start, end)) is not None:
                    found.append(hit)
                    done = hit.end if probe is assignments.probe else done
        return found, packed

    def _packed_marks(self, text: str) -> Iterator[encoded.Mark]:
        """Yields the positions where base64 may contain marks."""
        own = len(self._marks.probes)
        return ((number - own, start) for number, start, _ in self._marks.each_place(text) if number >= own)

    def _find_between_escapes(self, text: str) -> list[Hit]:
        """Finds secrets with terminal escapes inside, which are skipped for the search, and hidden with the secret."""
        plain, kept = encoded.strip_escapes(text)
        if len(plain) == len(text):
            return self.find(plain.replace("\x1b", "\n"))
        starts = [start for start, _ in kept]

        def original_index(index: int) -> int:
            start, origin = kept[bisect_right(starts, index) - 1]
            return origin + index - start

        found = self.find(plain.replace("\x1b", "\n"))  # remaining escape characters begin no terminal sequence
        return [Hit(original_index(hit.start), original_index(hit.end - 1) + 1, hit.kind) for hit in found]

    def _is_excluded(self, text: str, hit: Hit) -> bool:
        value = text[hit.start : hit.end]
        return (hit.kind == "email" and self.safe_addresses and is_safe_address(value)) or self._exclusions.contains(value)


class _LiteralTable:
    """Literals with the probes of each. `others` are searched in the same pass, and numbered after those."""

    def __init__(self, rows: Iterable[tuple[str, Probe]], others: tuple[str, ...] = ()) -> None:
        by_literal: dict[str, list[Probe]] = {}
        for literal, probe in rows:
            by_literal.setdefault(literal, []).append(probe)
        self._places = literals.build_search((*by_literal, *others))
        self._longest = max(map(len, (*by_literal, *others)), default=0)
        self.probes = tuple(tuple(probes) for probes in by_literal.values())

    def each_place(self, text: str, fold: Callable[[str], str] | None = None) -> Iterable[tuple[int, int, int]]:
        """Returns the places of the literals in the folded text. A long text is searched in pieces: the list of all places may
        be a hundred times as large as the text."""
        if len(text) <= PIECE_LENGTH:
            return self._places(fold(text) if fold else text)
        return self._places_in_pieces(text, fold)

    def _places_in_pieces(self, text: str, fold: Callable[[str], str] | None) -> Iterator[tuple[int, int, int]]:
        for at in range(0, len(text), PIECE_LENGTH):
            piece = text[at : at + PIECE_LENGTH + self._longest]
            for number, start, end in self._places(fold(piece) if fold else piece):
                if start < PIECE_LENGTH:
                    yield number, at + start, at + end


def lower_in_place(text: str) -> str:
    """Returns the text in lower case with every character in its place: only one capital becomes two characters."""
    folded = text.lower()
    return folded if len(folded) == len(text) else text.replace("\u0130", "I").lower()


def merge_hits(hits: list[Hit]) -> list[Hit]:
    """Returns the hits in the order of the text; overlapping ones are joined, with the more specific kind."""
    hits.sort(key=lambda hit: (hit.start, -hit.end))
    result: list[Hit] = []
    for hit in hits:
        if not result or hit.start >= result[-1].end:
            result.append(hit)
            continue
        last = result[-1]
        kind = max(last.kind, hit.kind, key=_specificity)
        result[-1] = Hit(last.start, max(last.end, hit.end), kind)
    return result


def _specificity(kind: str) -> int:
    """Returns how specific a kind is."""
    return {assignments.KIND: 0, "email": 0, "token": 1, "password": 1}.get(kind, 2)


@lru_cache(1)
def default_finder() -> Finder:
    """Returns the finder with toolgate's own detectors."""
    return Finder()


@lru_cache(8)
def find_in_text(text: str) -> tuple[Hit, ...]:
    """Returns the hits in a text. Cached: several rules look at the same text."""
    return tuple(default_finder().find(text))


def find_in_word(word: Word) -> tuple[Hit, ...]:
    """Returns the hits in the known parts of a word; no hit extends across an unknown part."""
    return find_in_text(known_text(word))


def known_text(word: Word) -> str:
    """Returns the known text of a word, with a separator that no secret contains for each unknown part."""
    return "\x00".join(part if isinstance(part, str) else "" for part in word.parts)
