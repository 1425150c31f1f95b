"""Parser of words: runs of characters, quotes, and the expansions among them."""

import re
from collections.abc import Callable
from typing import Final

from toolgate.shell.syntax.lexer import JOIN, PLAIN, QUALIFIERS, WORD, Lexer
from toolgate.shell.syntax.tree import Piece, Process, ShellWord, Substitution, Text

MatchRun = Callable[[str, int, int], "re.Match[str] | None"]

_WORD_RUN: Final = re.compile(r"""(?:[^ \t\n;&|<>()'"$`\\]++|\\\n)*+""").match
_REGEX_RUN: Final = re.compile(r"""(?:[^ \t\n;&<>()'"$`\\]++|\\\n)*+""").match
_GROUP_RUN: Final = re.compile(rf"""(?:[^<>()'"$`\\]++|\\\n|[<>](?!{JOIN}\())*+""").match
_PROCESS: Final = re.compile(rf"[<>]{JOIN}\(").match
_DOUBLE_RUN: Final = re.compile(r"""(?:[^"$`\\]++|\\.)*+""", re.DOTALL).match
DOUBLE_ESCAPE: Final = re.compile(r"\\(?:\n|([$`\"\\]))").sub

# In zsh a group at the end of a word may be glob qualifiers, of which `e` and `+` run code.
_ZSH_QUALIFIER: Final = re.compile(r"\+[A-Za-z_]|e([^\n]).*?\1", re.DOTALL).search
_PLAIN_QUALIFIERS: Final = re.compile(QUALIFIERS).match
_GLOB: Final = re.compile(r"[*?\[]").search
_MAX_GROUP: Final = 500

_ANSI_RUN: Final = re.compile(r"(?:[^'\\]++|\\.)*+", re.DOTALL).match
_ANSI_ESCAPE: Final = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(\\\\|[^\\]))",
    re.DOTALL,
).sub
# Surrogates that do not encode a byte. Bash writes them as any other character.
_REPLACE_NON_BYTES: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]+").sub
_ANSI_LETTERS: Final = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))


