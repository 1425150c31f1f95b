"""Parses expansions: parameters, substitutions, arithmetic, after a dollar sign or a backquote.

`quoted`: the expansion is within double quotes, or in text that is read alike: a here-document, an arithmetic expression, a
subscript. There single quotes are plain characters, and the text between them is expanded.
"""

import re
from typing import ClassVar, Final

from toolgate.shell.syntax.lexer import JOIN, NAME, Unreadable
from toolgate.shell.syntax.tree import Arithmetic, Parameter, Piece, Process, Sequence, ShellWord, Substitution, Text
from toolgate.shell.syntax.words import DOUBLE_ESCAPE, MatchRun, Words, merge_text_pieces

DOLLAR: Final = rf"""\${JOIN}(?:
      (?P<name>{NAME}|[0-9@*\#?$!-])
     |(?P<brace>\{{)
     |(?P<double>\({JOIN}\()
     |(?P<commands>\()
    """
"""Expansions of every shell: an open group of a verbose pattern, for callers to extend."""
_BASH_DOLLAR: Final = re.compile(
    rf"""{DOLLAR}
     |(?P<bracket>\[)
     |(?P<ansi>')
     |(?P<translated>")
     |(?P<zsh>[=^~](?=[A-Za-z_{{]))
    )""",
    re.VERBOSE,
)
_PARAMETER: Final = re.compile(
    rf"""{JOIN}(?:
      (\#){JOIN}({NAME}|[0-9]+|[@*\#?$!-])(?=\[|{JOIN}\}})
     |(!){JOIN}({NAME}|[0-9]+|[@*]|\#(?=\}}))
     |()({NAME}|[0-9]+|[@*\#?$!-])
    ){JOIN}""",
    re.VERBOSE,
).match
_OPERATOR: Final = re.compile(
    rf"""(?:
      (?P<close>(?=\}}))
     |(?P<value>(?::{JOIN})?[-=?+])
     |(?P<substring>:)
     |(?P<pattern>\#{JOIN}\#?|%{JOIN}%?|\^{JOIN}\^?|,{JOIN},?|~{JOIN}~?)
     |(?P<replace>/{JOIN}[/\#%]?)
     |(?P<transform>@{JOIN}[A-Za-z]?|\*)(?={JOIN}\}})
    ){JOIN}""",
    re.VERBOSE,
).match

_ARGUMENT_RUN: Final = re.compile(rf"""(?:[^}}'"$`\\<>]++|\\\n|[<>](?!{JOIN}\())*+""").match
_PATTERN_RUN: Final = re.compile(rf"""(?:[^}}/'"$`\\<>]++|\\\n|[<>](?!{JOIN}\())*+""").match
_QUOTED_ARGUMENT_RUN: Final = re.compile(r"""(?:[^}'"$`\\]++|\\.)*+""", re.DOTALL).match
_QUOTED_ARGUMENT_ESCAPE: Final = re.compile(r"\\(?:\n|([$`\"\\}]))").sub
_APOSTROPHE_RUN: Final = re.compile(r"""[^$`'"\\}]*+""").match
_MATCH_QUOTED_KEY: Final = re.compile(r"""'([^'$`\\]*+)'""").match

_BACKQUOTED_RUN: Final = re.compile(r"(?:[^`\\]++|\\.)*+", re.DOTALL).match
_BACKQUOTED_ESCAPE: Final = re.compile(r"\\(?:\n|([$`\\]))").sub

_EXPRESSION_RUNS: Final[dict[str, MatchRun]] = {
    ")": re.compile(r"""(?:[^()'"$`\\]++|\\.)*+""", re.DOTALL).match,
    ";": re.compile(r"""(?:[^();'"$`\\]++|\\.)*+""", re.DOTALL).match,
    "]": re.compile(r"""(?:[^\[\]'"$`\\]++|\\.)*+""", re.DOTALL).match,
    ":": re.compile(r"""(?:[^}:'"$`\\]++|\\.)*+""", re.DOTALL).match,
    "}": re.compile(r"""(?:[^}'"$`\\]++|\\.)*+""", re.DOTALL).match,
}

