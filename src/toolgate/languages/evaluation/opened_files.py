"""Files that code has opened for writing, and the texts they hold afterwards, where those are known.

Code may fail after any of its statements, and skip others. A text is therefore followed only as long as it grows by whole lines:
whatever part of it was written is its beginning, and the commands of a beginning are commands of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolgate.model.effect import Effect, Write
from toolgate.model.word import EMPTY, Word

from .values import FALSE, TRUE, Instance, ListValue, Reference, Value, list_parts, words_of

if TYPE_CHECKING:
    from .shared_state import Evaluation

_TEXT = "text"
_MAX_TEXTS, _MAX_LENGTH = 8, 65_536


class OpenedFiles:
    def __init__(self) -> None:
        self._texts: dict[Effect, list[Word] | None] = {}
        """The texts by the effect of opening the file; None once something unknown may have been written to it."""
        self._opened: dict[int, tuple[Instance, list[Effect], int]] = {}

    def add_file(self, evaluation: Evaluation, file: Instance, path: Value, *, appends: bool) -> None:
        """Reports that a file is opened for text that is written next."""
        report = evaluation.report
        content = report.unknown_output("data that is written")
        report.write(path, content, TRUE if appends else FALSE)
        effects: list[Effect] = [
            Write(report.seen.resolve_place(word), content, appends, report.origin) for word in words_of(path)
        ]
        file.fields[_TEXT] = ListValue("list")
        self._opened[id(file)] = (file, effects, evaluation.repeats)
        for effect in effects:
            self._texts.setdefault(effect, [])

    def write_text(self, evaluation: Evaluation, file: Instance, text: Word | None) -> None:
        """Records that a text is written at the file's end; None if the text is unknown."""
        _, effects, repeats = self._opened.get(id(file), (file, [], 0))
        written = file.fields.get(_TEXT)
        if not effects or not isinstance(written, ListValue):
            return
        if text is None or evaluation.journal.is_linear or evaluation.repeats != repeats:
            self.release_files((file,))
            return
        evaluation.journal.append_items(written, (text,))
        whole = None if written.rest is not None else _join_lines(written.items)
        for effect in effects:
            self._texts[effect] = _add_text(self._texts[effect], whole)

    def release_files(self, values: Iterable[Value]) -> None:
        """Records that unknown code has these values: it may write to the files among them."""
        if not self._opened:
            return
        for value in values:
            for each in (value, *list_parts(value)):
                file = each.receiver if isinstance(each, Reference) else each
                for effect in self._opened.get(id(file), (file, [], 0))[1]:
                    self._texts[effect] = None

    def fill_in_texts(self, effects: list[Effect]) -> list[Effect]:
        """Returns the effects, with the texts of files that were opened, as far as they are known."""
        filled: list[Effect] = []
        for effect in effects:
            texts = self._texts.get(effect) if isinstance(effect, Write) else None
            filled += [effect._replace(content=text) for text in texts] if isinstance(effect, Write) and texts else [effect]
        return filled


def _join_lines(parts: Iterable[Value]) -> Word | None:
    """Returns the text of all parts; None if one is unknown or starts within a line."""
    whole = EMPTY
    for part in parts:
        if not isinstance(part, Word) or part.text is None or len(whole.text or "") + len(part.text) > _MAX_LENGTH:
            return None
        if whole.text and not whole.text.endswith("\n") and not part.text.startswith("\n"):
            return None
        whole += part
    return whole


def _add_text(texts: list[Word] | None, added: Word | None) -> list[Word] | None:
    """Returns the texts that a file may hold, without those that are only the beginning of others."""
    if texts is None or added is None or len(texts) >= _MAX_TEXTS:
        return None
    text = added.text or ""
    kept = [each for each in texts if not text.startswith(each.text or "")]
    return kept if any((each.text or "").startswith(text) for each in kept) else [*kept, added]
