"""Where one token of shell text ends and the next begins.

A backslash before a line's end vanishes wherever a character is expected, in the middle of names and operators too:
`JOIN` stands for that in every pattern. Only a space and a tab are blanks: a carriage return, a form feed or a
no-break space is a character like any other, as in bash.

Every pattern swallows whole runs with possessive quantifiers, so that no text makes the reading slower than linear.
"""

import re
from typing import ClassVar, Final, Self

from toolgate.shell.syntax import Redirect, Sequence, ShellWord, Span

JOIN: Final = r"(?:\\\n)*+"
NAME: Final = r"[A-Za-z_](?:[A-Za-z0-9_]|\\\n)*+"

DEEPEST: Final = 60
"""Constructs within constructs. One of them costs up to nine Python frames of the thousand there are."""

MOST_PIECES: Final = 100_000
"""Words and pieces of words in one text: what bounds the memory of a tree."""

PLAIN: Final = "plain"
WORD: Final = "word"
REDIRECT: Final = "redirect"
OPERATOR: Final = "operator"
END: Final = "end"


def spelled(*operators: str) -> str:
    """A pattern for the first of the operators that is there, however many line ends are escaped within it."""
    return "|".join(JOIN.join(map(re.escape, operator)) for operator in operators)


QUALIFIERS: Final = r"\((?:[#]q)?[-NDnFTM./@=p%*rwxAIERWXsStmcahdLkGoO^,0-9]+(?:\[[-0-9,]+\])?\)(?=[ \t\n;&|()<>]|\Z)"
"""What zsh takes at the end of a glob to choose among the files, and what runs nothing: `*.log(N)`."""
_WITH_QUALIFIERS = rf"""[^ \t\n;&|<>()'"$`\\*?\[]*+[*?\[][^ \t\n;&|<>()'"$`\\]*+{QUALIFIERS}"""

# A word of plain characters may end at a parenthesis (`if(`, `f()`), unless that opens an extended glob or an array.
_RUN = r"""(?:[^ \t\n;&|<>()'"$`\\]++|\\\n)++"""
NUMBER: Final = r"[0-9](?:[0-9]|\\\n)*+"


def tokens(descriptor: str, redirects: tuple[str, ...], both: tuple[str, ...], operators: tuple[str, ...]) -> re.Pattern[str]:
    """What matches one token. `descriptor`: what may stand before a redirect. `both`: redirects of standard output and error."""
    return re.compile(
        rf"""(?:[ \t]|\\\n)*+(?:\#[^\n]*+)?+(?:
          (?!{_WITH_QUALIFIERS})(?P<plain>{_RUN}(?:(?=[ \t\n;&|)]|\Z)|(?<![?*+@!=\n])(?=\())
                   |(?!{descriptor}[<>]){_RUN}(?=[<>](?!{JOIN}\()))
         |(?P<redirect>({descriptor}?+)({spelled(*redirects)}|[<>](?!{JOIN}\())
                      |{spelled(*both) or "(?!)"})
         |(?P<operator>{spelled(*operators)}|\n)
         |(?P<end>\Z)
         |(?P<word>)
        )""",
        re.VERBOSE,
    )


TOKENS: Final = tokens(
    rf"(?:{NUMBER}|\{{{NAME}(?:\[[A-Za-z0-9_]*\])?\}})",
    ("<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|"),
    ("&>>", "&>"),
    ("&&", "||", ";;&", ";;", ";&", "|&", "&", ";", "|", "(", ")"),
)


class Unreadable(Exception):
    """Raised inside the parser only: it becomes the program's `Trouble`."""

    def __init__(self, why: str, span: Span) -> None:
        super().__init__(why)
        self.why = why
        self.span = span


Bodies = dict[int, tuple[Redirect, ShellWord]]
"""The bodies of here-documents by the identity of their redirects, which are kept with them so that it stays theirs."""


