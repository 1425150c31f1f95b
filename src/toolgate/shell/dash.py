"""Parses shell text as dash reads it, where that differs from bash: `sh` is bash on some machines and dash on others.

Keywords of bash are plain words in dash (`[[`, `function`, `x+=1`, `$'...'`), `((` opens two subshells, `&>` is an `&` and a
redirect, and a brace list is one word. So dash runs commands that bash reads as data, and vice versa. At a syntax error it
stops.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, Final

from .compounds import Compounds
from .differences import LACKED, NO_ASSIGNMENT
from .lexer import END, NAME, NUMBER, Unreadable, tokens
from .parser import Parser, parse, unreadable_as_a_whole
from .substitutions import DOLLAR
from .syntax import (
    ArithmeticFor,
    Assignment,
    Either,
    Element,
    Function,
    Miscounted,
    Node,
    Piece,
    Process,
    Program,
    Sequence,
    ShellWord,
    Subshell,
    Text,
    Trouble,
)

_REMEMBERED: Final = 16 * 1024
_NAME: Final = re.compile(NAME).fullmatch
_ASSIGNMENT: Final = re.compile(rf"({NAME})=").match

_SIGN: Final = re.compile(
    r"""
    [\[(&|<$\]+>?*@!}{;=](?:                          # one character first, which a search looks for at once: the most of it
      (?<=\[)\[
    | (?<=(?<!\$)\()(?:\\\n)*\(
    | (?<=&)(?:\\\n)*>
    | (?<=\|)(?:\\\n)*&
    | (?<=<)(?:\\\n)*<(?:\\\n)*<
    | (?<=\$)(?:\\\n)*['"\[]
    | (?<=[\]+])(?:\\\n)*=
    | (?<=[=<>?*+@!])\(
    | (?<=\})[<>]
    | (?<=;)&
    | (?<=(?<![$'"\\])\{)(?:[^{}\s'"]|'[^'\n]*'|"[^"\n]*")*(?:,|\.\.)
    | (?<=\$)\{(?:!|\#?[A-Za-z0-9_@*]+(?:[\[/^,@]|:[^-=?+]))
    )
    """,
    re.VERBOSE,
).search
_WORD: Final = r"\b(?:function|select|coproc|time|declare|typeset|pushd|popd|let|source|mapfile|readarray|(?:printf|read)[ \t]+-)"
_A_WORD: Final = re.compile(_WORD).search
_A_COMMAND: Final = re.compile(rf"(?:\A|[\n;&|(){{`!]|\b(?:if|then|elif|else|while|until|do)\b)[ \t]*{_WORD}").search


def _read_otherwise(text: str, start: int, end: int) -> bool:
    """Returns whether dash may read the text, or run it, differently from bash. The sign may be within quotes."""
    if _SIGN(text, start, end) is not None:
        return True
    return _A_WORD(text, start, end) is not None and _A_COMMAND(text, start, end) is not None


class Dash(Parser):
    tokens = tokens(f"(?:{NUMBER})", ("<<-", "<<", "<&", "<>", ">>", ">&", ">|"), (), ("&&", "||", ";;", "&", ";", "|", "(", ")"))
    dollars = re.compile(DOLLAR + ")", re.VERBOSE)
    compounds: ClassVar[Mapping[str, Callable[[Compounds], Node]]] = {
        word: read for word, read in Parser.compounds.items() if word not in LACKED
    }
    prefixes: ClassVar[frozenset[str]] = frozenset(("!",))

    def leading(self) -> Assignment | ShellWord:
        """dash neither appends to a variable nor assigns elements: such a word is the name of a command, which does not exist."""
        start = self.start
        match = _ASSIGNMENT(self.text, start, self.end)
        if match is None:
            match = NO_ASSIGNMENT(self.text, start, self.end)
            if match is None:
                return self.word()
            self.pos = match.end()
            word = self.rest_of_word(start, [Text(match[0], True)])
            self.advance()
            return word
        self.pos = match.end()
        return self.assigned(match[1].replace("\\\n", ""), start, False, None, self.follows("("))

    def elements(self, _start: int) -> tuple[Element, ...]:
        raise self.unexpected()

    def process(self) -> Process:
        raise self.unexpected()

    def parenthesised(self, _pieces: list[Piece]) -> None:
        raise self.unexpected()

    def parenthesis(self) -> Node:
        start = self.start
        self.advance()
        counted = self.at("(")
        body = self.body()
        self.expect(")")
        node = Subshell(body, self.span(start))
        return Miscounted(node, node.span) if counted else node

    def arithmetic_walk(self, start: int) -> ArithmeticFor:
        raise self.unreadable("dash counts in no loop", start)

    def repeated(self) -> Sequence:
        if not self.at_word("do"):
            raise self.unexpected()
        return super().repeated()

    def defined(self, name: str, start: int) -> Function:
        if not _NAME(name):
            raise self.unreadable("dash takes this for no name", start)
        return super().defined(name, start)


class _Reader:
    """Reads a text line by line, as one shell does. `at`: where the next line begins."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self.trouble: Trouble | None = None
        self.last = self.at = 0
        try:
            parser.advance()
            parser.skip_lines()
            self.at = parser.start
        except Unreadable as problem:
            self.trouble = Trouble(problem.why, problem.span)

    @property
    def reads(self) -> bool:
        return self.trouble is None and self._parser.kind != END

    def lines(self, end: int) -> list[Node]:
        """Returns the lines that begin before this position."""
        nodes: list[Node] = []
        parser = self._parser
        try:
            while parser.kind != END and self.at < end:
                nodes += parser.line()
                self.last = parser.last
                parser.skip_lines()
                self.at = parser.start
        except Unreadable as problem:
            self.trouble = Trouble(problem.why, problem.span)
        return nodes


def _read_by_both(text: str) -> Program:
    """Parses for both shells. Between two positions where both begin a line, the text is read by one or the other."""
    bash, dash = _Reader(Parser(text, 0, len(text))), _Reader(Dash(text, 0, len(text)))
    nodes: list[Node] = []
    while bash.reads:
        start, read_before = bash.at, dash.trouble is None
        ours, theirs = bash.lines(start + 1), list[Node]()
        while dash.reads and dash.at != bash.at and (dash.at < bash.at or bash.reads):
            if dash.at < bash.at:
                theirs += dash.lines(bash.at)
            else:
                ours += bash.lines(dash.at)
        if not bash.reads and dash.reads:
            theirs += dash.lines(len(text))
        span = (start, bash.last)
        stops = read_before and dash.trouble is not None
        if stops or (theirs and (theirs != ours or _read_otherwise(text, max(start - 1, 0), bash.at))):
            nodes.append(Either(Sequence(tuple(ours), span), Sequence(tuple(theirs), span), span, stops))
        else:
            nodes += ours
    return Program(Sequence(tuple(nodes), (0, bash.last)), bash.trouble)


def _read_by_dash(text: str) -> Program:
    dash = _Reader(Dash(text, 0, len(text)))
    nodes = dash.lines(len(text))
    return Program(Sequence(tuple(nodes), (0, dash.last)))


_remembered_of_both = lru_cache(maxsize=64)(_read_by_both)
_remembered_of_dash = lru_cache(maxsize=64)(_read_by_dash)


def parse_for_sh(text: str) -> Program:
    """Returns the tree of a text that bash or dash may read. Never raises. Errors are bash's: dash runs nothing after an
    error."""
    if not _read_otherwise(text, 0, len(text)) or unreadable_as_a_whole(text) is not None:
        return parse(text)
    return _remembered_of_both(text) if len(text) <= _REMEMBERED else _read_by_both(text)


def parse_for_dash(text: str) -> Program:
    """Returns the tree of a text that dash reads: the lines before its first syntax error."""
    if unreadable_as_a_whole(text) is not None:
        return parse(text)
    return _remembered_of_dash(text) if len(text) <= _REMEMBERED else _read_by_dash(text)


PARSERS: Final = {"bash": parse, "sh": parse_for_sh, "dash": parse_for_dash}
"""Parsers by a frame's dialect: bash (or zsh), bash or dash, dash alone."""
