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
from .dash_builtins import MATCH_NON_ASSIGNMENT, MISSING_IN_DASH
from .lexer import END, NAME, NUMBER, Unreadable, build_token_pattern
from .parser import Parser, find_unreadable_text, parse
from .substitutions import DOLLAR
from .tree import (
    ArithmeticAsSubshells,
    ArithmeticFor,
    Assignment,
    DialectVariants,
    Element,
    Function,
    Node,
    ParseError,
    Piece,
    Process,
    Program,
    Sequence,
    ShellWord,
    Subshell,
    Text,
)

_MAX_CACHED_TEXT: Final = 16 * 1024
_IS_NAME: Final = re.compile(NAME).fullmatch
_ASSIGNMENT: Final = re.compile(rf"({NAME})=").match

_DIFFERENCE_SIGN: Final = re.compile(
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
_DIFFERING_WORDS: Final = (
    r"\b(?:builtin|function|select|coproc|time|declare|typeset|pushd|popd|let|source|mapfile|readarray|(?:printf|read)[ \t]+-)"
)
_DIFFERING_WORD: Final = re.compile(_DIFFERING_WORDS).search
_DIFFERING_COMMAND: Final = re.compile(
    rf"(?:\A|[\n;&|(){{`!]|\b(?:if|then|elif|else|while|until|do)\b)[ \t]*{_DIFFERING_WORDS}"
).search


def _may_differ_in_dash(text: str, start: int, end: int) -> bool:
    """Returns whether dash may read the text, or run it, differently from bash. The sign may be within quotes."""
    if _DIFFERENCE_SIGN(text, start, end) is not None:
        return True
    return _DIFFERING_WORD(text, start, end) is not None and _DIFFERING_COMMAND(text, start, end) is not None


class DashParser(Parser):
    tokens = build_token_pattern(
        f"(?:{NUMBER})", ("<<-", "<<", "<&", "<>", ">>", ">&", ">|"), (), ("&&", "||", ";;", "&", ";", "|", "(", ")")
    )
    dollars = re.compile(DOLLAR + ")", re.VERBOSE)
    compounds: ClassVar[Mapping[str, Callable[[Compounds], Node]]] = {
        word: read for word, read in Parser.compounds.items() if word not in MISSING_IN_DASH
    }
    prefixes: ClassVar[frozenset[str]] = frozenset(("!",))

    def parse_leading_word(self) -> Assignment | ShellWord:
        """dash neither appends to a variable nor assigns elements: such a word is the name of a command, which does not exist."""
        start = self.start
        match = _ASSIGNMENT(self.text, start, self.end)
        if match is None:
            match = MATCH_NON_ASSIGNMENT(self.text, start, self.end)
            if match is None:
                return self.parse_word()
            self.pos = match.end()
            word = self.parse_rest_of_word(start, [Text(match[0], True)])
            self.advance()
            return word
        self.pos = match.end()
        return self.parse_assigned_value(match[1].replace("\\\n", ""), start, False, None, self.is_next("("))

    def parse_elements(self, _start: int) -> tuple[Element, ...]:
        raise self.unexpected_token_error()

    def parse_process(self) -> Process:
        raise self.unexpected_token_error()

    def parse_parenthesised(self, _pieces: list[Piece]) -> None:
        raise self.unexpected_token_error()

    def parse_parenthesis(self) -> Node:
        start = self.start
        self.advance()
        counted = self.is_at_operator("(")
        body = self.parse_body()
        self.expect(")")
        node = Subshell(body, self.span_from(start))
        return ArithmeticAsSubshells(node, node.span) if counted else node

    def parse_arithmetic_for(self, start: int) -> ArithmeticFor:
        raise self.unreadable_error("dash counts in no loop", start)

    def parse_loop_body(self) -> Sequence:
        if not self.is_at_word("do"):
            raise self.unexpected_token_error()
        return super().parse_loop_body()

    def parse_function_definition(self, name: str, start: int) -> Function:
        if not _IS_NAME(name):
            raise self.unreadable_error("dash takes this for no name", start)
        return super().parse_function_definition(name, start)


class _LineReader:
    """Reads a text line by line, as one shell does. `at`: where the next line begins."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self.trouble: ParseError | None = None
        self.last = self.at = 0
        try:
            parser.advance()
            parser.skip_lines()
            self.at = parser.start
        except Unreadable as problem:
            self.trouble = ParseError(problem.why, problem.span)

    @property
    def can_read(self) -> bool:
        return self.trouble is None and self._parser.kind != END

    def read_lines(self, end: int) -> list[Node]:
        """Returns the lines that begin before this position."""
        nodes: list[Node] = []
        parser = self._parser
        try:
            while parser.kind != END and self.at < end:
                nodes += parser.parse_line()
                self.last = parser.last
                parser.skip_lines()
                self.at = parser.start
        except Unreadable as problem:
            self.trouble = ParseError(problem.why, problem.span)
        return nodes


def _parse_by_both(text: str) -> Program:
    """Parses for both shells. Between two positions where both begin a line, the text is read by one or the other."""
    bash, dash = _LineReader(Parser(text, 0, len(text))), _LineReader(DashParser(text, 0, len(text)))
    nodes: list[Node] = []
    while bash.can_read:
        start, read_before = bash.at, dash.trouble is None
        ours, theirs = bash.read_lines(start + 1), list[Node]()
        while dash.can_read and dash.at != bash.at and (dash.at < bash.at or bash.can_read):
            if dash.at < bash.at:
                theirs += dash.read_lines(bash.at)
            else:
                ours += bash.read_lines(dash.at)
        if not bash.can_read and dash.can_read:
            theirs += dash.read_lines(len(text))
        span = (start, bash.last)
        stops = read_before and dash.trouble is not None
        if stops or (theirs and (theirs != ours or _may_differ_in_dash(text, max(start - 1, 0), bash.at))):
            nodes.append(DialectVariants(Sequence(tuple(ours), span), Sequence(tuple(theirs), span), span, stops))
        else:
            nodes += ours
    return Program(Sequence(tuple(nodes), (0, bash.last)), bash.trouble)


def _parse_by_dash(text: str) -> Program:
    dash = _LineReader(DashParser(text, 0, len(text)))
    nodes = dash.read_lines(len(text))
    return Program(Sequence(tuple(nodes), (0, dash.last)))


_parse_by_both_cached = lru_cache(maxsize=64)(_parse_by_both)
_parse_by_dash_cached = lru_cache(maxsize=64)(_parse_by_dash)


def parse_for_sh(text: str) -> Program:
    """Returns the tree of a text that bash or dash may read. Never raises. Errors are bash's: dash runs nothing after an
    error."""
    if not _may_differ_in_dash(text, 0, len(text)) or find_unreadable_text(text) is not None:
        return parse(text)
    return _parse_by_both_cached(text) if len(text) <= _MAX_CACHED_TEXT else _parse_by_both(text)


def parse_for_dash(text: str) -> Program:
    """Returns the tree of a text that dash reads: the lines before its first syntax error."""
    if find_unreadable_text(text) is not None:
        return parse(text)
    return _parse_by_dash_cached(text) if len(text) <= _MAX_CACHED_TEXT else _parse_by_dash(text)