class PendingDocument:
    """A here-document whose body has not been reached: it begins on the line after the present one."""

    __slots__ = ("delimiter", "quoted", "redirect", "stripped")

    def __init__(self, redirect: Redirect, delimiter: str, quoted: bool) -> None:
        self.redirect = redirect
        self.delimiter = delimiter
        self.quoted = quoted
        self.stripped = redirect.operator == "<<-"


class Lexer:
    """The text between `pos` and `end`, one token at a time.

    The present token is `kind` and `value` (its text, line ends joined); it lies from `start` to `pos`, and the one
    before it ended at `last`. Of a word with a quote or an expansion in it only the start is known (`WORD`): what reads
    it moves `pos`. A lexer over a copy of some part of the text (`within`) gives that part's span for everything.
    """

    tokens: ClassVar[re.Pattern[str]] = TOKENS

    def __init__(self, text: str, pos: int, end: int, depth: int = 0, within: Span | None = None) -> None:
        self.text = text
        self.pos = pos
        self.end = end
        self.depth = depth
        self.within = within
        self.kind = END
        self.value = ""
        self.start = pos
        self.last = pos
        self.descriptor = ""
        self.budget = MOST_PIECES
        self.pending: list[PendingDocument] = []
        self.announced = 0
        self.bodies: Bodies = {}
        self.substituting = False
        self.commands: set[int] = set()

    def advance(self) -> None:
        match = self.tokens.match(self.text, self.pos, self.end)
        assert match is not None  # its last alternative is empty
        self.last = self.pos
        self.kind = kind = match.lastgroup or END
        value = match[kind]
        self.start = match.start(kind)
        self.pos = match.end()
        if kind == REDIRECT:
            self.descriptor = (match[3] or "").replace("\\\n", "")
            value = match[4] or value
        self.value = value.replace("\\\n", "") if "\\" in value else value

    def at(self, operator: str) -> bool:
        return self.kind == OPERATOR and self.value == operator

    def at_word(self, word: str) -> bool:
        """Whether the present token is this word with nothing quoted in it."""
        return self.kind == PLAIN and self.value == word

    def expect(self, word: str) -> None:
        if self.kind not in (PLAIN, OPERATOR) or self.value != word:
            raise self.unexpected()
        self.advance()

    def follows(self, character: str) -> bool:
        """Whether the character comes next, at `pos`."""
        return self.pos < self.end and self.text[self.pos] == character

    def span(self, start: int) -> Span:
        """From there to the end of the token before the present one."""
        return self.within or (start, self.last)

    def deeper(self) -> None:
        """Every construct that can hold another passes here, so that no text exhausts Python's stack."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.unreadable("this is nested too deeply", self.start)

    def spend(self, pieces: int) -> None:
        self.budget -= pieces
        if self.budget < 0:
            raise self.unreadable("this is too long to be read", self.start)

    def unreadable(self, why: str, start: int) -> Unreadable:
        return Unreadable(why, self.within or (start, min(max(start, self.pos), self.end)))

    def unexpected(self) -> Unreadable:
        if self.kind == END:
            return self.unreadable("the text ends in the middle of a command", self.start)
        what = {"\n": "the end of a line", "": "a word"}.get(self.value, f"`{self.value}`")
        return self.unreadable(f"{what} is not expected here", self.start)

    def part(self, start: int, end: int) -> Self:
        """A reader for a part of this text that is read as a text of its own."""
        return self._beneath(type(self)(self.text, start, end, self.depth, self.within))

    def copied(self, copy: str, start: int, end: int) -> Self:
        """A reader for what a part of this text is once a layer of it is taken off."""
        return self._beneath(type(self)(copy, 0, len(copy), self.depth, self.within or (start, end)))

    def _beneath(self, reader: Self) -> Self:
        reader.deeper()
        reader.budget = self.budget
        reader.bodies = self.bodies
        return reader

    def sequence(self) -> Sequence:
        """The commands up to what cannot begin one: the grammar's part."""
        raise NotImplementedError

    def whole(self) -> Sequence:
        """All commands of this reader's text: the grammar's part."""
        raise NotImplementedError
