"""Lexer: where one token of shell text ends and the next begins.

A backslash before a line end disappears wherever a character is expected, within names and operators, too: `JOIN` matches it
in every pattern. Only space and tab are blanks: a carriage return, a form feed or a no-break space is an ordinary character,
as in bash.

Patterns use possessive quantifiers for whole runs, so that the time is linear in every text.
"""

import re
from typing import ClassVar, Final, Self

from toolgate.shell.syntax.tree import Redirect, Sequence, ShellWord, Span

JOIN: Final = r"(?:\\\n)*+"
NAME: Final = r"[A-Za-z_](?:[A-Za-z0-9_]|\\\n)*+"

MAX_DEPTH: Final = 60
"""Maximum nesting of constructs. One of them takes up to nine Python frames of the limit of a thousand."""

MAX_PIECES: Final = 100_000
"""Maximum words and pieces of words in one text, which bounds the memory of a tree."""

PLAIN: Final = "plain"
WORD: Final = "word"
REDIRECT: Final = "redirect"
OPERATOR: Final = "operator"
END: Final = "end"


def build_operator_pattern(*operators: str) -> str:
    """Returns a pattern for the first of these operators that matches, with any escaped line ends within it."""
    return "|".join(JOIN.join(map(re.escape, operator)) for operator in operators)


QUALIFIERS: Final = r"\((?:[#]q)?[-NDnFTM./@=p%*rwxAIERWXsStmcahdLkGoO^,0-9]+(?:\[[-0-9,]+\])?\)(?=[ \t\n;&|()<>]|\Z)"
"""Matches glob qualifiers of zsh that only select files and run nothing: `*.log(N)`."""
_QUALIFIED_GLOB = rf"""[^ \t\n;&|<>()'"$`\\*?\[]*+[*?\[][^ \t\n;&|<>()'"$`\\]*+{QUALIFIERS}"""

# A plain word may end at a parenthesis (`if(`, `f()`), unless that opens an extended glob or an array.
_PLAIN_RUN = r"""(?:[^ \t\n;&|<>()'"$`\\]++|\\\n)++"""
NUMBER: Final = r"[0-9](?:[0-9]|\\\n)*+"


def build_token_pattern(
    descriptor: str, redirects: tuple[str, ...], both: tuple[str, ...], operators: tuple[str, ...]
) -> re.Pattern[str]:
    """Returns the pattern for one token. `descriptor`: what may precede a redirect. `both`: redirects of standard output and
    error."""
    return re.compile(
        rf"""(?:[ \t]|\\\n)*+(?:\#[^\n]*+)?+(?:
          (?!{_QUALIFIED_GLOB})(?P<plain>{_PLAIN_RUN}(?:(?=[ \t\n;&|)]|\Z)|(?<![?*+@!=\n])(?=\())
                   |(?!{descriptor}[<>]){_PLAIN_RUN}(?=[<>](?!{JOIN}\()))
         |(?P<redirect>({descriptor}?+)({build_operator_pattern(*redirects)}|[<>](?!{JOIN}\())
                      |{build_operator_pattern(*both) or "(?!)"})
         |(?P<operator>{build_operator_pattern(*operators)}|\n)
         |(?P<end>\Z)
         |(?P<word>)
        )""",
        re.VERBOSE,
    )


BASH_TOKENS: Final = build_token_pattern(
    rf"(?:{NUMBER}|\{{{NAME}(?:\[[A-Za-z0-9_]*\])?\}})",
    ("<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|"),
    ("&>>", "&>"),
    ("&&", "||", ";;&", ";;", ";&", "|&", "&", ";", "|", "(", ")"),
)


class Unreadable(Exception):
    """Raised inside the parser only, which converts it to the program's `ParseError`."""

    def __init__(self, why: str, span: Span) -> None:
        super().__init__(why)
        self.why = why
        self.span = span


DocumentBodies = dict[int, tuple[Redirect, ShellWord]]
"""Bodies of here-documents by the identity of their redirects, which are kept with them so that the identity stays valid."""


class PendingDocument:
    """A here-document whose body has not been reached: it begins on the next line."""

    __slots__ = ("delimiter", "quoted", "redirect", "stripped")

    def __init__(self, redirect: Redirect, delimiter: str, quoted: bool) -> None:
        self.redirect = redirect
        self.delimiter = delimiter
        self.quoted = quoted
        self.stripped = redirect.operator == "<<-"


class Lexer:
    """Reads the text between `pos` and `end`, one token at a time.

    The current token is `kind` and `value` (its text, line ends joined); it extends from `start` to `pos`, and the one before
    it ended at `last`. For a word with a quote or an expansion only the start is known (`WORD`): its parser moves `pos`. A
    lexer over a copy of some part of the text (`within`) uses that part's span for everything.
    """

    tokens: ClassVar[re.Pattern[str]] = BASH_TOKENS

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
        self.budget = MAX_PIECES
        self.pending: list[PendingDocument] = []
        self.announced = 0
        self.bodies: DocumentBodies = {}
        self.substituting = False
        self.commands: set[int] = set()
        self.is_document = False

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

    def is_at_operator(self, operator: str) -> bool:
        return self.kind == OPERATOR and self.value == operator

    def is_at_word(self, word: str) -> bool:
        """Returns whether the current token is this word, unquoted."""
        return self.kind == PLAIN and self.value == word

    def expect(self, word: str) -> None:
        if self.kind not in (PLAIN, OPERATOR) or self.value != word:
            raise self.unexpected_token_error()
        self.advance()

    def is_next(self, character: str) -> bool:
        """Returns whether this character is next, at `pos`."""
        return self.pos < self.end and self.text[self.pos] == character

    def span_from(self, start: int) -> Span:
        """Returns the span from `start` to the end of the token before the current one."""
        return self.within or (start, self.last)

    def enter_construct(self) -> None:
        """Counts the nesting depth. Every construct that can contain another calls this, so that no text exhausts Python's
        stack."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.unreadable_error("this is nested too deeply", self.start)

    def spend_budget(self, pieces: int) -> None:
        self.budget -= pieces
        if self.budget < 0:
            raise self.unreadable_error("this is too long to be read", self.start)

    def unreadable_error(self, why: str, start: int) -> Unreadable:
        return Unreadable(why, self.within or (start, min(max(start, self.pos), self.end)))

    def unexpected_token_error(self) -> Unreadable:
        if self.kind == END:
            return self.unreadable_error("the text ends in the middle of a command", self.start)
        what = {"\n": "the end of a line", "": "a word"}.get(self.value, f"`{self.value}`")
        return self.unreadable_error(f"{what} is not expected here", self.start)

    def reader_for_part(self, start: int, end: int) -> Self:
        """Returns a reader for a part of this text that is parsed on its own."""
        return self._share_limits(type(self)(self.text, start, end, self.depth, self.within))

    def reader_for_copy(self, copy: str, start: int, end: int) -> Self:
        """Returns a reader for a copy of a part of this text with one layer of quoting removed."""
        return self._share_limits(type(self)(copy, 0, len(copy), self.depth, self.within or (start, end)))

    def _share_limits(self, reader: Self) -> Self:
        reader.enter_construct()
        reader.budget = self.budget
        reader.bodies = self.bodies
        return reader

    def parse_sequence(self) -> Sequence:
        """Parses the commands up to a token that cannot begin one; defined by the grammar."""
        raise NotImplementedError

    def parse_all(self) -> Sequence:
        """Parses all commands of this reader's text; defined by the grammar."""
        raise NotImplementedError
