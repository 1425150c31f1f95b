"""Expressions of awk, lowered to the evaluator's nodes."""

from __future__ import annotations

import re

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.values import Instance
from toolgate.languages.scripting.lowering import call, number, parse_number, text
from toolgate.model.word import known_word

from .scanner import Scanner

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_ASSIGNMENTS = {"=": "", "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "^=": "^", "**=": "^"}
_COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
_KEYWORDS = frozenset(
    "BEGIN END BEGINFILE ENDFILE function func if else while for do break continue next nextfile exit return delete in getline"
    " print printf switch case default".split()
)
BUILTINS = frozenset(
    "length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper system"
    " close fflush systime strftime mktime strtonum patsplit asort asorti and or xor lshift rshift compl typeof isarray"
    " bindtextdomain dcgettext dcngettext readfile mkbool".split()
)


UNUSUAL_FIELDS = "unusual fields"
"""The variable that tells whether fields are something else than what FS separates."""


class ExpressionParser(Scanner):
    """Parses expressions. `names`: the variables mentioned so far; `arrays`: the names used as arrays; `redirects`: whether `>`
    redirects here instead of comparing."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.names: set[str] = set()
        self.arrays: set[str] = set()
        self.redirects = False

    def parse_expression(self) -> nodes.Expression:
        target = self._parse_conditional()
        sign = self.peek()
        if sign not in _ASSIGNMENTS or not _is_target(target):
            return target
        self.take_sign(sign)
        self.skip_newlines()
        value = self.parse_expression()
        operator = _ASSIGNMENTS[sign]
        return store(target, nodes.Operation(target, ((operator, value),)) if operator else value)

    def parse_list(self, end: str = "") -> tuple[nodes.Expression, ...]:
        """Parses expressions with commas between them, up to a sign if one is given."""
        found: list[nodes.Expression] = []
        while not (end and self.take_sign(end)):
            self.skip_newlines() if end else self.skip_blanks()
            found.append(self.parse_expression())
            if end:
                self.skip_newlines()
            if not self.take_sign(","):
                if end:
                    self.expect_sign(end)
                break
            self.skip_newlines()
        return tuple(found)

    def _parse_conditional(self) -> nodes.Expression:
        test = self._parse_or()
        if not self.take_sign("?"):
            return test
        self.skip_newlines()
        yes = self.parse_expression()
        self.skip_newlines()
        self.expect_sign(":")
        self.skip_newlines()
        return nodes.Conditional(test, yes, self.parse_expression())

    def _parse_or(self) -> nodes.Expression:
        operands = [self._parse_and()]
        while self.take_sign("||"):
            self.skip_newlines()
            operands.append(self._parse_and())
        return operands[0] if len(operands) == 1 else nodes.Logical("or", tuple(operands))

    def _parse_and(self) -> nodes.Expression:
        operands = [self._parse_membership()]
        while self.take_sign("&&"):
            self.skip_newlines()
            operands.append(self._parse_membership())
        return operands[0] if len(operands) == 1 else nodes.Logical("and", tuple(operands))

    def _parse_membership(self) -> nodes.Expression:
        value = self._parse_match()
        while self.take_name("in"):
            name = self.parse_name()
            self.arrays.add(name)
            value = nodes.Comparison("in", _subscript(value), nodes.Name(name))
        return value

    def _parse_match(self) -> nodes.Expression:
        value = self._parse_comparison()
        while self.take_sign("~", "!~"):
            self._parse_comparison()
            value = call("unknown test", value)
        return value

    def _parse_comparison(self) -> nodes.Expression:
        value = self._parse_concatenation()
        while True:
            sign = self.peek()
            if sign in ("|", "|&") and self._is_getline_next(len(sign)):
                self.take_sign(sign)
                self.take_name("getline")
                value = self._read_record(text("|"), value, self._parse_getline_target())
            elif sign in _COMPARISONS and not (sign == ">" and self.redirects):
                self.take_sign(sign)
                value = nodes.Comparison(sign, value, self._parse_concatenation())
            else:
                return value

    def _is_getline_next(self, skipped: int) -> bool:
        return re.compile(r"\s*getline\b").match(self.source, self.at + skipped) is not None

    def _parse_concatenation(self) -> nodes.Expression:
        parts = [self._parse_sum()]
        while self._begins_operand():
            parts.append(self._parse_sum())
        return parts[0] if len(parts) == 1 else nodes.Concatenation(tuple(parts))

    def _begins_operand(self) -> bool:
        sign = self.peek()
        if sign[:1] in ('"', "$", "(", "@", "++", "--") or sign in ("++", "--") or sign.isdigit():
            return True
        if sign == "." and self.source[self.at + 1 : self.at + 2].isdigit():
            return True
        name = self.peek_name()
        return bool(name) and name not in _KEYWORDS

    def _parse_sum(self) -> nodes.Expression:
        value = self._parse_product()
        while sign := self.take_sign("+", "-"):
            value = nodes.Operation(value, ((sign, self._parse_product()),))
        return value

    def _parse_product(self) -> nodes.Expression:
        value = self._parse_unary()
        while sign := self.take_sign("*", "/", "%"):
            value = nodes.Operation(value, ((sign, self._parse_unary()),))
        return value

    def _parse_unary(self) -> nodes.Expression:
        if self.take_sign("!"):
            return nodes.Unary("not", self._parse_unary())
        if sign := self.take_sign("+", "-"):
            operand = self._parse_unary()
            return nodes.Operation(number(0), ((sign, operand),))
        return self._parse_power()

    def _parse_power(self) -> nodes.Expression:
        value = self._parse_postfix()
        if self.take_sign("^", "**"):
            value = nodes.Operation(value, (("^", self._parse_unary()),))
        return value

    def _parse_postfix(self) -> nodes.Expression:
        value = self._parse_primary()
        if _is_target(value) and (sign := self.take_sign("++", "--")):
            return nodes.Operation(
                store(value, nodes.Operation(value, ((sign[0], number(1)),))), (("-+"[sign == "--"], number(1)),)
            )
        return value

    def _parse_primary(self) -> nodes.Expression:
        sign = self.peek()
        if sign in ("++", "--"):
            self.take_sign(sign)
            target = self._parse_primary()
            return store(target, nodes.Operation(target, ((sign[0], number(1)),)))
        if sign == "$":
            self.take_sign("$")
            place = self._parse_unary() if self.peek() in ("-", "+", "!") else self._parse_primary()
            return field(place)
        if sign == "(":
            return self._parse_group()
        if (found := self.take_text()) is not None:
            return text(found)
        if match := self.take(_NUMBER):
            return nodes.Literal(parse_number(match[0].lstrip("0") or "0") if match[0].isdigit() else parse_number(match[0]))
        if sign in ("/", "/="):
            return call("record matches", nodes.Literal(pattern(self.take_regular_expression())))
        if self.take_sign("@"):
            if self.peek() == "/":
                return nodes.Literal(pattern(self.take_regular_expression()))
            function = call("function named", nodes.Name(self.parse_name()))
            self.expect_sign("(")
            return nodes.Call(function, _arguments(self.parse_list(")")))
        return self._parse_named()

    def _parse_group(self) -> nodes.Expression:
        self.take_sign("(")
        outer, self.redirects = self.redirects, False
        found = self.parse_list(")")
        self.redirects = outer
        return found[0] if len(found) == 1 else nodes.Collection("group", found)

    def _parse_named(self) -> nodes.Expression:
        name = self.parse_name()
        if name == "getline":
            target = self._parse_getline_target()
            if self.take_sign("<"):
                return self._read_record(text("<"), self._parse_primary(), target)
            return self._read_record(text(""), text(""), target)
        if name in _KEYWORDS:
            raise SyntaxError(name)
        if name in BUILTINS:
            return self._parse_builtin(name)
        if self.source[self.at : self.at + 1] == "(":
            self.take_sign("(")
            return nodes.Call(nodes.Name(name), _arguments(self._parse_arguments()))
        if self.take_sign("["):
            self.arrays.add(name)
            entry = nodes.Index(nodes.Name(name), _subscript(*self._parse_subscripts()))
            while self.take_sign("["):  # gawk's arrays of arrays
                entry = nodes.Index(entry, _subscript(*self._parse_subscripts()))
            return entry
        self.names.add(name)
        return nodes.Name(name)

    def _parse_arguments(self) -> tuple[nodes.Expression, ...]:
        outer, self.redirects = self.redirects, False
        found = self.parse_list(")")
        self.redirects = outer
        return found

    def _parse_subscripts(self) -> tuple[nodes.Expression, ...]:
        outer, self.redirects = self.redirects, False
        found = self.parse_list("]")
        self.redirects = outer
        return found

    def _parse_builtin(self, name: str) -> nodes.Expression:
        arguments = self._parse_arguments() if self.take_sign("(") else ()
        if name == "length" and not arguments:
            arguments = (nodes.Name("$0"),)
        if name in ("split", "patsplit", "asort", "asorti", "match") and arguments:
            places = arguments[1:2] if name in ("split", "patsplit") else arguments[2:3] if name == "match" else arguments[:2]
            self.arrays.update(each.name for each in places if isinstance(each, nodes.Name))
        if name in ("sub", "gsub") and len(arguments) > 1:
            target = arguments[2] if len(arguments) > 2 else nodes.Name("$0")
            made = call(name, _as_pattern(arguments[0]), arguments[1], target)
            return call("unknown test", store(target, made) if _is_target(target) else made)
        if name in ("split", "match", "gensub", "patsplit"):
            arguments = tuple(_regular_expression(each) or each for each in arguments)
        return call(name, *arguments)

    # ---- getline

    def _parse_getline_target(self) -> nodes.Expression:
        """Parses the variable that `getline` stores into, which is the record if there is none."""
        if self.peek() == "$" or (self.peek_name() and self.peek_name() not in (*_KEYWORDS, *BUILTINS)):
            return self._parse_primary()
        return nodes.Name("$0")

    def _read_record(self, mode: nodes.Expression, source: nodes.Expression, target: nodes.Expression) -> nodes.Expression:
        return call("unknown number", store(target, call("read record", mode, source)))


def store(target: nodes.Expression, value: nodes.Expression) -> nodes.Expression:
    """Returns an assignment. One to a field changes the record."""
    match target:
        case nodes.Call(nodes.Name("field"), (place,)):
            return nodes.AssignmentExpression(nodes.Name("$0"), call("with field", nodes.Name("$0"), place.value, value))
        case nodes.Name("NF"):
            return nodes.AssignmentExpression(nodes.Name("$0"), call("with field count", nodes.Name("$0"), value))
        case _:
            return nodes.AssignmentExpression(target, value)


def field(place: nodes.Expression) -> nodes.Expression:
    is_record = isinstance(place, nodes.Literal) and place == number(0)
    return nodes.Name("$0") if is_record else call("field", place)


def pattern(source: str) -> Instance:
    return Instance("pattern", {"source": known_word(source)})


def _is_target(node: nodes.Expression) -> bool:
    return isinstance(node, nodes.Name | nodes.Index) or (isinstance(node, nodes.Call) and node.function == nodes.Name("field"))


def _as_pattern(node: nodes.Expression) -> nodes.Expression:
    """Returns what is matched: a regular expression, or the one that a text is."""
    return _regular_expression(node) or call("pattern of", node)


def _regular_expression(node: nodes.Expression) -> nodes.Expression | None:
    """Returns the regular expression that is an argument, where it is not matched with the record."""
    match node:
        case nodes.Call(nodes.Name("record matches"), (given,)):
            return given.value
        case _:
            return None


def _subscript(*parts: nodes.Expression) -> nodes.Expression:
    first = parts[0] if parts else text("")
    if len(parts) == 1 and isinstance(first, nodes.Collection):
        parts = first.items
    return call("subscript", *parts)


def _arguments(arguments: tuple[nodes.Expression, ...]) -> tuple[nodes.Argument, ...]:
    return tuple(nodes.Argument("positional", "", each) for each in arguments)
