"""Parses `[[ ... ]]`, which has its own grammar. The tree keeps its words in order: all are expanded, none is run."""

from typing import Final

from toolgate.shell.assignments import Assignments
from toolgate.shell.lexer import OPERATOR, PLAIN, REDIRECT
from toolgate.shell.syntax import Condition, ShellWord, Text

_UNARY: Final = frozenset(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY: Final = frozenset(("=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"))


class Conditions(Assignments):
    def condition(self) -> Condition:
        start = self.start
        self.advance()
        words: list[ShellWord] = []
        self._alternatives(words)
        self.expect("]]")
        return Condition(tuple(words), self.span(start))

    def _alternatives(self, words: list[ShellWord]) -> None:
        self._term(words)
        while self.kind == OPERATOR and self.value in ("&&", "||"):
            self._sign(words)
            self._term(words)

    def _term(self, words: list[ShellWord]) -> None:
        self.skip_lines()
        while self.at_word("!"):
            words.append(self.word())
            self.skip_lines()
        if self.at("("):
            self.deeper()
            self._sign(words)
            self._alternatives(words)
            if not self.at(")"):
                raise self.unexpected()
            self._sign(words)
            self.depth -= 1
        elif self.kind == PLAIN and self.value in _UNARY:
            words += (self.word(), self._operand())
        else:
            words.append(self._operand())
            if self.at_word("]]") or (self.kind == OPERATOR and self.value in ("&&", "||", ")")):
                return
            self._comparison(words)
        self.skip_lines()

    def _comparison(self, words: list[ShellWord]) -> None:
        if self.at_word("=~"):
            words += (self.word(), self.pattern_of_regex())
        elif self.kind == PLAIN and self.value in _BINARY:
            words += (self.word(), self._operand())
        elif self.kind == REDIRECT and self.value in ("<", ">") and not self.descriptor:
            self._sign(words)
            words.append(self._operand())
        else:
            raise self.unexpected()

    def _operand(self) -> ShellWord:
        if self.at_word("]]"):
            raise self.unexpected()
        return self.word()

    def _sign(self, words: list[ShellWord]) -> None:
        words.append(ShellWord((Text(self.value, False),), self.within or (self.start, self.pos)))
        self.advance()
