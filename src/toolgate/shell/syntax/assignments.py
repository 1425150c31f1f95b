"""Parses assignments, and array literals, which occur only there."""

import re
from typing import Final

from toolgate.shell.syntax.heredocs import Heredocs
from toolgate.shell.syntax.lexer import JOIN, NAME, PLAIN, WORD
from toolgate.shell.syntax.tree import Assignment, Element, ShellWord, Text

_ASSIGNMENT: Final = re.compile(rf"({NAME})(?:\[|(\+?){JOIN}=({JOIN}\()?)").match
_DECLARATION: Final = re.compile(rf"({NAME})(?:\[[A-Za-z0-9_@*]*\])?(\+?){JOIN}=({JOIN}\()?").match
_EQUALS: Final = re.compile(rf"(\+?){JOIN}=({JOIN}\()?").match
_PROCESS: Final = re.compile(rf"[<>]{JOIN}\(").search

DECLARATION_BUILTINS: Final = frozenset(("declare", "typeset", "local", "export", "readonly"))
# Bash parses an array literal after these too, though they declare nothing.
_ARRAY_ARGUMENT_BUILTINS: Final = frozenset(("alias", "eval", "let"))


class Assignments(Heredocs):
    def parse_leading_word(self) -> Assignment | ShellWord:
        """Parses the current word, which may be an assignment."""
        start = self.start
        match = _ASSIGNMENT(self.text, start, self.end)
        if match is None:
            return self.parse_word()
        name = match[1].replace("\\\n", "")
        self.pos = match.end()
        subscript = None
        if match[0].endswith("["):
            self.pos -= 1
            subscript = self.parse_subscript()
            match = _EQUALS(self.text, self.pos, self.end)
            if match is None:
                pieces = [Text(f"{name}[", False), *subscript.pieces, Text("]", False)]
                word = self.parse_rest_of_word(start, pieces)
                self.advance()
                return word
            self.pos = match.end()
            append, array = match[1], match[2]
        else:
            append, array = match[2], match[3]
        return self.parse_assigned_value(name, start, bool(append), subscript, array is not None)

    def parse_trailing_word(self, first: str) -> Assignment | ShellWord:
        """Parses the current word after a command's first one: an assignment only if that is a declaration builtin."""
        start = self.start
        match = (
            _DECLARATION(self.text, start, self.end)
            if first in DECLARATION_BUILTINS or first in _ARRAY_ARGUMENT_BUILTINS
            else None
        )
        if match is None or (match[3] is None and first in _ARRAY_ARGUMENT_BUILTINS):
            return self.parse_word()
        subscript = None
        if "[" in match[0]:
            self.pos = match.start() + match[0].index("[")
            subscript = self.parse_subscript()
        self.pos = match.end()
        return self.parse_assigned_value(match[1].replace("\\\n", ""), start, bool(match[2]), subscript, match[3] is not None)

    def parse_assigned_value(self, name: str, start: int, append: bool, subscript: ShellWord | None, array: bool) -> Assignment:
        """Parses the value after the equals sign, or after the parenthesis of an array."""
        value, elements = None, None
        if array:
            elements = self.parse_elements(start)
        else:
            value = self.parse_rest_of_word(self.pos, [])
        self.advance()
        return Assignment(name, value, self.span_from(start), append, subscript, elements)

    def parse_elements(self, start: int) -> tuple[Element, ...]:
        self.enter_construct()
        elements: list[Element] = []
        self.advance()
        while not self.is_at_operator(")"):
            if self.is_at_operator("\n"):
                self.end_line()
            elif self.kind == PLAIN or self.kind == WORD:
                elements.append(self.parse_element())
            else:
                raise self.unexpected_token_error()
        if self.substituting and "\\" in self.text[start : self.pos]:
            # Bash 5.2 prints the substitution it read and reads that again, losing the backslash.
            raise self.unreadable_error("a backslash is in an array within a substitution", start)
        if self.pos < self.end and self.text[self.pos] not in " \t\n;&|<>()\\":
            raise self.unreadable_error("text follows the parenthesis of an array", start)
        self.depth -= 1
        return tuple(elements)

    def parse_element(self) -> Element:
        start = self.start
        if self.text[start] == "[":
            self.pos = start
            key = self.parse_subscript()
            match = _EQUALS(self.text, self.pos, self.end)
            if match is not None and match[2] is None:
                if _PROCESS(self.text, start, self.pos):
                    # Only here a subscript is expanded as a word is, so these run, too.
                    raise self.unreadable_error("a process substitution is in a subscript", start)
                self.pos = match.end()
                value = self.parse_rest_of_word(self.pos, [])
                self.advance()
                return Element(key, value, bool(match[1]))
            self.kind = WORD  # a pattern such as `[abc]*`, which is read again as one
        return Element(None, self.parse_word())
