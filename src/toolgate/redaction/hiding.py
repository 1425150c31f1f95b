"""Putting placeholders in the place of what was found: in a text, in a whole value of JSON, in a stream."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .finder import Finder
from .placeholders import Placeholder

LONGEST = 64 * 1024 * 1024  # characters of one result that are looked through
BRIEF = 256  # characters: what is no longer is always looked through whole
OVERLAP = 32 * 1024  # characters: more than the longest form of any detector


@dataclass(slots=True)
class Hider:
    """`count`: how many values were hidden so far. `left`: how many characters it will still look at."""

    finder: Finder
    placeholder: Placeholder
    count: int = 0
    left: int = LONGEST

    def text(self, text: str) -> str:
        """Beyond the limit a text is cut, and says so. A brief one is not: it may be what the shape of the result hangs on."""
        if len(text) > max(self.left, BRIEF):
            text, cut = text[: self.left], len(text) - self.left
            return self.text(text) + f"\n[toolgate: {cut} more characters were cut off: more than it looks through in one result]"
        self.left = max(0, self.left - len(text))
        return self._hidden(text)

    def _hidden(self, text: str) -> str:
        found = self.finder.find(text)
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
        for hit in self.finder.find(text):
            if hit.start < cut < hit.end:
                cut = hit.start
        return cut
