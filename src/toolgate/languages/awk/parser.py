"""Parses awk programs (POSIX, gawk, mawk) and lowers them to the evaluator's nodes.

The text is read character by character: whether a slash divides or begins an expression depends on what may stand there.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from toolgate.languages.evaluation import nodes
from toolgate.languages.scripting.lowering import YES, call, text
from toolgate.languages.scripting.reading import SourceError

from .expressions import UNUSUAL_FIELDS
from .statements import MAIN, RECORDS, StatementParser

_BEGIN_OR_END = re.compile(r"(BEGINFILE|ENDFILE|BEGIN|END)\b(?=\s*\{)")
_FUNCTION = re.compile(r"func(?:tion)?\s+([A-Za-z_][\w:]*)[ \t]*\(")
_NEXT_ITEM = re.compile(r"\n(?=[A-Za-z@/{(!$\"])")
_OWN_ARRAYS = frozenset(("ENVIRON", "ARGV", "PROCINFO", "SYMTAB", "FUNCTAB"))
_RECORD_VARIABLES = frozenset(("FS", "FPAT", "FIELDWIDTHS"))
_LONGEST = 200_000
_DIRECTIVE = re.compile(r'@(include|load|namespace)\s*"((?:\\.|[^"\\\n])*)"')


class ParsedProgram(NamedTuple):
    """A program's statements. `has_error`: a part did not parse, and is missing; `descendant_count`: its length in characters."""

    block: nodes.Block
    has_error: bool
    descendant_count: int


@lru_cache(32)
def parse(data: bytes) -> ParsedProgram:
    """Parses a program. A script runs the same one again and again.

    Raises:
        SourceError: it is longer than any program that people write; parsing takes about 2.5 ms for each 1,000 characters.
    """
    if len(data) > _LONGEST:
        raise SourceError(f"it is longer than {_LONGEST:,} characters")
    return ProgramParser(data.decode("utf-8", "replace")).parse_program()


class ProgramParser(StatementParser):
    def parse_program(self) -> ParsedProgram:
        first: list[nodes.Statement] = []
        begin: list[nodes.Statement] = []
        rules: list[nodes.Statement] = []
        end: list[nodes.Statement] = []
        has_error = False
        self.skip_blank_lines()
        while not self.is_at_end:
            start = self.at
            try:
                self._parse_item(first, begin, rules, end)
            except SyntaxError:
                has_error = True
                if not self._skip_item(start):
                    break
            self.skip_blank_lines()
        arrays = tuple(nodes.Assignment((nodes.Name(name),), nodes.MapLiteral(())) for name in sorted(self.arrays - _OWN_ARRAYS))
        if self.names & _RECORD_VARIABLES:
            first.insert(0, nodes.Assignment((nodes.Name(UNUSUAL_FIELDS),), YES))
        if rules:
            begin.append(nodes.For(nodes.Name("$0"), call("input records"), tuple(rules), label=RECORDS))
        block = (*arrays, *first, nodes.BreakableBlock(tuple(begin), MAIN), *end)
        return ParsedProgram(block, has_error, len(self.source))

    def _parse_item(
        self,
        first: list[nodes.Statement],
        begin: list[nodes.Statement],
        rules: list[nodes.Statement],
        end: list[nodes.Statement],
    ) -> None:
        if found := self.take(_DIRECTIVE):
            if found[1] == "include":
                first.append(nodes.ExpressionStatement(call("include", text(found[2]))))
        elif found := self.take(_FUNCTION):
            first.append(self._parse_function(found[1]))
        elif found := self.take(_BEGIN_OR_END):
            before = set(self.names)
            block = self.parse_block()
            target = {"BEGIN": begin, "END": end}.get(found[1], rules)
            target += block
            if target is begin and "FS" not in before:
                self.names.discard("FS")  # set before the first record is read
        else:
            rules.append(self._parse_rule())

    def _parse_rule(self) -> nodes.Statement:
        if self.peek() == "{":
            return nodes.Sequence(self.parse_block())
        test = self.parse_expression()
        if self.take_sign(","):
            self.skip_newlines()
            self.parse_expression()
            test = call("unknown test")  # a range of records
        block = self.parse_block() if self.peek() == "{" else (self.print_statement((nodes.Name("$0"),)),)
        return nodes.If(((test, block),), ())

    def _parse_function(self, name: str) -> nodes.Statement:
        outer, self.arrays = self.arrays, set()
        names: list[str] = []
        while not self.take_sign(")"):
            self.skip_newlines()
            names.append(self.parse_name())
            self.take_sign(",")
            self.skip_newlines()
        self.skip_newlines()
        self.is_in_function = True
        block = self.parse_block()
        self.is_in_function = False
        parameters = tuple(
            nodes.Parameter("positional", each, nodes.MapLiteral(()) if each in self.arrays else text("")) for each in names
        )
        self.arrays = outer | (self.arrays - set(names))
        return nodes.Declaration(nodes.Name(name), nodes.Lambda("<lambda>", parameters, block))

    def _skip_item(self, start: int) -> bool:
        """Moves behind the item that does not parse: to the next line that begins one. Returns whether there is one."""
        found = _NEXT_ITEM.search(self.source, max(self.at, start + 1))
        self.at = found.end() if found else len(self.source)
        return found is not None


class AwkLowering:
    """Gives the statements of a program, which the parser has already lowered."""

    def __init__(self, _data: bytes) -> None:
        pass

    def program(self, tree: ParsedProgram) -> nodes.Block:
        return tree.block
