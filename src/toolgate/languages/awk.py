"""awk programs: system(), pipes and redirections with literal text; computed text is unknown."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Prints, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Word, known, unknown

from . import word

_STRING = r'"((?:\\.|[^"\\])*)"'
_WORDS = r'(?:"(?:\\.|[^"\\])*"|[^">|;}\n])*'
_SYSTEM = re.compile(r"\bsystem\s*\(\s*(?:" + _STRING + r"\s*\)|([^)]*)\))")
_PIPE_OUT = re.compile(r"\bprintf?\b" + _WORDS + r"\|&?\s*(?:" + _STRING + r"|([A-Za-z_$]\w*))")
_PIPE_IN = re.compile(_STRING + r"\s*+\|&?\s*+getline|\b([A-Za-z_]\w*+)\s*+\|&?\s*+getline")
_STARTS_ENDLESSLY = re.compile(r"(?:\bwhile\s*\(\s*1\s*\)|\bfor\s*\(\s*;\s*;\s*\))\s*\{?\s*system\s*\(\s*\"[^\"]*&\s*\"")
_BY_NUMBERS = re.compile(r"\bprintf?\b[^;}]*(?:%c|\\x[4-7][0-9a-fA-F]|\\1[0-7][0-7])")
"""Characters printed by their codes."""
_CONNECTED = re.compile(r"/inet[46]?/(?:tcp|udp)/")
_FILE = re.compile(r"\bprintf?\b" + _WORDS + r"(>>?)\s*(?:" + _STRING + r"|([A-Za-z_$][\w$]*))")


_VARIABLE = r'ENVIRON\[\s*"[^"]*"\s*\]'
_COMPUTED_FILE = re.compile(
    r"\bprintf?\b" + _WORDS + r">>?\s*\(?((?:" + _STRING + "|" + _VARIABLE + r"|[ \t]|[A-Za-z_$][\w$]*)+)"
)
_PIECE = re.compile(_STRING + r'|ENVIRON\[\s*"([^"]*)"\s*\]|([A-Za-z_$][\w$]*)')
"""A term of a concatenation."""


def _concatenated(expression: str, seen: Seen) -> Word:
    """Returns a file name concatenated from several terms; an empty word for a single term, which `_FILE` reads."""
    pieces = list(_PIECE.finditer(expression))
    result = EMPTY
    for piece in pieces if len(pieces) > 1 else ():
        if piece[1] is not None:
            result = result + word(piece[1])
        elif piece[2] is not None:
            value = known(seen.home) if piece[2] == "HOME" else seen.variable(piece[2])
            result = result + (unknown(f"${piece[2]}") if value is None else value)
        else:
            result = result + unknown(piece[3])
    return result


def read(_code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    if _CONNECTED.search(text) and "getline" in text:
        yield Operation("network.shell", seen.origin)
    if _BY_NUMBERS.search(text):
        yield Operation("text.decode", seen.origin)
    if _STARTS_ENDLESSLY.search(text):
        yield Operation("process.replicate", seen.origin)
    for pattern in (_SYSTEM, _PIPE_OUT, _PIPE_IN):
        for match in pattern.finditer(text):
            yield Interpret("shell", _literal(match[1], match[2]), seen.origin, via="awk")
    for match in _COMPUTED_FILE.finditer(text):
        file = _concatenated(match[1], seen)
        if file.head or file.text:
            yield Write(seen.place(file), None, None, seen.origin)
    for match in _FILE.finditer(text):
        if match[2] is not None and match[2] not in ("/dev/stderr", "/dev/stdout"):
            yield Write(seen.place(word(match[2])), None, match[1] == ">>", seen.origin)
    yield Prints(seen.output("awk"))


def _literal(text: str | None, computed: str | None) -> Word:
    return word(text.replace('\\"', '"')) if text is not None else unknown(computed or "awk")
