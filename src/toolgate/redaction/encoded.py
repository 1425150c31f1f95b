"""Secrets within one level of encoding: base64 (also wrapped into lines), percent-encoding, terminal escape sequences.

The search is anchored, too: it looks for the base64 forms of the commonest marks, at each of the three alignments.
"""

from binascii import Error, a2b_base64, b2a_base64
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .detectors.forms import Hit
from .expression import Expression

SecretFinder = Callable[[str], list[Hit]]
Mark = tuple[int, int]
"""The index of one of `marks()`, and where it begins."""
MarkFinder = Callable[[str], Iterable[Mark]]
_MARKS = (
    "ghp_ gho_ ghs_ ghu_ github_pat_ glpat- AKIA ASIA sk-ant- sk-proj- sk_live_ rk_live_ xoxb- xoxp- AIzaSy npm_ pypi-Ag hf_ dop_v1_"
    " SG. eyJhbG eyJ0eX eyJraW -----BEGIN password Password PASSWORD passwd secret_ SECRET_ _secret _SECRET token _TOKEN api_key API_KEY apikey apiKey"
    ' _authToken "auth'
)
_URL_MARK = "://"
"""Frequent in the base64 of pages and source maps: it counts only for a password in the URL itself."""
_BASE64_RUN = Expression(r"[A-Za-z0-9+/_-]{0,16384}")
_PADDING = Expression(r"={0,2}")
_CONTINUATION_LINES = (
    ("\n", Expression(r"\n[ \t]*+([A-Za-z0-9+/]++={0,2}+)\r?+(?=\n|\Z)")),
    ("\\n", Expression(r"\\n([A-Za-z0-9+/]++={0,2}+)(?=\\|\"|\Z)")),
)
"""A line of base64 only, after another one; in a JSON string the line end is an escape sequence."""
_MIN_LINE_WIDTH = 48
"""Characters per line of wrapped base64: 64 in PEM (RFC 7468), 76 in MIME (RFC 2045)."""
_PERCENT_MARK = Expression(r"%(?:3[aAdD]|2[2fF]|40|7[bBdD]|[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2}){7})")
"""A character that separates parts of a URL, or text in which every character is encoded."""
_UNBROKEN_TEXT = Expression(r"[^\s\"'<>`]{0,6144}")
_BYTE = Expression(r"%([0-9A-Fa-f]{2})")
_TERMINAL_ESCAPE = Expression(
    r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[()][A-B0-2]|[=>78cDEHM])|\x0f"
)


def find(text: str, packed: Iterable[Mark], inner: SecretFinder, marks_in: MarkFinder) -> Iterator[Hit]:
    """Yields the secrets in encoded parts of the text; in base64, a hit is the whole of the encoded part.

    `packed`: positions of marks in base64. `inner` finds secrets in decoded text, `marks_in` finds marks in unwrapped base64.
    """
    yield from _find_in_base64(text, packed, inner)
    yield from _find_in_wrapped_base64(text, inner, marks_in)
    if "%" in text:
        yield from _find_in_percent_encoding(text, inner)


def _find_in_base64(text: str, packed_marks: Iterable[Mark], inner: SecretFinder) -> Iterator[Hit]:
    done = begin = end = 0
    decoded: dict[int, set[str]] = {}
    for number, start in packed_marks:
        if start < done:
            continue
        if not begin <= start < end:  # otherwise it is in the same run as the mark before
            before = _BASE64_RUN.match(text[max(0, start - 16_384) : start][::-1])
            begin = start - (before.end() if before else 0)
            after = _BASE64_RUN.match(text, start)
            end = after.end() if after else start
            decoded = {}
        lead, only = _packed_marks()[number]
        shift = (start - begin - lead) % 4  # from there, four characters encode three bytes
        if end - begin - shift < 24 or begin + shift > start:
            continue
        if shift not in decoded:
            decoded[shift] = _kinds_in_base64(text[begin + shift : end], inner)
        if (only in decoded[shift]) if only else decoded[shift]:
            padding = _PADDING.match(text, end)
            done = padding.end() if padding else end
            yield Hit(begin, done, "encoded-secret")


