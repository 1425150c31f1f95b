"""Here-documents: a redirect names a delimiter, and the body follows on the lines after the current one."""

import re
from typing import Any, Final

from toolgate.shell.syntax.lexer import OPERATOR, DocumentBodies, PendingDocument
from toolgate.shell.syntax.substitutions import Substitutions
from toolgate.shell.syntax.tree import Node, Parameter, Piece, Redirect, ShellWord, Text
from toolgate.shell.syntax.words import merge_text_pieces

_BODY_RUN: Final = re.compile(r"(?:[^$`\\]++|\\.)*+", re.DOTALL).match
_BODY_ESCAPE: Final = re.compile(r"\\(?:\n|([$`\\]))").sub
# A line joined to the one before it keeps its tabs.
_STRIP_TABS: Final = re.compile(r"()^\t+", re.MULTILINE).sub
_STRIP_TABS_OF_JOINED: Final = re.compile(r"(\\(?:\n\t*|[^\n]))|^\t+", re.MULTILINE).sub


def _insert_bodies(tree: Any, bodies: DocumentBodies) -> Any:
    """Returns the tree with these bodies inserted into their redirects. It recurses once for each node, not for each tuple:
    the depth of the tree is a small multiple of the parser's limit."""
    if id(tree) in bodies:
        redirect, body = bodies[id(tree)]
        return Redirect(redirect.descriptor, redirect.operator, _insert_bodies(body, bodies), redirect.span)
    parts: list[Any] = []
    for name in tree.__match_args__:
        part = getattr(tree, name)
        if type(part) is tuple:
            items: list[Any] = []
            for item in part:
                if type(item) is tuple:  # the operator and the command of a list, or the halves of a branch
                    first, second = item
                    first = _insert_bodies(first, bodies) if hasattr(first, "__match_args__") else first
                    items.append((first, _insert_bodies(second, bodies) if hasattr(second, "__match_args__") else second))
                else:
                    items.append(_insert_bodies(item, bodies) if hasattr(item, "__match_args__") else item)
            parts.append(tuple(items))
        else:
            parts.append(_insert_bodies(part, bodies) if hasattr(part, "__match_args__") else part)
    return type(tree)(*parts)


class Heredocs(Substitutions):
    def announce_document(self, redirect: Redirect, word: ShellWord) -> None:
        """Records a here-document's redirect and the word for its delimiter, in which nothing is expanded."""
        delimiter, quoted = "", False
        for piece in word.pieces:
            if isinstance(piece, Text):
                delimiter += piece.value
                quoted = quoted or piece.quoted
            elif isinstance(piece, Parameter) and "{" not in piece.raw:
                delimiter += piece.raw
                quoted = quoted or piece.quoted
            else:
                raise self.unreadable_error("the end of a here-document is named by an expansion", word.span[0])
        if "\n" in delimiter:
            raise self.unreadable_error("the end of a here-document is named by more than a line", word.span[0])
        if redirect.operator == "<<-" and delimiter.startswith("\t"):
            raise self.unreadable_error("shells disagree about the end of this here-document", word.span[0])
        self.announced += 1
        self.pending.append(PendingDocument(redirect, delimiter, quoted))

    def end_line(self) -> None:
        """Reads the line's here-documents before the next token."""
        if self.pending:
            self.read_documents()
        self.advance()

    def skip_lines(self) -> None:
        while self.kind == OPERATOR and self.value == "\n":
            self.end_line()

    def read_documents(self) -> None:
        """Reads the bodies of the documents that the finished line announced."""
        pending, self.pending = self.pending, []
        for document in pending:
            start, stop = self.pos, self._find_end(document)
            self.bodies[id(document.redirect)] = document.redirect, self._parse_body(document, start, stop)

    def attach_bodies(self, nodes: list[Node]) -> list[Node]:
        """Returns the commands of a line with the bodies of their here-documents, which are read after it."""
        if self.bodies:
            nodes = [_insert_bodies(node, self.bodies) for node in nodes]
            self.bodies.clear()
        return nodes

    def _find_end(self, document: PendingDocument) -> int:
        """Returns where the body ends, and moves to the line after its delimiter; a body without one takes the rest of the
        text."""
        text, end, delimiter = self.text, self.end, document.delimiter
        while self.pos < end:
            start = self.pos
            line = self._read_line(joined=not document.quoted)
            if document.stripped:
                line = line.lstrip("\t")
            if line == delimiter:
                return start
            if self.substituting and ")" in line and line.startswith(delimiter):
                # Bash 5.2 ends it here and continues right after the delimiter; some other shells do not.
                after = text.index(delimiter, start) + len(delimiter)
                if not text.startswith(")", after):
                    raise self.unreadable_error("shells disagree about the end of this here-document", start)
                self.pos = after
                return start
        return end

    def _read_line(self, joined: bool) -> str:
        """Returns the next line without its end. Unquoted, an odd number of backslashes joins the next line to it."""
        line = ""
        while True:
            stop = self.text.find("\n", self.pos, self.end)
            stop = self.end if stop < 0 else stop
            part = self.text[self.pos : stop]
            self.pos = min(stop + 1, self.end)
            if not joined or not part.endswith("\\") or (len(part) - len(part.rstrip("\\"))) % 2 == 0 or stop == self.end:
                return line + part
            line += part[:-1]

    def _parse_body(self, document: PendingDocument, start: int, stop: int) -> ShellWord:
        span = self.within or (start, stop)
        source = self.text[start:stop]
        stripped = source
        if document.stripped:
            stripped = (_STRIP_TABS if document.quoted else _STRIP_TABS_OF_JOINED)(r"\1", source)
        if document.quoted or not ("$" in source or "`" in source or "\\" in source):
            return ShellWord((Text(stripped, True),), span)
        reader = self.reader_for_part(start, stop) if stripped == source else self.reader_for_copy(stripped, start, stop)
        pieces = reader.parse_document()
        self.budget = reader.budget
        return ShellWord(pieces, span)

    def parse_document(self) -> tuple[Piece, ...]:
        """Parses all of this reader's text as the body of a here-document that is expanded."""
        pieces: list[Piece] = []
        self.is_document = True
        if self.read_quoted(pieces, _BODY_RUN, _BODY_ESCAPE):
            pieces.append(Text("\\", True))
        self.spend_budget(len(pieces))
        return merge_text_pieces(pieces)
