"""awk programs: system(), pipes and redirections with literal text; computed text is unknown."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, PrintedOutput, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, known_word, unknown_word

from . import word_from_text

_STRING = r'"((?:\\.|[^"\\])*)"'
_WORDS = r'(?:"(?:\\.|[^"\\])*"|[^">|;}\n])*'
_SYSTEM = re.compile(r"\bsystem\s*\(\s*(?:" + _STRING + r"\s*\)|([^)]*)\))")
_PIPE_OUT = re.compile(r"\bprintf?\b" + _WORDS + r"\|&?\s*(?:" + _STRING + r"|([A-Za-z_$]\w*))")
_PIPE_IN = re.compile(_STRING + r"\s*+\|&?\s*+getline|\b([A-Za-z_]\w*+)\s*+\|&?\s*+getline")
_ENDLESS_STARTS = re.compile(r"(?:\bwhile\s*\(\s*1\s*\)|\bfor\s*\(\s*;\s*;\s*\))\s*\{?\s*system\s*\(\s*\"[^\"]*&\s*\"")
_CHARACTER_CODES = re.compile(r"\bprintf?\b[^;}]*(?:%c|\\x[4-7][0-9a-fA-F]|\\1[0-7][0-7])")
"""Characters printed by their codes."""
_NETWORK_FILE = re.compile(r"/inet[46]?/(?:tcp|udp)/")
_FILE = re.compile(r"\bprintf?\b" + _WORDS + r"(>>?)\s*(?:" + _STRING + r"|([A-Za-z_$][\w$]*))")


_VARIABLE = r'ENVIRON\[\s*"[^"]*"\s*\]'
_COMPUTED_FILE = re.compile(
    r"\bprintf?\b" + _WORDS + r">>?\s*\(?((?:" + _STRING + "|" + _VARIABLE + r"|[ \t]|[A-Za-z_$][\w$]*)+)"
)
_TERM = re.compile(_STRING + r'|ENVIRON\[\s*"([^"]*)"\s*\]|([A-Za-z_$][\w$]*)')
"""A term of a concatenation."""


def _concatenate_terms(expression: str, seen: ExecutionContext) -> Word:
    """Returns a file name concatenated from several terms; an empty word for a single term, which `_FILE` reads."""
    pieces = list(_TERM.finditer(expression))
    result = EMPTY
    for piece in pieces if len(pieces) > 1 else ():
        if piece[1] is not None:
            result = result + word_from_text(piece[1])
        elif piece[2] is not None:
            value = known_word(seen.home) if piece[2] == "HOME" else seen.get_variable(piece[2])
            result = result + (unknown_word(f"${piece[2]}") if value is None else value)
        else:
            result = result + unknown_word(piece[3])
    return result


def read(_code: Interpret, text: str, seen: ExecutionContext) -> Iterator[ReportedEffect]:
    if _NETWORK_FILE.search(text) and "getline" in text:
        yield Operation("network.shell", seen.origin)
    if _CHARACTER_CODES.search(text):
        yield Operation("text.decode", seen.origin)
    if _ENDLESS_STARTS.search(text):
        yield Operation("process.replicate", seen.origin)
    for pattern in (_SYSTEM, _PIPE_OUT, _PIPE_IN):
        for match in pattern.finditer(text):
            yield Interpret("shell", _literal_word(match[1], match[2]), seen.origin, via="awk")
    for match in _COMPUTED_FILE.finditer(text):
        file = _concatenate_terms(match[1], seen)
        if file.head or file.text:
            yield Write(seen.resolve_place(file), None, None, seen.origin)
    for match in _FILE.finditer(text):
        if match[2] is not None and match[2] not in ("/dev/stderr", "/dev/stdout"):
            yield Write(seen.resolve_place(word_from_text(match[2])), None, match[1] == ">>", seen.origin)
    yield PrintedOutput(seen.unknown_output("awk"))


def _literal_word(text: str | None, computed: str | None) -> Word:
    return word_from_text(text.replace('\\"', '"')) if text is not None else unknown_word(computed or "awk")