def _kinds_in_base64(packed: str, inner: SecretFinder) -> set[str]:
    """Returns the kinds of secrets in the decoded text."""
    packed = packed.replace("-", "+").replace("_", "/")
    try:
        plain = a2b_base64(packed[: len(packed) // 4 * 4] + _padded_rest(packed)).decode("latin-1")
    except (Error, ValueError):
        return set()
    return {hit.kind for hit in inner(plain)} - {"email"}


def _find_in_wrapped_base64(text: str, inner: SecretFinder, marks_in: MarkFinder) -> Iterator[Hit]:
    """Yields the secrets in base64 that is wrapped into lines, each with all of its lines."""
    for line_end, continued in _CONTINUATION_LINES:
        if line_end not in text:
            continue
        lines: list[tuple[int, int]] = []
        for line in continued.finditer(text):
            if lines and text[lines[-1][1] : line.start()] in ("", "\r"):
                lines.append(line.span(1))
            else:
                yield from _find_in_joined_lines(text, lines, inner, marks_in)
                before = _BASE64_RUN.match(text[max(0, line.start() - 1024) : line.start()].removesuffix("\r")[::-1])
                length = before.end() if before else 0
                first = line.start() - (text[line.start() - 1] == "\r" if line.start() else 0)
                lines = [(first - length, first), line.span(1)] if length >= _MIN_LINE_WIDTH else []
            if lines and line.end(1) - line.start(1) < _MIN_LINE_WIDTH:  # the last line of a block
                yield from _find_in_joined_lines(text, lines, inner, marks_in)
                lines = []
        yield from _find_in_joined_lines(text, lines, inner, marks_in)


def _find_in_joined_lines(text: str, lines: list[tuple[int, int]], inner: SecretFinder, marks_in: MarkFinder) -> Iterator[Hit]:
    if not lines:
        return
    joined = "".join(text[start:end] for start, end in lines)
    starts: list[int] = []
    length = 0
    for start, end in lines:
        starts.append(length)
        length += end - start

    def original_index(index: int) -> int:
        line = bisect_right(starts, index) - 1
        return lines[line][0] + index - starts[line]

    for hit in _find_in_base64(joined, marks_in(joined), inner):
        yield Hit(original_index(hit.start), original_index(hit.end - 1) + 1, hit.kind)


def _padded_rest(packed: str) -> str:
    """Returns the last, incomplete group of characters, padded; a single character encodes no byte."""
    rest = packed[len(packed) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


class _PackedMark(NamedTuple):
    """How many characters of a group of four precede a mark in base64, and the only kind that it marks, if any."""

    lead: int
    only: str = ""


@lru_cache(1)
def _marks_by_alignment() -> dict[str, _PackedMark]:
    """Returns the base64 forms of the marks."""
    found: dict[str, _PackedMark] = {}
    for mark in (*_MARKS.split(), _URL_MARK):
        only, least = ("url-password", 3) if mark == _URL_MARK else ("", 4)
        for shift in range(3):
            packed = b2a_base64(b"\0" * shift + mark.encode(), newline=False).decode()
            lead = (0, 2, 3)[shift]
            full_length = (shift + len(mark)) * 8 // 6
            if full_length - lead >= least:
                found.setdefault(packed[lead:full_length], _PackedMark(lead, only))
    return found


def base64_marks() -> tuple[str, ...]:
    """Returns the base64 forms of the marks; a Mark has the index of one of them."""
    return tuple(_marks_by_alignment())


@lru_cache(1)
def _packed_marks() -> tuple[_PackedMark, ...]:
    return tuple(_marks_by_alignment().values())


def _find_in_percent_encoding(text: str, inner: SecretFinder) -> Iterator[Hit]:
    done = 0
    for mark in _PERCENT_MARK.finditer(text):
        if mark.start() < done:
            continue
        before = _UNBROKEN_TEXT.match(text[max(done, mark.start() - 512) : mark.start()][::-1])
        begin = mark.start() - (before.end() if before else 0)
        after = _UNBROKEN_TEXT.match(text, mark.start())
        done = after.end() if after else mark.end()
        plain, places = _decode_percent(text, begin, done)
        for hit in inner(plain):
            if hit.kind != "email" and "%" in text[places[hit.start] - 9 : places[hit.end]]:
                yield Hit(places[hit.start], places[hit.end], hit.kind)


def _decode_percent(text: str, begin: int, end: int) -> tuple[str, list[int]]:
    """Returns the text with its percent signs decoded, and the original position of each character and of the end."""
    plain: list[str] = []
    places: list[int] = []
    at = begin
    while at < end:
        byte = _BYTE.match(text, at, end)
        plain.append(chr(int(byte[1], 16)) if byte else text[at])
        places.append(at)
        at = byte.end() if byte else at + 1
    return "".join(plain), [*places, end]


def strip_escapes(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Returns the text as displayed, and pairs (start of a piece in it, its original start)."""
    pieces: list[str] = []
    kept: list[tuple[int, int]] = [(0, 0)]
    length = at = 0
    for escape in _TERMINAL_ESCAPE.finditer(text):
        if escape.start() > at:
            pieces.append(text[at : escape.start()])
            length += escape.start() - at
        at = escape.end()
        if kept[-1][0] == length:
            kept[-1] = (length, at)
        else:
            kept.append((length, at))
    pieces.append(text[at:])
    return "".join(pieces), kept
