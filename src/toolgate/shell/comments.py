"""What stands in the comments of a text: told by the very lexer that leaves them out, so that a string, an argument or the body
of a here-document is none."""

from toolgate.shell.lexer import END, Unreadable
from toolgate.shell.parser import LONGEST, Parser
from toolgate.shell.syntax import Span


class _Noting(Parser):
    """Reads as ever, and notes what it passes over between two tokens. A part that is read as a text of its own notes apart."""

    def __init__(self, text: str, pos: int, end: int, depth: int = 0, within: Span | None = None) -> None:
        super().__init__(text, pos, end, depth, within)
        self.comments: list[str] = []

    def advance(self) -> None:
        before = self.pos
        super().advance()
        _, mark, comment = self.text[before : self.start].partition("#")
        if mark:
            self.comments.append(comment.rstrip())


def comments(text: str) -> tuple[str, ...]:
    """Each without its mark and the blanks at its end; those before the first mistake in a text that cannot be read."""
    if "#" not in text or len(text) > LONGEST:
        return ()
    parser = _Noting(text, 0, len(text))
    try:
        parser.advance()
        parser.skip_lines()
        while parser.kind != END:
            parser.line()
            parser.skip_lines()
    except Unreadable:
        pass
    return tuple(parser.comments)
