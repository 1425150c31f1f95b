"""Statements of awk, lowered to the evaluator's nodes."""

from __future__ import annotations

import re

from toolgate.languages.evaluation import nodes
from toolgate.languages.scripting.lowering import YES, call, text

from .expressions import ExpressionParser

MAIN, RECORDS = "main", "records"
"""Labels: of everything before END, which `exit` leaves, and of the loop over records, which `next` continues."""
_LISTED = re.compile(r"\(\s*([A-Za-z_]\w*)\s+in\s+([A-Za-z_]\w*)\s*\)")
_CASE = re.compile(r"(?:case\b|default\b)")


class StatementParser(ExpressionParser):
    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.is_in_function = False

    def parse_block(self) -> nodes.Block:
        self.expect_sign("{")
        found: list[nodes.Statement] = []
        self.skip_blank_lines()
        while not self.take_sign("}"):
            if self.is_at_end:
                raise SyntaxError("a block has no end")
            found.append(self.parse_statement())
            self.skip_blank_lines()
        return tuple(found)

    def _parse_body(self) -> nodes.Block:
        """Parses the statement that a condition or a loop governs."""
        self.skip_newlines()
        if self.take_sign(";"):
            return ()
        return self.parse_block() if self.peek() == "{" else (self.parse_statement(),)

    def parse_statement(self) -> nodes.Statement:
        name = self.peek_name()
        parse = {
            "if": self._parse_if,
            "while": self._parse_while,
            "do": self._parse_do,
            "for": self._parse_for,
            "switch": self._parse_switch,
        }.get(name)
        if parse is not None:
            self.take_name(name)
            return parse()
        if self.peek() == "{":
            return nodes.Sequence(self.parse_block())
        made = self._parse_simple(name)
        if self.peek() not in (";", "\n", "}", ""):
            raise SyntaxError("a statement has no end")
        self.take_sign(";")
        return made

    def _parse_simple(self, name: str) -> nodes.Statement:
        if name in ("print", "printf"):
            return self._parse_output()
        if self.take_name("break", "continue"):
            return nodes.Jump(name)
        if self.take_name("next", "nextfile"):
            return nodes.Return(None) if self.is_in_function else nodes.Jump(f"continue {RECORDS}")
        if self.take_name("exit", "return"):
            value = None if self.peek() in (";", "\n", "}", "") else self.parse_expression()
            if name == "return" or self.is_in_function:
                return nodes.Return(value)
            return nodes.Jump(f"break {MAIN}")
        if self.take_name("delete"):
            return self._parse_delete()
        return nodes.ExpressionStatement(self.parse_expression())

    def _parse_delete(self) -> nodes.Statement:
        target = self._parse_primary()
        if isinstance(target, nodes.Name):
            self.arrays.add(target.name)
            return nodes.ExpressionStatement(call("clear", target))
        return nodes.Deletion((target,))

    # ---- output

    def print_statement(self, arguments: tuple[nodes.Expression, ...]) -> nodes.Statement:
        return nodes.ExpressionStatement(call("print", _printed_line(arguments)))

    def _parse_output(self) -> nodes.Statement:
        name = self.parse_name()
        self.redirects = True
        arguments = () if self.peek() in (";", "\n", "}", "", ">", ">>", "|", "|&") else self.parse_list()
        self.redirects = False
        if len(arguments) == 1 and isinstance(arguments[0], nodes.Collection):
            arguments = arguments[0].items
        data = call("sprintf", *arguments) if name == "printf" else _printed_line(arguments or (nodes.Name("$0"),))
        mode = self.take_sign(">>", ">", "|", "|&")
        if not mode:
            return nodes.ExpressionStatement(call("print", data))
        return nodes.ExpressionStatement(call("print to", text(mode), self._parse_concatenation(), data))

    # ---- conditions and loops

    def _parse_test(self) -> nodes.Expression:
        self.expect_sign("(")
        self.skip_newlines()
        test = self.parse_expression()
        self.skip_newlines()
        self.expect_sign(")")
        return test

    def _parse_if(self) -> nodes.Statement:
        test = self._parse_test()
        block = self._parse_body()
        before = self.at
        self.skip_blank_lines()
        if self.take_name("else"):
            return nodes.If(((test, block),), self._parse_body())
        self.at = before
        return nodes.If(((test, block),), ())

    def _parse_while(self) -> nodes.Statement:
        test = self._parse_test()
        return nodes.While(test, self._parse_body())

    def _parse_do(self) -> nodes.Statement:
        block = self._parse_body()
        self.skip_blank_lines()
        if not self.take_name("while"):
            raise SyntaxError("do without while")
        return nodes.BreakableBlock((*block, nodes.While(self._parse_test(), block)))

    def _parse_for(self) -> nodes.Statement:
        if found := self.take(_LISTED):
            self.arrays.add(found[2])
            return nodes.For(nodes.Name(found[1]), call("keys of", nodes.Name(found[2])), self._parse_body())
        self.expect_sign("(")
        first = self._parse_clause(";")
        self.skip_newlines()
        test = YES if self.peek() == ";" else self.parse_expression()
        self.skip_newlines()
        self.expect_sign(";")
        last = self._parse_clause(")")
        return nodes.Sequence((*first, nodes.While(test, self._parse_body(), update=last)))

    def _parse_clause(self, end: str) -> nodes.Block:
        self.skip_newlines()
        found = () if self.peek() == end else (self._parse_simple(self.peek_name()),)
        self.skip_newlines()
        self.expect_sign(end)
        return found

    def _parse_switch(self) -> nodes.Statement:
        """Parses gawk's `switch`: any of its cases may run, and the next one after it."""
        subject = self._parse_test()
        self.skip_newlines()
        self.expect_sign("{")
        self.skip_blank_lines()
        cases: list[nodes.Statement] = [nodes.ExpressionStatement(subject)]
        while not self.take_sign("}"):
            if self.take(_CASE) and self.peek() != ":":
                self._parse_unary()
            self.expect_sign(":")
            self.skip_blank_lines()
            block: list[nodes.Statement] = []
            while self.peek() != "}" and not _CASE.match(self.source, self.at):
                block.append(self.parse_statement())
                self.skip_blank_lines()
            cases.append(nodes.If(((call("unknown test"), tuple(block)),), ()))
        return nodes.BreakableBlock(tuple(cases))


def _printed_line(arguments: tuple[nodes.Expression, ...]) -> nodes.Expression:
    """Returns what `print` prints: its arguments with OFS between them, and ORS."""
    parts: list[nodes.Expression] = []
    for each in arguments:
        parts += [nodes.Name("OFS"), each] if parts else [each]
    return nodes.Concatenation((*parts, nodes.Name("ORS")))
