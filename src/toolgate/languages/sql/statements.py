"""Splits SQL text into statements and client commands, by words, strings and comments only: linear, also for invalid text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MYSQL = frozenset(("mysql", "mariadb", "mycli", "mysqlsh"))
POSTGRES = frozenset(("psql", "pgcli", "cockroach", "usql"))
SQLITE = frozenset(("sqlite3", "sqlite", "litecli", "duckdb"))
SQL_SERVER = frozenset(("sqlcmd", "mssql-cli", "osql"))


@dataclass(frozen=True, slots=True)
class Token:
    """`kind`: word, string (without quotes), name (quoted), mark."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text.upper() if self.kind == "word" else ""


@dataclass(slots=True)
class Statement:
    """`command`: a line for the client itself; otherwise empty."""

    tokens: list[Token] = field(default_factory=list)
    text: str = ""
    command: str = ""

    def starts_with(self, *words: str) -> bool:
        return bool(self.tokens) and self.tokens[0].word in words

    @property
    def words(self) -> list[str]:
        return [token.word for token in self.tokens if token.kind == "word"]


_COMMON_TOKENS = r"""
   (?P<space>\s+)
 | (?P<open>/\*)
 | (?P<string>[eE]?'[^']*(?:''[^']*)*')
 | (?P<name>"[^"]*(?:""[^"]*)*" | `[^`]*`)
 | (?P<dollar>\$(?:[A-Za-z_]\w*)?\$)
 | (?P<word>[A-Za-z_@\#\u0080-\uffff][\w$@\#]*)
 | (?P<number>\d[\w.]*)
"""
_STANDARD_TOKENS = re.compile(r"(?P<comment>--[^\n]*) |" + _COMMON_TOKENS + r"| (?P<mark>.)", re.VERBOSE | re.DOTALL)
_BACKSLASH_TOKENS = re.compile(
    r"(?P<comment>--(?=\s|\Z)[^\n]* | \#[^\n]*) |"
    + _COMMON_TOKENS.replace(r"""[eE]?'[^']*(?:''[^']*)*'""", r"""'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*\"""").replace(
        r""""[^"]*(?:""[^"]*)*" | """, ""
    )
    + r"| (?P<mark>.)",
    re.VERBOSE | re.DOTALL,
)
_BRACKET_TOKENS = re.compile(
    r"(?P<comment>--[^\n]*) |" + _COMMON_TOKENS.replace("| `[^`]*`", r"| \[[^\]]*\]") + r"| (?P<mark>.)", re.VERBOSE | re.DOTALL
)
_QUOTE_MARKS = frozenset("'\"`[")
_ESCAPED_STRING = re.compile(r"[eE]'(?:[^'\\]|\\.|'')*'", re.DOTALL)
_LINE_WORDS = {**dict.fromkeys(MYSQL, ("system", "source", "tee", "pager"))}
_OBJECTS_WITH_BODIES = frozenset(("TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "PACKAGE"))


def split_statements(text: str, client: str) -> Iterator[Statement]:
    """Yields the statements in order, and the client's own commands between them."""
    now, start, at, depth = Statement(), 0, 0, 0
    for token in _tokenize(text, client):
        if token.start < at:
            continue  # part of a command's line
        ends = _find_end_kind(token, now, client)
        if ends == "command":
            if now.tokens:
                now.text = text[start : token.start]
                yield now
            end = _find_command_end(text, token.start, client)
            yield Statement(command=text[token.start : end])
            now, at, start, depth = Statement(), end, end, 0
            continue
        if token.word in ("BEGIN", "CASE") and _has_body(now):
            depth += 1
        elif token.word == "END" and depth:
            depth -= 1
        if ends and not depth:
            if now.tokens:
                now.text = text[start : token.start]
                yield now
            now, start = Statement(), token.end
        else:
            now.tokens.append(token)
    if now.tokens:
        now.text = text[start:]
        yield now


def _find_command_end(text: str, at: int, client: str) -> int:
    """Returns the end of a client's command: mostly the line's; in psql the start of the next command (`\\\\` ends one); in
    MySQL mostly one letter."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    if client in POSTGRES and not text.startswith(("\\!", "\\copy"), at):
        following = text.find("\\", at + 1, end)
        return following if following > at + 1 else at + 2 if following > 0 else end
    if client in MYSQL and text[at] == "\\" and text[at + 1 : at + 2] not in ("!", ".", "T", "P", "R", "u", "d"):
        return at + 2
    return end


def _has_body(statement: Statement) -> bool:
    return statement.starts_with("CREATE", "ALTER") and not _OBJECTS_WITH_BODIES.isdisjoint(
        token.word for token in statement.tokens[:8]
    )


def _find_end_kind(token: Token, now: Statement, client: str) -> str:
    """Returns `;`, or `command` at the start of a client's command."""
    if token.text == ";":
        return ";"
    if token.text == "\\" and (client in POSTGRES or client in MYSQL):
        return "command"
    if client in SQL_SERVER and token.word == "GO":
        return ";"
    if not now.tokens:
        if client in SQLITE and token.text == ".":
            return "command"
        if client in SQL_SERVER and token.text in (":", "!"):
            return "command"
        if token.text.lower() in _LINE_WORDS.get(client, ()) and token.kind == "word":
            return "command"
    return ""


def _tokenize(text: str, client: str) -> Iterator[Token]:
    mysql = client in MYSQL
    pattern = _BACKSLASH_TOKENS if mysql or client in ("bq", "clickhouse-client", "clickhouse") else _STANDARD_TOKENS
    if client in SQL_SERVER or client in SQLITE:
        pattern = _BRACKET_TOKENS
    at, size = 0, len(text)
    open_ended: set[str] = set()  # quotes without an end from here on: searching for it again would take quadratic time
    while at < size:
        if text[at] in open_ended:
            yield Token("mark", text[at], at, at + 1)
            at += 1
            continue
        match = pattern.match(text, at)
        assert match is not None  # any character is a mark
        kind, end = match.lastgroup or "mark", match.end()
        found = match[0]
        if kind == "open":
            end = _find_comment_end(text, at, mysql=mysql)
        elif kind == "string":
            if found[0] in "eE" and "\\" in found and "escape" not in open_ended:
                escaped = _ESCAPED_STRING.match(text, at)
                found, end = (escaped[0], escaped.end()) if escaped else (found, end)
                if escaped is None:
                    open_ended.add("escape")
            yield Token("string", _strip_quotes(found), at, end)
        elif kind == "dollar" and not mysql:
            close = text.find(found, end)
            close = size if close < 0 else close
            yield Token("string", text[end:close], at, min(size, close + len(found)))
            end = min(size, close + len(found))
        elif kind == "mark" and text.startswith("*/", at):
            end = at + 2  # the end of a comment that MySQL runs
        elif kind not in ("space", "comment"):
            if kind == "mark" and found in _QUOTE_MARKS:
                open_ended.add(found)
            yield Token(kind if kind in ("word", "name") else "mark", found, at, end)
        at = end


def _strip_quotes(found: str) -> str:
    found = found[found.index("'") :] if found[0] in "eE" else found
    quote = found[0]
    return found[1:-1].replace(quote * 2, quote)


_COMMENT_EDGE = re.compile(r"/\*|\*/")


def _find_comment_end(text: str, at: int, *, mysql: bool) -> int:
    """Returns the end of a comment; in PostgreSQL comments nest. MySQL runs the content of `/*! .. */`."""
    if mysql and text.startswith(("/*!", "/*M!"), at):
        end = text.index("!", at) + 1
        while end < len(text) and text[end].isdigit():
            end += 1
        return end
    if mysql:
        end = text.find("*/", at + 2)
        return len(text) if end < 0 else end + 2
    first_end = text.find("*/", at + 2)
    nested = _COMMENT_EDGE.finditer(text, at)
    depth = 0
    for edge in nested:
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    return len(text) if first_end < 0 else first_end + 2
