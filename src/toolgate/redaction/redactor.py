"""Replacement of hits by placeholders: in a text, in a JSON value, in a stream."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .detectors import command_lines
from .detectors.forms import Hit
from .finder import Finder, merge_hits
from .placeholders import Placeholder

MAX_RESULT_LENGTH = 8 * 1024 * 1024  # characters of one result that are searched: more would exceed a call's memory
MIN_SECRET_LENGTH = 3  # characters of a command's secret that is searched on its own
BRIEF_LENGTH = 256  # characters: texts up to this length are always searched whole
OVERLAP_LENGTH = 32 * 1024  # characters: more than the longest form of any detector


@dataclass(slots=True)
class Redactor:
    """`count`: the number of values hidden so far. `left`: the number of characters it will still search.

    `known`: the secrets of a command, by value, with their kinds: hidden everywhere, also without the option before them.
    `shows_authors`: the text is what git, a forge or a package manager records, so `Name <address>` is an author's.
    """

    finder: Finder
    placeholder: Placeholder
    count: int = 0
    left: int = MAX_RESULT_LENGTH
    known: dict[str, str] = field(default_factory=dict)
    shows_authors: bool = False

    def learn_secrets(self, command: str) -> None:
        """Hides the secrets of this command in every text from now on."""
        for hit in (*self.finder.find_again(command), *command_lines.find_named_values(command)):
            value = command[hit.start : hit.end]
            if hit.kind != "email" and len(value) >= MIN_SECRET_LENGTH:
                self.known[value] = hit.kind

    def redact_text(self, text: str) -> str:
        """Redacts a text. Beyond the limit it is cut with a notice. A brief one is not cut: the shape of the result may depend
        on it."""
        if len(text) > max(self.left, BRIEF_LENGTH):
            text, cut = text[: self.left], len(text) - self.left
            return (
                self.redact_text(text)
                + f"\n[toolgate: {cut} more characters were cut off: more than it looks through in one result]"
            )
        self.left = max(0, self.left - len(text))
        return self._redact(text)

    def _find_hits(self, text: str) -> list[Hit]:
        found = self.finder.find_again(text)
        if not self.known:
            return found
        learned = [
            Hit(*match.span(), kind)
            for value, kind in self.known.items()
            if value in text
            for match in re.finditer(rf"(?:(?<![A-Za-z0-9])|(?<=-[A-Za-z])){re.escape(value)}(?![A-Za-z0-9])", text)
        ]
        return merge_hits(found + learned) if learned else found

    def _redact(self, text: str) -> str:
        found = self._find_hits(text)
        if self.shows_authors and self.finder.safe_addresses:
            found = [hit for hit in found if not (hit.kind == "email" and text[hit.start - 1 : hit.start] == "<")]
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

    def redact_value(self, value: object) -> object:
        """Redacts every text in a JSON value and keeps its shape; the same object is returned if nothing was found."""
        match value:
            case str():
                return self.redact_text(value)
            case list():
                items = [self.redact_value(each) for each in value]
                return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
            case dict():
                pairs = {
                    self._redact(key) if isinstance(key, str) else key: self.redact_value(each) for key, each in value.items()
                }
                same = all(old is new for old, new in zip(value.values(), pairs.values(), strict=False))
                return value if same and list(pairs) == list(value) else pairs
            case _:
                return value

    def redact_stream(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yields the chunks with their secrets hidden, also across chunk borders.

        Text that may be the start of a secret is held back until more text, or the end, arrives.
        """
        kept = ""
        for chunk in chunks:
            kept += chunk
            if len(kept) < 2 * OVERLAP_LENGTH:
                continue
            cut = self._safe_cut(kept, len(kept) - OVERLAP_LENGTH)
            self.left = MAX_RESULT_LENGTH
            yield self.redact_text(kept[:cut])
            kept = kept[cut:]
        self.left = MAX_RESULT_LENGTH
        yield self.redact_text(kept)

    def _safe_cut(self, text: str, limit: int) -> int:
        """Returns the last cut up to `limit` that is inside no hit: after a line end, if there is one."""
        line = text.rfind("\n", limit - OVERLAP_LENGTH // 4, limit) + 1
        cut = line or limit
        for hit in self._find_hits(text):
            if hit.start < cut < hit.end:
                cut = hit.start
        return cut