def merge_text_pieces(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Returns the pieces, with adjacent text of the same quoting merged."""
    if len(pieces) < 2:
        return tuple(pieces)
    found: list[Piece] = []
    run: list[str] = []
    quoted = False
    for piece in pieces:
        if isinstance(piece, Text):
            if run and piece.quoted != quoted:
                found.append(Text("".join(run), quoted))
                run.clear()
            run.append(piece.value)
            quoted = piece.quoted
        else:
            if run:
                found.append(Text("".join(run), quoted))
                run.clear()
            found.append(piece)
    if run:
        found.append(Text("".join(run), quoted))
    return tuple(found)


def _ansi_character(match: re.Match[str]) -> str:
    letter, octal, byte, short, long, control = match.groups()
    if letter:
        return _ANSI_LETTERS[letter]
    if octal or byte:
        code = int(octal, 8) & 0xFF if octal else int(byte, 16)
        # Bytes from 128 on are kept as surrogates until the text is complete: several may form one character.
        return chr(code) if code < 0x80 else chr(0xDC00 + code)
    if short or long:
        code = int(short or long, 16)
        return chr(code) if code < 0x110000 else "\ufffd"
    if control == "?":
        return "\x7f"
    encoded = _escape_as_bytes(control[0])
    return chr(ord(encoded[0].upper()) & 0x1F) + encoded[1:]


def decode_ansi_text(source: str) -> str:
    """Returns the text of `$'source'`. Bash ends it at a NUL; bytes that are not valid UTF-8 stay surrogates."""
    text = _ANSI_ESCAPE(_ansi_character, source).partition("\0")[0]
    if text.isascii():
        return text
    text = _REPLACE_NON_BYTES(lambda match: _escape_as_bytes(match[0]), text)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _escape_as_bytes(characters: str) -> str:
    return characters.encode("utf-8", "surrogatepass").decode("ascii", "surrogateescape")


class Words(Lexer):
    def parse_word(self) -> ShellWord:
        """Parses the current token, which must be a word."""
        start = self.start
        if self.kind == PLAIN:
            self.spend_budget(1)
            word = ShellWord((Text(self.value, False),), self.within or (start, self.pos))
        elif self.kind == WORD:
            self.pos = start
            word = self.parse_rest_of_word(start, [])
        else:
            raise self.unexpected_token_error()
        self.advance()
        return word

    def parse_rest_of_word(self, start: int, pieces: list[Piece]) -> ShellWord:
        """Parses from `pos` to a character that ends words, without reading the next token."""
        if self.text.startswith("=(", self.pos) and not pieces:
            pieces.append(self.parse_process())
        while True:
            character = self.read_unquoted(pieces, _WORD_RUN)
            if character == "(" and self._is_group_opening(pieces):
                self._parse_glob_group(pieces)
            elif character == "(" and (qualifiers := self._match_glob_qualifiers(pieces)):
                self.pos = qualifiers.end()
            elif _PROCESS(self.text, self.pos, self.end):
                pieces.append(self.parse_process())
            else:
                break
        self.spend_budget(len(pieces))
        return ShellWord(merge_text_pieces(pieces), self.within or (start, self.pos))

    def _is_group_opening(self, pieces: list[Piece]) -> bool:
        last = pieces[-1] if pieces else None
        return isinstance(last, Text) and not last.quoted and last.value[-1:] in "?*+@!" and last.value != ""

    def _match_glob_qualifiers(self, pieces: list[Piece]) -> "re.Match[str] | None":
        """Matches qualifiers such as `*.log(N)`, which in zsh only select files; other shells report an error at the
        parenthesis."""
        is_glob = any(isinstance(piece, Text) and not piece.quoted and _GLOB(piece.value) for piece in pieces)
        return _PLAIN_QUALIFIERS(self.text, self.pos, self.end) if is_glob else None

    def parse_regex(self) -> ShellWord:
        """Parses the current token as the right side of `=~`, where parentheses and bars belong to the word."""
        start = self.pos = self.start
        pieces: list[Piece] = []
        while True:
            character = self.read_unquoted(pieces, _REGEX_RUN)
            if character == "(":
                self.parse_parenthesised(pieces)
            elif _PROCESS(self.text, self.pos, self.end):
                pieces.append(self.parse_process())
            else:
                break
        if not pieces:
            raise self.unexpected_token_error()
        word = ShellWord(merge_text_pieces(pieces), self.within or (start, self.pos))
        self.advance()
        return word

    def _parse_glob_group(self, pieces: list[Piece]) -> None:
        start = self.pos
        self.parse_parenthesised(pieces)
        inside = self.text[start + 1 : self.pos - 1]
        if "|" not in inside and (len(inside) > _MAX_GROUP or _ZSH_QUALIFIER(inside)):
            raise self.unreadable_error("zsh would run code to expand this pattern", start)

    def parse_parenthesised(self, pieces: list[Piece]) -> None:
        """Parses a parenthesis inside a word up to its closing one, blanks and line ends included."""
        start, level = self.pos, 0
        while True:
            character = self.read_unquoted(pieces, _GROUP_RUN)
            if character == "(":
                level += 1
            elif character == ")":
                level -= 1
            elif character:
                pieces.append(self.parse_process())
                continue
            else:
                raise self.unreadable_error("a parenthesis is not closed", start)
            pieces.append(Text(character, False))
            self.pos += 1
            if not level:
                break

    def read_unquoted(self, pieces: list[Piece], run: MatchRun) -> str:
        """Reads runs, quotes and expansions up to any other character, and returns that character (empty at the end)."""
        text, end = self.text, self.end
        while True:
            match = run(text, self.pos, end)
            if match and match.end() > self.pos:
                value = match[0]
                pieces.append(Text(value.replace("\\\n", "") if "\\" in value else value, False))
                self.pos = match.end()
            character = text[self.pos] if self.pos < end else ""
            if character == "$":
                self.parse_dollar(pieces, False)
            elif character == '"':
                self.read_double_quoted(pieces)
            elif character == "'":
                close = text.find("'", self.pos + 1, end)
                if close < 0:
                    raise self.unreadable_error("a quote is not closed", self.pos)
                pieces.append(Text(text[self.pos + 1 : close], True))
                self.pos = close + 1
            elif character == "\\":
                # A backslash at the end of the text is literal.
                pieces.append(Text(text[self.pos + 1] if self.pos + 1 < end else "\\", True))
                self.pos = min(self.pos + 2, end)
            elif character == "`":
                pieces.append(self.parse_backquoted(False))
            else:
                return character

    def read_double_quoted(self, pieces: list[Piece]) -> None:
        """Reads from a double quote to its closing one."""
        start, before = self.pos, len(pieces)
        self.pos += 1
        self.enter_construct()
        if self.read_quoted(pieces, _DOUBLE_RUN, DOUBLE_ESCAPE, direct=True) != '"':
            raise self.unreadable_error("a quote is not closed", start)
        self.pos += 1
        self.depth -= 1
        if len(pieces) == before:
            pieces.append(Text("", True))

    def read_quoted(self, pieces: list[Piece], run: MatchRun, escape: Callable[[str, str], str], *, direct: bool = False) -> str:
        """Reads as `read_unquoted` does, for text that is read as double-quoted: other quotes are left to the caller."""
        text, end = self.text, self.end
        while True:
            match = run(text, self.pos, end)
            if match and match.end() > self.pos:
                value = match[0]
                pieces.append(Text(escape(r"\1", value) if "\\" in value else value, True))
                self.pos = match.end()
            character = text[self.pos] if self.pos < end else ""
            if character == "$":
                self.parse_dollar(pieces, True)
            elif character == "`":
                pieces.append(self.parse_backquoted(True, direct))
            else:
                return character

    def read_ansi_quoted(self, pieces: list[Piece]) -> None:
        """Reads after `$'`."""
        match = _ANSI_RUN(self.text, self.pos, self.end)
        assert match is not None
        if match.end() >= self.end or self.text[match.end()] != "'":
            raise self.unreadable_error("a quote is not closed", self.pos)
        pieces.append(Text(decode_ansi_text(match[0]), True))
        self.pos = match.end() + 1

    def parse_dollar(self, pieces: list[Piece], quoted: bool) -> None:
        """Parses an expansion at a dollar sign, or the sign itself."""
        raise NotImplementedError

    def parse_backquoted(self, quoted: bool, direct: bool = False) -> Substitution:
        """Parses a substitution at a backquote; `direct`: directly within double quotes."""
        raise NotImplementedError

    def parse_process(self) -> Process:
        """Parses `<(`, `>(` or zsh's `=(`."""
        raise NotImplementedError
