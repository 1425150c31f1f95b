"""Finding secrets and personal data in text: literals first, bounded checks where one stands.

One pass of an Aho-Corasick automaton tells where any literal of any detector stands; only there an expression is tried, and only
from there on. Every expression is bounded, so the time grows with the text, and never faster.
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

CAREFUL = 200  # findings a page that are looked at with all care: a page that holds more is a list of secrets
PAGE = 50_000
NOTHING_EXCLUDED = Exclusions()
DEFAULT = frozenset(("email",))
TRIED = 100_000
"""Places of one text at which something is tried. The text from the next one on is a hit of its own, of the kind UNREAD."""
UNREAD = "unread"
PIECE = 65_536  # characters that are looked through at a time


class Finder:
    """`personal`: what is asked for beside the secrets: `email`, `card`, `iban`, `phone`, `ssn`. `patterns`: a user's own;
    `exclusions`: what a user says is none. `safe_addresses`: are example domains and robots left alone?"""

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
        """What is in the text, in its order; nothing overlaps."""
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
        """What is found, and where something may stand in base64: one pass over the text tells both."""
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
                if probe is assignments.probe and start < done:  # one more word of a name, or of a value, that is found already
                    continue
                hasty = probe is assignments.probe and len(found) > most
                if (hit := (assignments.hasty if hasty else probe)(text, start, end)) is not None:
                    found.append(hit)
                    done = hit.end if probe is assignments.probe else done
        return found, packed

    def _packed(self, text: str) -> Iterator[encoded.Mark]:
        """Yield where marks may stand in base64."""
        own = len(self._marks.probes)
        return ((number - own, start) for number, start, _ in self._marks.each_place(text) if number >= own)

    def _beneath_colours(self, text: str) -> list[Hit]:
        """Terminal escapes may stand within a token: they are looked past, and hidden with it."""
        plain, kept = encoded.without_escapes(text)
        if len(plain) == len(text):
            return self.find(plain.replace("\x1b", "\n"))
        starts = [start for start, _ in kept]

        def place(index: int) -> int:
            start, origin = kept[bisect_right(starts, index) - 1]
            return origin + index - start

        found = self.find(plain.replace("\x1b", "\n"))  # what is left of them is no sequence of a terminal
        return [Hit(place(hit.start), place(hit.end - 1) + 1, hit.kind) for hit in found]

    def _is_excluded(self, text: str, hit: Hit) -> bool:
        value = text[hit.start : hit.end]
        return (hit.kind == "email" and self._safe_addresses and is_safe_address(value)) or self._exclusions.hold(value)


class _Table:
    """Literals, and the probes of each. `others` are looked for in the same pass, and have the numbers after those."""

    def __init__(self, rows: Iterable[tuple[str, Probe]], others: tuple[str, ...] = ()) -> None:
        by_literal: dict[str, list[Probe]] = {}
        for literal, probe in rows:
            by_literal.setdefault(literal, []).append(probe)
        self._places = literals.search((*by_literal, *others))
        self._longest = max(map(len, (*by_literal, *others)), default=0)
        self.probes = tuple(tuple(probes) for probes in by_literal.values())

    def each_place(self, text: str, fold: Callable[[str], str] | None = None) -> Iterable[tuple[int, int, int]]:
        """Where the literals stand, in the folded text. A long text is taken in pieces: a list of all places may be a hundred
        times as large as the text."""
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
    """In small letters, every one in its place: of all capitals only one becomes two characters."""
    folded = text.lower()
    return folded if len(folded) == len(text) else text.replace("\u0130", "I").lower()


def merged(found: list[Hit]) -> list[Hit]:
    """In the order of the text; of those that overlap one is left, and its kind is the one that says most."""
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
    """How much a kind says of what it names."""
    return {assignments.KIND: 0, "email": 0, "token": 1, "password": 1}.get(kind, 2)


@lru_cache(1)
def built_in() -> Finder:
    """What toolgate looks for by itself."""
    return Finder()


@lru_cache(8)
def in_text(text: str) -> tuple[Hit, ...]:
    """Remembered: several rules look at the same."""
    return tuple(built_in().find(text))


def in_word(word: Word) -> tuple[Hit, ...]:
    """In text of which parts are not known: nothing is found that reaches across one of them."""
    return in_text(seen(word))


def seen(word: Word) -> str:
    """What is known of it, with something between that no secret has where a part is not."""
    return "\x00".join(part if isinstance(part, str) else "" for part in word.parts)
