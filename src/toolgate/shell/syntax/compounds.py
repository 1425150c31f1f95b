"""Compound commands: groups, branches, loops, functions."""

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from toolgate.shell.syntax.conditions import Conditions
from toolgate.shell.syntax.lexer import JOIN, OPERATOR, PLAIN, WORD
from toolgate.shell.syntax.substitutions import FIND_COMMENT
from toolgate.shell.syntax.tree import (
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

    def parse_command(self) -> Node:
        """Parses any command that is not a pipeline; defined by the grammar."""
        raise NotImplementedError

    def parse_body(self) -> Sequence:
        """Parses a sequence that must not be empty."""
        sequence = self.parse_sequence()
        if not sequence.items:
            raise self.unexpected_token_error()
        return sequence

    def parse_parenthesis(self) -> Node:
        """Parses arithmetic if it is opened and closed by two adjacent parentheses, otherwise a subshell."""
        start, inner = self.start, self.pos
        second = _SECOND_PARENTHESIS(self.text, inner, self.end)
        if second and start not in self.commands:
            self.pos = second.end()
            inside = self.parse_enclosed(")", start)
            if self.is_next(")"):
                self.pos += 1
                expression = Arithmetic(inside, True, self.read_expression_text(start, inside))
                self.advance()
                return ArithmeticCommand(expression, self.span_from(start))
            if self.is_next("\n"):
                raise self.unreadable_error("this may be arithmetic or commands", start)
            self.commands.add(start)
            self.pos = inner
        announced = self.announced
        self.advance()
        body = self.parse_body()
        if second and (announced != self.announced or FIND_COMMENT(self.text, inner, self.pos)):
            # Bash has tried arithmetic first, and the text it reads again differs from the original.
            raise self.unreadable_error("this may be arithmetic or commands", start)
        if not self.is_at_operator(")"):
            raise self.unexpected_token_error()
        self.advance()
        return Subshell(body, self.span_from(start))

    def parse_group(self) -> Group:
        start = self.start
        self.advance()
        body = self.parse_body()
        self.expect("}")
        return Group(body, self.span_from(start))

    def parse_if(self) -> If:
        start = self.start
        branches: list[tuple[Sequence, Sequence]] = []
        while self.value != "else" and self.value != "fi":
            self.advance()
            condition = self.parse_body()
            self.expect("then")
            branches.append((condition, self.parse_body()))
            if self.kind != PLAIN or self.value not in ("elif", "else", "fi"):
                raise self.unexpected_token_error()
        otherwise = None
        if self.value == "else":
            self.advance()
            otherwise = self.parse_body()
        self.expect("fi")
        return If(tuple(branches), otherwise, self.span_from(start))

    def parse_while(self) -> While:
        start, keyword = self.start, self.value
        self.advance()
        condition = self.parse_body()
        self.expect("do")
        body = self.parse_body()
        self.expect("done")
        return While(condition, body, self.span_from(start), keyword)

    def parse_for(self) -> Node:
        """Parses `for` and `select`."""
        start, keyword = self.start, self.value
        self.advance()
        if keyword == "for" and self.is_at_operator("(") and _SECOND_PARENTHESIS(self.text, self.pos, self.end):
            return self.parse_arithmetic_for(start)
        name = self.value
        if self.kind != PLAIN or not _NAME(name):
            raise self.unexpected_token_error()
        self.advance()
        words = None
        if self.is_at_operator(";"):
            self.advance()
        else:
            self.skip_lines()
            if self.is_at_word("in"):
                self.advance()
                words = self.parse_for_words()
        self.skip_lines()
        return For(name, words, self.parse_loop_body(), self.span_from(start), keyword)

    def parse_for_words(self) -> tuple[ShellWord, ...]:
        words: list[ShellWord] = []
        while self.kind == PLAIN or self.kind == WORD:
            words.append(self.parse_word())
        if self.is_at_operator(";"):
            self.advance()
        elif not self.is_at_operator("\n"):
            raise self.unexpected_token_error()
        return tuple(words)

    def parse_arithmetic_for(self, start: int) -> ArithmeticFor:
        opened = self.start
        self.pos = self.text.index("(", self.pos) + 1
        self.enter_construct()
        expressions: list[Arithmetic] = []
        while len(expressions) < 3:
            begin = self.pos
            pieces = self.parse_expression(";")
            expressions.append(Arithmetic(pieces, True, self.text[begin : self.pos]))
            if not self.is_next(";" if len(expressions) < 3 else ")"):
                raise self.unreadable_error("this `for` needs three expressions", opened)
            self.pos += 1
        if not self.is_next(")"):
            raise self.unreadable_error("a bracket is not closed", opened)
        self.pos += 1
        self.depth -= 1
        self.advance()
        if self.is_at_operator(";"):
            self.advance()
        self.skip_lines()
        return ArithmeticFor(tuple(expressions), self.parse_loop_body(), self.span_from(start))

    def parse_loop_body(self) -> Sequence:
        closing = "}" if self.is_at_word("{") else "done"
        self.expect("{" if closing == "}" else "do")
        body = self.parse_body()
        self.expect(closing)
        return body

    def parse_case(self) -> Case:
        start = self.start
        self.advance()
        subject = self.parse_word()
        self.skip_lines()
        self.expect("in")
        self.skip_lines()
        arms: list[Arm] = []
        while not self.is_at_word("esac"):
            arms.append(self.parse_arm())
        self.advance()
        return Case(subject, tuple(arms), self.span_from(start))

    def parse_arm(self) -> Arm:
        if self.is_at_operator("("):
            self.advance()
        patterns = [self.parse_word()]
        while self.is_at_operator("|"):
            self.advance()
            patterns.append(self.parse_word())
        if not self.is_at_operator(")"):
            raise self.unexpected_token_error()
        self.advance()
        body = self.parse_sequence()
        end = ""
        if self.kind == OPERATOR and self.value in _ARM_ENDS:
            end = self.value
            self.advance()
            self.skip_lines()
        elif not self.is_at_word("esac"):
            raise self.unexpected_token_error()
        return Arm(tuple(patterns), body, end)

    def parse_function(self) -> Function:
        """Parses `function name`, with or without parentheses."""
        start = self.start
        self.advance()
        if self.kind != PLAIN:
            raise self.unexpected_token_error()
        name = self.value
        self.advance()
        if self.is_at_operator("(") and re.match(r"[ \t]*\)", self.text[self.pos : self.pos + 80]):
            self.advance()
            self.expect(")")
        self.skip_lines()
        return Function(name, self.parse_function_body(), self.span_from(start))

    def parse_function_definition(self, name: str, start: int) -> Function:
        """Parses `name()` at its opening parenthesis."""
        self.advance()
        if not self.is_at_operator(")"):
            raise self.unexpected_token_error()
        self.advance()
        self.skip_lines()
        if self.kind == PLAIN and self.value == "{" + name:  # `f(){f|f&};f`: zsh needs no blank there, and bash runs nothing
            self.value, self.pos = "{", self.start + 1
        return Function(name, self.parse_function_body(), self.span_from(start))

    def parse_coprocess(self) -> Coprocess:
        start = self.start
        self.advance()
        name = "COPROC"
        if self.kind == PLAIN and self.value not in self.compounds:
            # The word is a name if a compound command follows it, otherwise the command itself.
            kind, value, word_start, word_end, last = self.kind, self.value, self.start, self.pos, self.last
            self.advance()
            if self.is_at_compound():
                name = value
            elif self.kind == PLAIN and self.value in _RESERVED:
                raise self.unexpected_token_error()
            else:
                self.kind, self.value, self.start, self.pos, self.last = kind, value, word_start, word_end, last
        if self.is_at_word("function") or self.is_at_word("coproc"):
            raise self.unexpected_token_error()
        return Coprocess(name, self.parse_command(), self.span_from(start))

    def parse_function_body(self) -> Node:
        """Parses the body of a function."""
        if not self.is_at_compound():
            raise self.unexpected_token_error()
        return self.parse_command()

    def is_at_compound(self) -> bool:
        if self.kind == PLAIN:
            return self.value in self.compounds and self.value not in ("function", "coproc")
        return self.is_at_operator("(")


COMPOUNDS: Final[dict[str, Callable[[Compounds], Node]]] = {
    "{": Compounds.parse_group,
    "if": Compounds.parse_if,
    "while": Compounds.parse_while,
    "until": Compounds.parse_while,
    "for": Compounds.parse_for,
    "select": Compounds.parse_for,
    "case": Compounds.parse_case,
    "[[": Compounds.parse_condition,
    "function": Compounds.parse_function,
    "coproc": Compounds.parse_coprocess,
}
