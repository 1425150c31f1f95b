"""Compound commands: groups, branches, loops, functions."""

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from toolgate.shell.conditions import Conditions
from toolgate.shell.lexer import JOIN, OPERATOR, PLAIN, WORD
from toolgate.shell.substitutions import COMMENT
from toolgate.shell.syntax import (
    Arithmetic,
    ArithmeticCommand,
    ArithmeticFor,
    Arm,
    Case,
    Coprocess,
    For,
    Function,
    Group,
    If,
    Node,
    Sequence,
    ShellWord,
    Subshell,
    While,
)

_ARM_ENDS: Final = frozenset((";;", ";&", ";;&"))
_SECOND_PARENTHESIS: Final = re.compile(rf"{JOIN}\(").match
_RESERVED: Final = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}", "!", "function", "coproc"))
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch


class Compounds(Conditions):
    """Parser of compound commands. Each method starts at the word that opens its command; the caller parses redirects after
    it."""

    compounds: "ClassVar[Mapping[str, Callable[[Compounds], Node]]]"
    """The parser of each word that opens a compound command, set by the grammar."""

    def command(self) -> Node:
        """Parses any command that is not a pipeline; defined by the grammar."""
        raise NotImplementedError

    def body(self) -> Sequence:
        """Parses a sequence that must not be empty."""
        sequence = self.sequence()
        if not sequence.items:
            raise self.unexpected()
        return sequence

    def parenthesis(self) -> Node:
        """Parses arithmetic if it is opened and closed by two adjacent parentheses, otherwise a subshell."""
        start, inner = self.start, self.pos
        second = _SECOND_PARENTHESIS(self.text, inner, self.end)
        if second and start not in self.commands:
            self.pos = second.end()
            inside = self.enclosed(")", start)
            if self.follows(")"):
                self.pos += 1
                expression = Arithmetic(inside, True, self.counted(start, inside))
                self.advance()
                return ArithmeticCommand(expression, self.span(start))
            if self.follows("\n"):
                raise self.unreadable("this may be arithmetic or commands", start)
            self.commands.add(start)
            self.pos = inner
        announced = self.announced
        self.advance()
        body = self.body()
        if second and (announced != self.announced or COMMENT(self.text, inner, self.pos)):
            # Bash has tried arithmetic first, and the text it reads again differs from the original.
            raise self.unreadable("this may be arithmetic or commands", start)
        if not self.at(")"):
            raise self.unexpected()
        self.advance()
        return Subshell(body, self.span(start))

    def group(self) -> Group:
        start = self.start
        self.advance()
        body = self.body()
        self.expect("}")
        return Group(body, self.span(start))

    def branches(self) -> If:
        start = self.start
        branches: list[tuple[Sequence, Sequence]] = []
        while self.value != "else" and self.value != "fi":
            self.advance()
            condition = self.body()
            self.expect("then")
            branches.append((condition, self.body()))
            if self.kind != PLAIN or self.value not in ("elif", "else", "fi"):
                raise self.unexpected()
        otherwise = None
        if self.value == "else":
            self.advance()
            otherwise = self.body()
        self.expect("fi")
        return If(tuple(branches), otherwise, self.span(start))

    def loop(self) -> While:
        start = self.start
        self.advance()
        condition = self.body()
        self.expect("do")
        body = self.body()
        self.expect("done")
        return While(condition, body, self.span(start))

    def walk(self) -> Node:
        """Parses `for` and `select`."""
        start, arithmetic = self.start, self.value == "for"
        self.advance()
        if arithmetic and self.at("(") and _SECOND_PARENTHESIS(self.text, self.pos, self.end):
            return self.arithmetic_walk(start)
        name = self.value
        if self.kind != PLAIN or not _NAME(name):
            raise self.unexpected()
        self.advance()
        words = None
        if self.at(";"):
            self.advance()
        else:
            self.skip_lines()
            if self.at_word("in"):
                self.advance()
                words = self.listed()
        self.skip_lines()
        return For(name, words, self.repeated(), self.span(start))

    def listed(self) -> tuple[ShellWord, ...]:
        words: list[ShellWord] = []
        while self.kind == PLAIN or self.kind == WORD:
            words.append(self.word())
        if self.at(";"):
            self.advance()
        elif not self.at("\n"):
            raise self.unexpected()
        return tuple(words)

    def arithmetic_walk(self, start: int) -> ArithmeticFor:
        opened = self.start
        self.pos = self.text.index("(", self.pos) + 1
        self.deeper()
        expressions: list[Arithmetic] = []
        while len(expressions) < 3:
            begin = self.pos
            pieces = self.expression(";")
            expressions.append(Arithmetic(pieces, True, self.text[begin : self.pos]))
            if not self.follows(";" if len(expressions) < 3 else ")"):
                raise self.unreadable("this `for` needs three expressions", opened)
            self.pos += 1
        if not self.follows(")"):
            raise self.unreadable("a bracket is not closed", opened)
        self.pos += 1
        self.depth -= 1
        self.advance()
        if self.at(";"):
            self.advance()
        self.skip_lines()
        return ArithmeticFor(tuple(expressions), self.repeated(), self.span(start))

    def repeated(self) -> Sequence:
        closing = "}" if self.at_word("{") else "done"
        self.expect("{" if closing == "}" else "do")
        body = self.body()
        self.expect(closing)
        return body

    def case(self) -> Case:
        start = self.start
        self.advance()
        subject = self.word()
        self.skip_lines()
        self.expect("in")
        self.skip_lines()
        arms: list[Arm] = []
        while not self.at_word("esac"):
            arms.append(self.arm())
        self.advance()
        return Case(subject, tuple(arms), self.span(start))

    def arm(self) -> Arm:
        if self.at("("):
            self.advance()
        patterns = [self.word()]
        while self.at("|"):
            self.advance()
            patterns.append(self.word())
        if not self.at(")"):
            raise self.unexpected()
        self.advance()
        body = self.sequence()
        end = ""
        if self.kind == OPERATOR and self.value in _ARM_ENDS:
            end = self.value
            self.advance()
            self.skip_lines()
        elif not self.at_word("esac"):
            raise self.unexpected()
        return Arm(tuple(patterns), body, end)

    def function(self) -> Function:
        """Parses `function name`, with or without parentheses."""
        start = self.start
        self.advance()
        if self.kind != PLAIN:
            raise self.unexpected()
        name = self.value
        self.advance()
        if self.at("(") and re.match(r"[ \t]*\)", self.text[self.pos : self.pos + 80]):
            self.advance()
            self.expect(")")
        self.skip_lines()
        return Function(name, self.compound(), self.span(start))

    def defined(self, name: str, start: int) -> Function:
        """Parses `name()` at its opening parenthesis."""
        self.advance()
        if not self.at(")"):
            raise self.unexpected()
        self.advance()
        self.skip_lines()
        if self.kind == PLAIN and self.value == "{" + name:  # `f(){f|f&};f`: zsh needs no blank there, and bash runs nothing
            self.value, self.pos = "{", self.start + 1
        return Function(name, self.compound(), self.span(start))

    def coprocess(self) -> Coprocess:
        start = self.start
        self.advance()
        name = "COPROC"
        if self.kind == PLAIN and self.value not in self.compounds:
            # The word is a name if a compound command follows it, otherwise the command itself.
            kind, value, word_start, word_end, last = self.kind, self.value, self.start, self.pos, self.last
            self.advance()
            if self.at_compound():
                name = value
            elif self.kind == PLAIN and self.value in _RESERVED:
                raise self.unexpected()
            else:
                self.kind, self.value, self.start, self.pos, self.last = kind, value, word_start, word_end, last
        if self.at_word("function") or self.at_word("coproc"):
            raise self.unexpected()
        return Coprocess(name, self.command(), self.span(start))

    def compound(self) -> Node:
        """Parses the body of a function."""
        if not self.at_compound():
            raise self.unexpected()
        return self.command()

    def at_compound(self) -> bool:
        if self.kind == PLAIN:
            return self.value in self.compounds and self.value not in ("function", "coproc")
        return self.at("(")


COMPOUNDS: Final[dict[str, Callable[[Compounds], Node]]] = {
    "{": Compounds.group,
    "if": Compounds.branches,
    "while": Compounds.loop,
    "until": Compounds.loop,
    "for": Compounds.walk,
    "select": Compounds.walk,
    "case": Compounds.case,
    "[[": Compounds.condition,
    "function": Compounds.function,
    "coproc": Compounds.coprocess,
}
