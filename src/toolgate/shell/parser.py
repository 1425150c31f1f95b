"""Parser for bash's grammar: from text to the tree in `syntax`.

A list of commands ends where no further command can begin: at a closing operator or a reserved word such as `fi`. The caller
that opened the list checks which of them it is. Reserved words apply in command position only, and only unquoted.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, Final

from toolgate.shell.assignments import DECLARING
from toolgate.shell.compounds import COMPOUNDS, Compounds
from toolgate.shell.lexer import END, JOIN, MOST_PIECES, OPERATOR, PLAIN, REDIRECT, WORD, Unreadable
from toolgate.shell.syntax import (
    AndOr,
    Assignment,
    Background,
    Node,
    Not,
    Pipeline,
    Program,
    Redirect,
    Redirected,
    Sequence,
    ShellWord,
    Simple,
    Text,
    Timed,
    Trouble,
)

LONGEST: Final = 1024 * 1024
_REMEMBERED: Final = 16 * 1024

_CLOSING: Final = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}"))
_CLOSING_OPERATORS: Final = frozenset((")", ";;", ";&", ";;&"))
_BANG_PARENTHESIS: Final = re.compile(rf"!{JOIN}\(").match


class Parser(Compounds):
    compounds: ClassVar[Mapping[str, Callable[[Compounds], Node]]] = COMPOUNDS
    prefixes: ClassVar[frozenset[str]] = frozenset(("!", "time"))

    # Lists

    def line(self) -> list[Node]:
        """Parses what bash reads before it runs anything: the commands up to the end of a line, with their here-documents."""
        nodes: list[Node] = []
        while True:
            nodes.append(self.and_or())
            if self.kind == OPERATOR and self.value in (";", "&"):
                if self.value == "&":
                    nodes[-1] = self.background(nodes[-1])
                self.advance()
                if not (self.kind == END or self.at("\n")):
                    continue
            if self.kind != END:
                if not self.at("\n"):
                    raise self.unexpected()
                self.line_end()
            return self.completed(nodes)

    def sequence(self) -> Sequence:
        start = self.start
        self.skip_lines()
        nodes: list[Node] = []
        while not self.closes():
            nodes.append(self.and_or())
            if self.kind != OPERATOR or self.value not in (";", "&", "\n"):
                break
            if self.value == "&":
                nodes[-1] = self.background(nodes[-1])
            if self.value != "\n":
                self.advance()
            self.skip_lines()
        return Sequence(tuple(nodes), self.span(min(start, self.last)))

    def whole(self) -> Sequence:
        self.advance()
        body = self.sequence()
        if self.kind != END:
            raise self.unexpected()
        return body

    def body(self) -> Sequence:
        """Parses a sequence that must not be empty."""
        sequence = self.sequence()
        if not sequence.items:
            raise self.unexpected()
        return sequence

    def closes(self) -> bool:
        if self.kind == PLAIN:
            return self.value in _CLOSING
        return self.kind == END or (self.kind == OPERATOR and self.value in _CLOSING_OPERATORS)

    def background(self, node: Node) -> Background:
        return Background(node, self.within or (node.span[0], self.pos))

    def and_or(self) -> Node:
        start = self.start
        first = self.pipeline()
        if self.kind != OPERATOR or self.value not in ("&&", "||"):
            return first
        rest: list[tuple[str, Node]] = []
        while self.kind == OPERATOR and self.value in ("&&", "||"):
            operator = self.value
            self.advance()
            self.skip_lines()
            rest.append((operator, self.pipeline()))
        return AndOr(first, tuple(rest), self.span(start))

    def pipeline(self) -> Node:
        if self.kind == PLAIN and self.value in self.prefixes:
            return self.prefixed()
        start = self.start
        if self.kind == WORD and _BANG_PARENTHESIS(self.text, start, self.end):
            return self.negated_subshell()
        first = self.command()
        if self.kind != OPERATOR or self.value not in ("|", "|&"):
            return first
        commands = [first]
        both: list[int] = []
        while self.kind == OPERATOR and self.value in ("|", "|&"):
            if self.value == "|&":
                both.append(len(commands) - 1)
            self.advance()
            self.skip_lines()
            commands.append(self.command())
        return Pipeline(tuple(commands), self.span(start), frozenset(both))

    def prefixed(self) -> Node:
        """Parses a pipeline after `!` or `time`, which may be empty."""
        start, prefix = self.start, self.value
        self.deeper()
        self.advance()
        if prefix == "time":
            for option in ("-p", "--"):
                if self.kind == PLAIN and self.value == option:
                    self.advance()
        node: Node
        if self.kind == END or (self.kind == OPERATOR and self.value in (";", "\n", "&")):
            node = Simple((), (), (), self.span(start))
        else:
            node = self.pipeline()
        self.depth -= 1
        return Not(node, self.span(start)) if prefix == "!" else Timed(node, self.span(start))

    def negated_subshell(self) -> Node:
        """Parses a negated subshell at `!(`. With `extglob` on, it would be a pattern of file names."""
        if "extglob" in self.text:
            raise self.unreadable("this may be a pattern or a subshell", self.start)
        start = self.start
        self.pos = start + 1
        self.advance()
        node = self.pipeline()
        return Not(node, self.span(start))

    # Commands

    def command(self) -> Node:
        start = self.start
        if self.kind == PLAIN:
            compound = self.compounds.get(self.value)
            if compound is None:
                if self.value in _CLOSING or self.value == "!":
                    raise self.unexpected()
                return self.simple()
        elif self.kind == WORD or self.kind == REDIRECT:
            return self.simple()
        elif self.kind == OPERATOR and self.value == "(":
            compound = type(self).parenthesis
        else:
            raise self.unexpected()
        self.deeper()
        node = compound(self)
        self.depth -= 1
        if self.kind != REDIRECT:
            return node
        redirects: list[Redirect] = []
        while self.kind == REDIRECT:
            redirects.append(self.redirect())
        return Redirected(node, tuple(redirects), self.span(start))

    def simple(self) -> Node:
        start = self.start
        assignments: list[Assignment] = []
        words: list[ShellWord | Assignment] = []
        redirects: list[Redirect] = []
        first = ""
        while True:
            kind, value = self.kind, self.value
            if kind == PLAIN and not (("=" in value or "[" in value) and (not words or first in DECLARING)):
                words.append(ShellWord((Text(value, False),), self.within or (self.start, self.pos)))
                self.advance()
                if len(words) == 1:
                    first = value
                    if redirects and self.substituting and (value in self.compounds or value in self.prefixes):
                        # Bash 5.2 prints the substitution it read, redirects last, and reads that again.
                        raise self.unreadable("a reserved word follows a redirect within a substitution", start)
                    if self.kind == OPERATOR and self.value == "(" and not (assignments or redirects):
                        return self.defined(value, start)
                elif len(words) > MOST_PIECES:
                    break
            elif kind in (PLAIN, WORD):
                part = self.trailing(first) if words else self.leading()
                if words or isinstance(part, ShellWord):
                    words.append(part)
                else:
                    assignments.append(part)
            elif kind == REDIRECT:
                redirects.append(self.redirect())
            else:
                break
        self.spend(1 + len(words))
        return Simple(tuple(assignments), tuple(words), tuple(redirects), self.span(start))

    def redirect(self) -> Redirect:
        start, descriptor, operator = self.start, self.descriptor, self.value
        if ">" in operator and self.follows("!"):
            raise self.unreadable("zsh reads this redirect differently", start)
        self.advance()
        target = self.word()
        if operator not in ("<<", "<<-"):
            return Redirect(descriptor, operator, target, self.span(start))
        # The target is the body. It is empty until that is read, and stays empty if the text ends before.
        empty = ShellWord((), self.within or (self.last, self.last))
        redirect = Redirect(descriptor, operator, empty, self.span(start))
        self.announce(redirect, target)
        return redirect


def unreadable_as_a_whole(text: str) -> Unreadable | None:
    """Returns why a text cannot be parsed at all."""
    if len(text) > LONGEST:
        return Unreadable("this is too long to be read", (0, len(text)))
    if (nul := text.find("\0")) >= 0:
        return Unreadable("there is a NUL character in it", (nul, nul + 1))
    return None


def _read(text: str) -> Program:
    nodes: list[Node] = []
    trouble = None
    parser = Parser(text, 0, len(text))
    end = 0
    try:
        if (whole := unreadable_as_a_whole(text)) is not None:
            raise whole
        parser.advance()
        parser.skip_lines()
        while parser.kind != END:
            nodes += parser.line()
            end = parser.last
            parser.skip_lines()
    except Unreadable as problem:
        trouble = Trouble(problem.why, problem.span)
    return Program(Sequence(tuple(nodes), (0, end)), trouble)


_remembered = lru_cache(maxsize=64)(_read)


def parse(text: str) -> Program:
    """Returns the tree of a text, and why the rest of it cannot be parsed. Never raises.

    The body holds what bash would have run before it met a syntax error; whatever follows is unknown.
    """
    return _remembered(text) if len(text) <= _REMEMBERED else _read(text)
