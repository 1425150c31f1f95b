"""Here-documents: a redirect names a delimiter, and the body follows on the lines after the present one."""

import re
from typing import Final

from toolgate.shell.lexer import OPERATOR, PendingDocument
from toolgate.shell.substitutions import Substitutions
from toolgate.shell.syntax import Parameter, Piece, Redirect, ShellWord, Text
from toolgate.shell.words import merged

_BODY_RUN: Final = re.compile(r"(?:[^$`\\]++|\\.)*+", re.DOTALL).match
_BODY_ESCAPE: Final = re.compile(r"\\(?:\n|([$`\\]))").sub
_TABS: Final = re.compile(r"^\t+", re.MULTILINE).sub


class Heredocs(Substitutions):
    def announce(self, redirect: Redirect, word: ShellWord) -> None:
        """A here-document's redirect was read, with the word that names its end. Nothing in that word is expanded."""
        delimiter, quoted = "", False
        for piece in word.pieces:
            if isinstance(piece, Text):
                delimiter += piece.value
                quoted = quoted or piece.quoted
            elif isinstance(piece, Parameter) and "{" not in piece.raw:
                delimiter += piece.raw
                quoted = quoted or piece.quoted
            else:
                raise self.unreadable("the end of a here-document is named by an expansion", word.span[0])
        if "\n" in delimiter:
            raise self.unreadable("the end of a here-document is named by more than a line", word.span[0])
        self.announced += 1
        self.pending.append(PendingDocument(redirect, delimiter, quoted))

    def line_end(self) -> None:
        """At the end of a line: its here-documents are read before the next token is."""
        if self.pending:
            self.documents()
        self.advance()

    def skip_lines(self) -> None:
        while self.kind == OPERATOR and self.value == "\n":
            self.line_end()

    def documents(self) -> None:
        """After the end of a line: reads the bodies of the documents that the line announced."""
        pending, self.pending = self.pending, []
        for document in pending:
            start, stop = self.pos, self._find_end(document)
            body = self._body(document, start, stop)
            # The command was built before its document could be read. Nobody else has seen it yet.
            object.__setattr__(document.redirect, "target", body)

    def _find_end(self, document: PendingDocument) -> int:
        """Where the body ends. Moves to the line after the one that ends it; a body without such a line takes all there is."""
        text, end, delimiter = self.text, self.end, document.delimiter
        while self.pos < end:
            start = self.pos
            line = self._line(joined=not document.quoted)
            if document.stripped:
                line = line.lstrip("\t")
            if line == delimiter:
                return start
            if self.substituting and ")" in line and line.startswith(delimiter):
                # Bash 5.2 ends it here, and goes on right after the delimiter; not all others do.
                after = text.index(delimiter, start) + len(delimiter)
                if not text.startswith(")", after):
                    raise self.unreadable("shells disagree about the end of this here-document", start)
                self.pos = after
                return start
        return end

    def _line(self, joined: bool) -> str:
        """The next line, without its end. Where nothing is quoted, an odd number of backslashes joins the next one to it."""
        line = ""
        while True:
            stop = self.text.find("\n", self.pos, self.end)
            stop = self.end if stop < 0 else stop
            part = self.text[self.pos : stop]
            self.pos = min(stop + 1, self.end)
            if not joined or not part.endswith("\\") or (len(part) - len(part.rstrip("\\"))) % 2 == 0 or stop == self.end:
                return line + part
            line += part[:-1]

    def _body(self, document: PendingDocument, start: int, stop: int) -> ShellWord:
        span = self.within or (start, stop)
        source = self.text[start:stop]
        stripped = _TABS("", source) if document.stripped else source
        if document.quoted or not ("$" in source or "`" in source or "\\" in source):
            return ShellWord((Text(stripped, True),), span)
        reader = self.part(start, stop) if stripped == source else self.copied(stripped, start, stop)
        pieces = reader.document()
        self.budget = reader.budget
        return ShellWord(pieces, span)

    def document(self) -> tuple[Piece, ...]:
        """All of this reader's text as the body of a here-document that expands."""
        pieces: list[Piece] = []
        if self.quoted(pieces, _BODY_RUN, _BODY_ESCAPE):
            pieces.append(Text("\\", True))
        self.spend(len(pieces))
        return merged(pieces)
