"""Parses `[[ ... ]]`, which has its own grammar. The tree keeps its words in order: all are expanded, none is run."""

from typing import Final

from toolgate.shell.syntax.assignments import Assignments
from toolgate.shell.syntax.lexer import OPERATOR, PLAIN, REDIRECT
from toolgate.shell.syntax.tree import Condition, ShellWord, Text

_UNARY: Final = frozenset(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY: Final = frozenset(("=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"))


class Conditions(Assignments):
    def parse_condition(self) -> Condition:
        start = self.start
        self.advance()
        words: list[ShellWord] = []
        self._parse_alternatives(words)
        self.expect("]]")
        return Condition(tuple(words), self.span_from(start))

    def _parse_alternatives(self, words: list[ShellWord]) -> None:
        self._parse_term(words)
        while self.kind == OPERATOR and self.value in ("&&", "||"):
            self._append_operator(words)
            self._parse_term(words)

    def _parse_term(self, words: list[ShellWord]) -> None:
        self.skip_lines()
        while self.is_at_word("!"):
            words.append(self.parse_word())
            self.skip_lines()
        if self.is_at_operator("("):
            self.enter_construct()
            self._append_operator(words)
            self._parse_alternatives(words)
            if not self.is_at_operator(")"):
                raise self.unexpected_token_error()
            self._append_operator(words)
            self.depth -= 1
        elif self.kind == PLAIN and self.value in _UNARY:
            words += (self.parse_word(), self._parse_operand())
        else:
            words.append(self._parse_operand())
            if self.is_at_word("]]") or (self.kind == OPERATOR and self.value in ("&&", "||", ")")):
                return
            self._parse_comparison(words)
        self.skip_lines()

    def _parse_comparison(self, words: list[ShellWord]) -> None:
        if self.is_at_word("=~"):
            words += (self.parse_word(), self.parse_regex())
        elif self.kind == PLAIN and self.value in _BINARY:
            words += (self.parse_word(), self._parse_operand())
        elif self.kind == REDIRECT and self.value in ("<", ">") and not self.descriptor:
            self._append_operator(words)
            words.append(self._parse_operand())
        else:
            raise self.unexpected_token_error()

    def _parse_operand(self) -> ShellWord:
        if self.is_at_word("]]"):
            raise self.unexpected_token_error()
        return self.parse_word()

    def _append_operator(self, words: list[ShellWord]) -> None:
        words.append(ShellWord((Text(self.value, False),), self.within or (self.start, self.pos)))
        self.advance()
