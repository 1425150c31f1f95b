"""Finds the comments of a text with the shell's own lexer, so that a string, an argument or the body of a here-document is not
taken for one."""

from toolgate.shell.syntax.lexer import END, Unreadable
from toolgate.shell.syntax.parser import MAX_TEXT, Parser
from toolgate.shell.syntax.tree import Span


class _CommentCollector(Parser):
    """Parser that records the comments between tokens. A part that is parsed on its own records separately."""

    def __init__(self, text: str, pos: int, end: int, depth: int = 0, within: Span | None = None) -> None:
        super().__init__(text, pos, end, depth, within)
        self.comments: list[str] = []

    def advance(self) -> None:
        before = self.pos
        super().advance()
        _, mark, comment = self.text[before : self.start].partition("#")
        if mark:
            self.comments.append(comment.rstrip())


def find_comments(text: str) -> tuple[str, ...]:
    """Returns the comments without their mark and trailing blanks; those before the first error if the text cannot be parsed."""
    if "#" not in text or len(text) > MAX_TEXT:
        return ()
    parser = _CommentCollector(text, 0, len(text))
    try:
        parser.advance()
        parser.skip_lines()
        while parser.kind != END:
            parser.parse_line()
            parser.skip_lines()
    except Unreadable:
        pass
    return tuple(parser.comments)
