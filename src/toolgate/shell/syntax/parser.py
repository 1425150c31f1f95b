"""Parser for bash's grammar: from text to the tree in `syntax`.

A list of commands ends where no further command can begin: at a closing operator or a reserved word such as `fi`. The caller
that opened the list checks which of them it is. Reserved words apply in command position only, and only unquoted.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, Final

from toolgate.shell.syntax.assignments import DECLARATION_BUILTINS
from toolgate.shell.syntax.compounds import COMPOUNDS, Compounds
from toolgate.shell.syntax.lexer import END, JOIN, MAX_PIECES, OPERATOR, PLAIN, REDIRECT, WORD, Unreadable
from toolgate.shell.syntax.tree import (
    AndOr,
    Assignment,
    Background,
    Node,
    Not,
    ParseError,
    Pipeline,
    Program,
    Redirect,
    RedirectedCommand,
    Sequence,
    ShellWord,
    Simple,
    Text,
    TimedPipeline,
)

MAX_TEXT: Final = 1024 * 1024
_MAX_CACHED_TEXT: Final = 16 * 1024

_CLOSING_WORDS: Final = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}"))
_CLOSING_OPERATORS: Final = frozenset((")", ";;", ";&", ";;&"))
_BANG_PARENTHESIS: Final = re.compile(rf"!{JOIN}\(").match


class Parser(Compounds):
    compounds: ClassVar[Mapping[str, Callable[[Compounds], Node]]] = COMPOUNDS
    prefixes: ClassVar[frozenset[str]] = frozenset(("!", "time"))

    # Lists

    def parse_line(self) -> list[Node]:
        """Parses what bash reads before it runs anything: the commands up to the end of a line, with their here-documents."""
        nodes: list[Node] = []
        while True:
            nodes.append(self.parse_and_or())
            if self.kind == OPERATOR and self.value in (";", "&"):
                if self.value == "&":
                    nodes[-1] = self.make_background(nodes[-1])
                self.advance()
                if not (self.kind == END or self.is_at_operator("\n")):
                    continue
            if self.kind != END:
                if not self.is_at_operator("\n"):
                    raise self.unexpected_token_error()
                self.end_line()
            return self.attach_bodies(nodes)

    def parse_sequence(self) -> Sequence:
        start = self.start
        self.skip_lines()
        nodes: list[Node] = []
        while not self.is_at_list_end():
            nodes.append(self.parse_and_or())
            if self.kind != OPERATOR or self.value not in (";", "&", "\n"):
                break
            if self.value == "&":
                nodes[-1] = self.make_background(nodes[-1])
            if self.value != "\n":
                self.advance()
            self.skip_lines()
        return Sequence(tuple(nodes), self.span_from(min(start, self.last)))

    def parse_all(self) -> Sequence:
        self.advance()
        body = self.parse_sequence()
        if self.kind != END:
            raise self.unexpected_token_error()
        return body

    def parse_body(self) -> Sequence:
        """Parses a sequence that must not be empty."""
        sequence = self.parse_sequence()
        if not sequence.items:
            raise self.unexpected_token_error()
        return sequence

    def is_at_list_end(self) -> bool:
        if self.kind == PLAIN:
            return self.value in _CLOSING_WORDS
        return self.kind == END or (self.kind == OPERATOR and self.value in _CLOSING_OPERATORS)

    def make_background(self, node: Node) -> Background:
        return Background(node, self.within or (node.span[0], self.pos))

    def parse_and_or(self) -> Node:
        start = self.start
        first = self.parse_pipeline()
        if self.kind != OPERATOR or self.value not in ("&&", "||"):
            return first
        rest: list[tuple[str, Node]] = []
        while self.kind == OPERATOR and self.value in ("&&", "||"):
            operator = self.value
            self.advance()
            self.skip_lines()
            rest.append((operator, self.parse_pipeline()))
        return AndOr(first, tuple(rest), self.span_from(start))

    def parse_pipeline(self) -> Node:
        if self.kind == PLAIN and self.value in self.prefixes:
            return self.parse_prefixed()
        start = self.start
        if self.kind == WORD and _BANG_PARENTHESIS(self.text, start, self.end):
            return self.parse_negated_subshell()
        first = self.parse_command()
        if self.kind != OPERATOR or self.value not in ("|", "|&"):
            return first
        commands = [first]
        both: list[int] = []
        while self.kind == OPERATOR and self.value in ("|", "|&"):
            if self.value == "|&":
                both.append(len(commands) - 1)
            self.advance()
            self.skip_lines()
            commands.append(self.parse_command())
        return Pipeline(tuple(commands), self.span_from(start), frozenset(both))

    def parse_prefixed(self) -> Node:
        """Parses a pipeline after `!` or `time`, which may be empty."""
        start, prefix = self.start, self.value
        self.enter_construct()
        self.advance()
        if prefix == "time":
            for option in ("-p", "--"):
                if self.kind == PLAIN and self.value == option:
                    self.advance()
        node: Node
        if self.kind == END or (self.kind == OPERATOR and self.value in (";", "\n", "&")):
            node = Simple((), (), (), self.span_from(start))
        else:
            node = self.parse_pipeline()
        self.depth -= 1
        return Not(node, self.span_from(start)) if prefix == "!" else TimedPipeline(node, self.span_from(start))

    def parse_negated_subshell(self) -> Node:
        """Parses a negated subshell at `!(`. With `extglob` on, it would be a pattern of file names."""
        if "extglob" in self.text:
            raise self.unreadable_error("this may be a pattern or a subshell", self.start)
        start = self.start
        self.pos = start + 1
        self.advance()
        node = self.parse_pipeline()
        return Not(node, self.span_from(start))

    # Commands

    def parse_command(self) -> Node:
        start = self.start
        if self.kind == PLAIN:
            compound = self.compounds.get(self.value)
            if compound is None:
                if self.value in _CLOSING_WORDS or self.value == "!":
                    raise self.unexpected_token_error()
                return self.parse_simple_command()
        elif self.kind == WORD or self.kind == REDIRECT:
            return self.parse_simple_command()
        elif self.kind == OPERATOR and self.value == "(":
            compound = type(self).parse_parenthesis
        else:
            raise self.unexpected_token_error()
        self.enter_construct()
        node = compound(self)
        self.depth -= 1
        if self.kind != REDIRECT:
            return node
        redirects: list[Redirect] = []
        while self.kind == REDIRECT:
            redirects.append(self.parse_redirect())
        return RedirectedCommand(node, tuple(redirects), self.span_from(start))

    def parse_simple_command(self) -> Node:
        start = self.start
        assignments: list[Assignment] = []
        words: list[ShellWord | Assignment] = []
        redirects: list[Redirect] = []
        first = ""
        while True:
            kind, value = self.kind, self.value
            if kind == PLAIN and not (("=" in value or "[" in value) and (not words or first in DECLARATION_BUILTINS)):
                words.append(ShellWord((Text(value, False),), self.within or (self.start, self.pos)))
                self.advance()
                if len(words) == 1:
                    first = value
                    if redirects and self.substituting and (value in self.compounds or value in self.prefixes):
                        # Bash 5.2 prints the substitution it read, redirects last, and reads that again.
                        raise self.unreadable_error("a reserved word follows a redirect within a substitution", start)
                    if self.kind == OPERATOR and self.value == "(" and not (assignments or redirects):
                        return self.parse_function_definition(value, start)
                elif len(words) > MAX_PIECES:
                    break
            elif kind in (PLAIN, WORD):
                part = self.parse_trailing_word(first) if words else self.parse_leading_word()
                if words or isinstance(part, ShellWord):
                    words.append(part)
                else:
                    assignments.append(part)
            elif kind == REDIRECT:
                redirects.append(self.parse_redirect())
            else:
                break
        self.spend_budget(1 + len(words))
        return Simple(tuple(assignments), tuple(words), tuple(redirects), self.span_from(start))

    def parse_redirect(self) -> Redirect:
        start, descriptor, operator = self.start, self.descriptor, self.value
        if ">" in operator and self.is_next("!"):
            raise self.unreadable_error("zsh reads this redirect differently", start)
        self.advance()
        target = self.parse_word()
        if operator not in ("<<", "<<-"):
            return Redirect(descriptor, operator, target, self.span_from(start))
        # The target is the body. It is empty until that is read, and stays empty if the text ends before.
        empty = ShellWord((), self.within or (self.last, self.last))
        redirect = Redirect(descriptor, operator, empty, self.span_from(start))
        self.announce_document(redirect, target)
        return redirect


def find_unreadable_text(text: str) -> Unreadable | None:
    """Returns why a text cannot be parsed at all."""
    if len(text) > MAX_TEXT:
        return Unreadable("this is too long to be read", (0, len(text)))
    if (nul := text.find("\0")) >= 0:
        return Unreadable("there is a NUL character in it", (nul, nul + 1))
    return None


def _parse_uncached(text: str) -> Program:
    nodes: list[Node] = []
    trouble = None
    parser = Parser(text, 0, len(text))
    end = 0
    try:
        if (unreadable := find_unreadable_text(text)) is not None:
            raise unreadable
        parser.advance()
        parser.skip_lines()
        while parser.kind != END:
            nodes += parser.parse_line()
            end = parser.last
            parser.skip_lines()
    except Unreadable as problem:
        trouble = ParseError(problem.why, problem.span)
    return Program(Sequence(tuple(nodes), (0, end)), trouble)


_parse_cached = lru_cache(maxsize=64)(_parse_uncached)


def parse(text: str) -> Program:
    """Returns the tree of a text, and why the rest of it cannot be parsed. Never raises.

    The body holds what bash would have run before it met a syntax error; whatever follows is unknown.
    """
    return _parse_cached(text) if len(text) <= _MAX_CACHED_TEXT else _parse_uncached(text)