# A possible comment. While bash reads commands as arithmetic it has no comments.
FIND_COMMENT: Final = re.compile(r"[ \t\n;&|()]#").search

_MAY_HIDE_PARENTHESES: Final = re.compile(r"""['"`]|\$\(""").search
_QUOTED_TEXT: Final = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_FIND_QUOTED: Final = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`""").findall


def may_be_commands(text: str, pieces: tuple[Piece, ...]) -> bool:
    """Returns whether a shell may read an expression as commands: bash counts its parentheses again, including those in a
    `case` or a here-document, and zsh those within quotes."""
    if "esac" in text or not _has_balanced_parentheses(_QUOTED_TEXT.sub("", text)):
        return True
    own, at = "", 0
    for piece in pieces:
        if not isinstance(piece, Text) and piece.raw[:1] == "$":
            start = text.index(piece.raw, at)
            own, at = own + text[at:start], start + len(piece.raw)
    return any("(" in held or ")" in held for held in _FIND_QUOTED(own + text[at:]))


def _has_balanced_parentheses(text: str) -> bool:
    level = 0
    for character in re.findall("[()]", text):
        level += 1 if character == "(" else -1
        if level < 0:
            return False
    return not level


class Substitutions(Words):
    dollars: ClassVar[re.Pattern[str]] = _BASH_DOLLAR

    def parse_dollar(self, pieces: list[Piece], quoted: bool) -> None:
        start = self.pos
        match = self.dollars.match(self.text, start, self.end)
        kind = match.lastgroup if match else None
        if match is None or (quoted and kind in ("ansi", "translated", "zsh")):
            self.pos += 1
            pieces.append(Text("$", quoted))
            return
        self.pos = match.end()
        if kind == "name":
            pieces.append(Parameter(match["name"].replace("\\\n", ""), quoted, match[0]))
        elif kind == "brace":
            pieces.append(self.parse_parameter(start, quoted))
        elif kind == "commands":
            pieces.append(Substitution(self.parse_substitution_body(), quoted, self.text[start : self.pos]))
        elif kind == "double":
            pieces.append(self.parse_double_parentheses(start, quoted))
        elif kind == "bracket":
            inside = self.parse_enclosed("]", start)
            pieces.append(Arithmetic(inside, quoted, self.text[start : self.pos]))
        elif kind == "ansi":
            self.read_ansi_quoted(pieces)
        elif kind == "translated":
            self.pos -= 1
            self.read_double_quoted(pieces)
        else:
            raise self.unreadable_error("zsh expands this, bash does not", start)

    # Commands

    def parse_substitution_body(self) -> Sequence:
        """Parses the commands after an opening parenthesis, up to the closing one."""
        opened = self.pos - 1
        pending, substituting = self.pending, self.substituting
        self.pending, self.substituting = [], True
        self.enter_construct()
        self.advance()
        body = self.parse_sequence()
        if not self.is_at_operator(")"):
            raise self.unexpected_token_error()
        if self.pending:
            raise self.unreadable_error("a here-document's body lies outside its substitution", opened)
        self.depth -= 1
        self.pending, self.substituting = pending, substituting
        return body

    def parse_process(self) -> Process:
        start = self.pos
        self.pos = self.text.index("(", start) + 1
        body = self.parse_substitution_body()
        return Process(self.text[start], body, self.text[start : self.pos])

    def parse_double_parentheses(self, start: int, quoted: bool) -> Piece:
        """Parses after `$((`: an expression if the two closing parentheses are adjacent, otherwise commands that begin with a
        subshell.

        Bash counts parentheses to find the end and decides afterwards, so both readings must end at the same position. A
        decision for commands is cached: nested ones would otherwise be read twice at every level.
        """
        end = 0
        if start not in self.commands:
            inside = self.parse_enclosed(")", start)
            if self.is_next(")"):
                self.pos += 1
                return Arithmetic(inside, quoted, self.read_expression_text(start, inside))
            self.parse_enclosed(")", start)
            end = self.pos
            self.commands.add(start)
        self.pos = self.text.index("(", start) + 1
        body = self.parse_substitution_body()
        if end and (end != self.pos or FIND_COMMENT(self.text, start, end)):
            raise self.unreadable_error("this may be arithmetic or commands", start)
        return Substitution(body, quoted, self.text[start : self.pos])

    def read_expression_text(self, start: int, pieces: tuple[Piece, ...]) -> str:
        """Returns the text of an expression in double parentheses. A shell that counts parentheses differently would run it."""
        text = self.text[start : self.pos]
        if _MAY_HIDE_PARENTHESES(text, 3) and may_be_commands(text, pieces):
            raise self.unreadable_error("this may be arithmetic or commands", start)
        return text

    def parse_backquoted(self, quoted: bool, direct: bool = False) -> Substitution:
        """Parses the body after removing one layer of backslashes."""
        start = self.pos
        match = _BACKQUOTED_RUN(self.text, start + 1, self.end)
        assert match is not None
        stop = match.end()
        if stop >= self.end or self.text[stop] != "`":
            raise self.unreadable_error("a backquote is not closed", start)
        if "\\" in match[0]:
            escape = DOUBLE_ESCAPE if direct else _BACKQUOTED_ESCAPE
            inner = self.reader_for_copy(escape(r"\1", match[0]), start, stop + 1)
        else:
            inner = self.reader_for_part(start + 1, stop)
        body = inner.parse_all()
        self.budget = inner.budget
        self.pos = stop + 1
        return Substitution(body, quoted, self.text[start : self.pos])

    # Parameters

    def parse_parameter(self, start: int, quoted: bool) -> Parameter:
        """Parses a parameter after `${`."""
        self.enter_construct()
        match = _PARAMETER(self.text, self.pos, self.end)
        if match is None:
            raise self.unknown_parameter_error(start)
        prefix = match[1] or match[3] or ""
        name = (match[2] or match[4] or match[6]).replace("\\\n", "")
        self.pos = match.end()
        subscript = self.parse_subscript() if self.is_next("[") and (name[0].isalpha() or name[0] == "_") else None
        match = _OPERATOR(self.text, self.pos, self.end)
        if match is None:
            raise self.unknown_parameter_error(start)
        kind, operator = match.lastgroup, match[0].replace("\\\n", "")
        self.pos = match.end()
        argument, replacement = self.parse_arguments(kind, quoted)
        if not self.is_next("}") or (prefix == "#" and operator):
            raise self.unknown_parameter_error(start)
        self.pos += 1
        self.depth -= 1
        return Parameter(name, quoted, self.text[start : self.pos], prefix, subscript, operator, argument, replacement)

    def unknown_parameter_error(self, start: int) -> Unreadable:
        if self.pos >= self.end:
            return self.unreadable_error("a `${` is not closed", start)
        if self.text[self.pos] in " \t\n|":
            return self.unreadable_error("only newer shells run the commands in this", start)
        return self.unreadable_error("bash knows no such parameter expansion", start)

    def parse_arguments(self, kind: str | None, quoted: bool) -> tuple[ShellWord | None, ShellWord | None]:
        """Parses the argument and the replacement of an operator of this kind."""
        if kind == "value":
            return self.parse_quoted_argument() if quoted else self.parse_argument(_ARGUMENT_RUN), None
        if kind == "pattern":
            return self.parse_argument(_ARGUMENT_RUN), None
        if kind == "replace":
            pattern = self.parse_argument(_PATTERN_RUN)
            if not self.is_next("/"):
                return pattern, None
            self.pos += 1
            return pattern, self.parse_argument(_ARGUMENT_RUN)
        if kind == "substring":
            if self.text.startswith(":=", self.pos):
                raise self.unreadable_error("zsh assigns here, bash does not", self.pos)
            offset = self.parse_expression_part(":")
            if not self.is_next(":"):
                return offset, None
            self.pos += 1
            return offset, self.parse_expression_part("}")
        return None, None

    def parse_argument(self, run: MatchRun) -> ShellWord:
        """Parses text in which quotes have their usual meaning. The argument of a pattern is read so even within double
        quotes."""
        start = self.pos
        pieces: list[Piece] = []
        while (character := self.read_unquoted(pieces, run)) in ("<", ">"):
            process = self.parse_process()
            if "}" in process.raw:
                raise self.unreadable_error("shells disagree about the end of this expansion", start)
            pieces.append(process)
        if not character:
            raise self.unreadable_error("a `${` is not closed", start)
        return ShellWord(merge_text_pieces(pieces), self.within or (start, self.pos))

    def parse_quoted_argument(self) -> ShellWord:
        """Parses the value of `"${name:-value}"`: double quotes in it have no effect, single quotes are characters."""
        start = self.pos
        pieces: list[Piece] = []
        while (character := self.read_quoted(pieces, _QUOTED_ARGUMENT_RUN, _QUOTED_ARGUMENT_ESCAPE)) != "}":
            if character in ("'", '"') and self._is_after_dollar_sign(pieces):
                self._read_dollar_quoted(pieces)
            elif character == "'":
                self.read_apostrophe(pieces)
            elif character == '"':
                self.read_double_quoted(pieces)
            else:
                raise self.unreadable_error("a `${` is not closed", start)
        return ShellWord(merge_text_pieces(pieces), self.within or (start, self.pos))

    def _is_after_dollar_sign(self, pieces: list[Piece]) -> bool:
        """Returns whether bash reads `$'...'` or `$"..."` here: within double quotes, not in a here-document."""
        is_sign = bool(pieces) and pieces[-1] == Text("$", True) and self.text[self.pos - 2] != "\\"
        return is_sign and not self.is_document and "ansi" in self.dollars.groupindex

    def _read_dollar_quoted(self, pieces: list[Piece]) -> None:
        pieces.pop()
        if self.is_next("'"):
            self.pos += 1
            self.read_ansi_quoted(pieces)
        else:
            self.read_double_quoted(pieces)

    def read_apostrophe(self, pieces: list[Piece]) -> None:
        """Reads a single quote that is a plain character. Bash still pairs it with the next one to find the end of the
        construct, other shells do not; it is readable only if that makes no difference."""
        start = self.pos
        close = self.text.find("'", start + 1, self.end)
        if close < 0:
            raise self.unreadable_error("a quote is not closed", start)
        pieces.append(Text("'", True))
        self.pos += 1
        self.read_quoted(pieces, _APOSTROPHE_RUN, DOUBLE_ESCAPE)
        if self.pos != close:
            raise self.unreadable_error("shells disagree about the quotes in this expansion", start)
        pieces.append(Text("'", True))
        self.pos += 1

    # Arithmetic

    def parse_subscript(self) -> ShellWord:
        """Parses a subscript at its bracket, without the brackets."""
        self.pos += 1
        start = self.pos
        pieces = self.parse_enclosed("]", start - 1)
        return ShellWord(pieces, self.within or (start, self.pos - 1))

    def parse_expression_part(self, stop: str) -> ShellWord:
        start = self.pos
        pieces = self.parse_expression(stop)
        return ShellWord(pieces, self.within or (start, self.pos))

    def parse_enclosed(self, stop: str, start: int) -> tuple[Piece, ...]:
        """Parses an expression and its closing bracket; `start` is the construct it belongs to."""
        self.enter_construct()
        pieces = self.parse_expression(stop)
        if not self.is_next(stop):
            raise self.unreadable_error("a bracket is not closed", start)
        self.pos += 1
        self.depth -= 1
        return pieces

    def parse_expression(self, stop: str) -> tuple[Piece, ...]:
        """Parses up to the terminating character, or the end of the text. Brackets in it are paired."""
        pieces: list[Piece] = []
        run = _EXPRESSION_RUNS[stop]
        level = 0
        while True:
            character = self.read_quoted(pieces, run, DOUBLE_ESCAPE)
            if character == "'":
                key = _MATCH_QUOTED_KEY(self.text, self.pos, self.end)
                if key is None:
                    self.read_apostrophe(pieces)
                else:
                    pieces.append(Text(key[1], True))
                    self.pos = key.end()
                continue
            if character == '"':
                self.read_double_quoted(pieces)
                continue
            if not character or character == "\\" or (not level and character in "])};:"):
                self.spend_budget(len(pieces))
                return merge_text_pieces(pieces)
            level += (character in "([") - (character in ")]")
            pieces.append(Text(character, True))
            self.pos += 1
