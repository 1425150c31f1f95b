"""Putting placeholders in the place of what was found: in a text, in a whole value of JSON, in a stream."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .detectors import command_lines
from .detectors.forms import Hit
from .finder import Finder, merged
from .placeholders import Placeholder

LONGEST = 8 * 1024 * 1024  # characters of one result that are looked through: more takes the memory that a call may have
SHORTEST = 3  # characters of a command's secret that is looked for by itself
BRIEF = 256  # characters: what is no longer is always looked through whole
OVERLAP = 32 * 1024  # characters: more than the longest form of any detector


@dataclass(slots=True)
class Hider:
    """`count`: how many values were hidden so far. `left`: how many characters it will still look at.

    `known`: the secrets of a command, by value, with their kinds: hidden wherever they stand, without the option before them too.
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
        """Beyond the limit a text is cut, and says so. A brief one is not: it may be what the shape of the result hangs on."""
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
        """The same value of JSON, every text in it looked through, its shape as it was; the very same where nothing was found."""
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
        """The chunks with what they hold hidden, also where it lies across their borders.

        What could still become the beginning of something stays back until more has come, or the end.
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
        """The last place up to `wanted` that lies in nothing that was found: behind a line's end where there is one."""
        line = text.rfind("\n", wanted - OVERLAP // 4, wanted) + 1
        cut = line or wanted
        for hit in self._find(text):
            if hit.start < cut < hit.end:
                cut = hit.start
        return cut
