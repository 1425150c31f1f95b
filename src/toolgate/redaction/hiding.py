"""Replacement of hits by placeholders: in a text, in a JSON value, in a stream."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .detectors import command_lines
from .detectors.forms import Hit
from .finder import Finder, merged
from .placeholders import Placeholder

LONGEST = 8 * 1024 * 1024  # characters of one result that are searched: more would exceed a call's memory
SHORTEST = 3  # characters of a command's secret that is searched on its own
BRIEF = 256  # characters: texts up to this length are always searched whole
OVERLAP = 32 * 1024  # characters: more than the longest form of any detector


@dataclass(slots=True)
class Hider:
    """`count`: the number of values hidden so far. `left`: the number of characters it will still search.

    `known`: the secrets of a command, by value, with their kinds: hidden everywhere, also without the option before them.
    """

    finder: Finder
    placeholder: Placeholder
    count: int = 0
    left: int = LONGEST
    known: dict[str, str] = field(default_factory=dict)

    def learn(self, command: str) -> None:
        """Hide the secrets of this command in every text from now on."""
        for hit in (*self.finder.find(command), *command_lines.named(command)):
            value = command[hit.start : hit.end]
            if hit.kind != "email" and len(value) >= SHORTEST:
                self.known[value] = hit.kind

    def text(self, text: str) -> str:
        """Redact a text. Beyond the limit it is cut with a notice. A brief one is not cut: the shape of the result may depend
        on it."""
        if len(text) > max(self.left, BRIEF):
            text, cut = text[: self.left], len(text) - self.left
            return self.text(text) + f"\n[toolgate: {cut} more characters were cut off: more than it looks through in one result]"
        self.left = max(0, self.left - len(text))
        return self._hidden(text)

    def _find(self, text: str) -> list[Hit]:
        found = self.finder.find(text)
        learned = [
            Hit(*match.span(), kind)
            for value, kind in self.known.items()
            if value in text
            for match in re.finditer(rf"(?:(?<![A-Za-z0-9])|(?<=-[A-Za-z])){re.escape(value)}(?![A-Za-z0-9])", text)
        ]
        return merged(found + learned) if learned else found

    def _hidden(self, text: str) -> str:
        found = self._find(text)
        if not found:
            return text
        self.count += len(found)
        pieces: list[str] = []
        at = 0
        for hit in found:
            pieces += (text[at : hit.start], self.placeholder(hit.kind, text[hit.start : hit.end]))
            at = hit.end
        pieces.append(text[at:])
        return "".join(pieces)

    def value(self, value: object) -> object:
        """Redact every text in a JSON value and keep its shape; the same object is returned if nothing was found."""
        match value:
            case str():
                return self.text(value)
            case list():
                items = [self.value(each) for each in value]
                return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
            case dict():
                pairs = {self._hidden(key) if isinstance(key, str) else key: self.value(each) for key, each in value.items()}
                same = all(old is new for old, new in zip(value.values(), pairs.values(), strict=False))
                return value if same and list(pairs) == list(value) else pairs
            case _:
                return value

    def stream(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the chunks with their secrets hidden, also across chunk borders.

        Text that may be the start of a secret is held back until more text, or the end, arrives.
        """
        kept = ""
        for chunk in chunks:
            kept += chunk
            if len(kept) < 2 * OVERLAP:
                continue
            cut = self._border(kept, len(kept) - OVERLAP)
            self.left = LONGEST
            yield self.text(kept[:cut])
            kept = kept[cut:]
        self.left = LONGEST
        yield self.text(kept)

    def _border(self, text: str, wanted: int) -> int:
        """Return the last cut up to `wanted` that is inside no hit: after a line end, if there is one."""
        line = text.rfind("\n", wanted - OVERLAP // 4, wanted) + 1
        cut = line or wanted
        for hit in self._find(text):
            if hit.start < cut < hit.end:
                cut = hit.start
        return cut
