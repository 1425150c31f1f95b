"""Secrets in one level of wrapping: base64, percent-encoding, the escape sequences of a terminal.

Anchored like everything else: what is looked for is how the commonest marks look in base64 at each of its three alignments.
"""

from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from .detectors.forms import Hit
from .expression import Expression

Find = Callable[[str], list[Hit]]
Mark = tuple[int, int]
"""Which of `marks()`, and where it begins."""
_MARKS = (
    "ghp_ gho_ ghs_ ghu_ github_pat_ glpat- AKIA ASIA sk-ant- sk-proj- sk_live_ rk_live_ xoxb- xoxp- AIzaSy npm_ pypi-Ag hf_ dop_v1_"
    " SG. eyJhbG eyJ0eX eyJraW -----BEGIN password Password PASSWORD passwd secret_ SECRET_ _secret _SECRET token _TOKEN api_key API_KEY apikey apiKey"
    " _authToken"
)
_RUN = Expression(r"[A-Za-z0-9+/_-]{0,16384}")
_PADDING = Expression(r"={0,2}")
_PERCENT = Expression(r"%(?:3[aAdD]|2[2fF]|40|7[bBdD])")
_UNBROKEN = Expression(r"[^\s\"'<>`]{0,2048}")
_BYTE = Expression(r"%([0-9A-Fa-f]{2})")
_COLOURS = Expression(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|[()][A-B0-2]|[=>78cDEHM])|\x0f")


def find(text: str, packed: Iterable[Mark], inner: Find) -> Iterator[Hit]:
    """`packed`: where marks stand in base64. `inner` looks into what was unwrapped; what it finds there hides the whole wrapping."""
    yield from _base64(text, packed, inner)
    if "%" in text:
        yield from _percent(text, inner)


def _base64(text: str, packed_marks: Iterable[Mark], inner: Find) -> Iterator[Hit]:
    done = 0
    for number, start in packed_marks:
        if start < done:
            continue
        lead = _leads()[number]
        before = _RUN.match(text[max(0, start - 16_384) : start][::-1])
        length = before.end() if before else 0
        begin = start - length + (length - lead) % 4  # where four characters make three bytes
        after = _RUN.match(text, start)
        end = after.end() if after else start
        if end - begin < 24 or begin > start:
            continue
        packed = text[begin:end].replace("-", "+").replace("_", "/")
        try:
            plain = a2b_base64(packed[: len(packed) // 4 * 4] + _rest(packed)).decode("latin-1")
        except (Error, ValueError):
            continue
        if any(hit.kind != "email" for hit in inner(plain)):
            padding = _PADDING.match(text, end)
            done = padding.end() if padding else end
            yield Hit(start - length, done, "encoded-secret")


def _rest(packed: str) -> str:
    """The last, incomplete group of characters, padded; one character alone holds no byte."""
    rest = packed[len(packed) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


@lru_cache(1)
def _aligned() -> dict[str, int]:
    """How the marks look in base64 -> how many characters of a group of four stand before it."""
    found: dict[str, int] = {}
    for mark in _MARKS.split():
        for shift in range(3):
            packed = b2a_base64(b"\0" * shift + mark.encode(), newline=False).decode()
            lead = (0, 2, 3)[shift]
            whole = (shift + len(mark)) * 8 // 6
            if whole - lead >= 4:
                found.setdefault(packed[lead:whole], lead)
    return found


def marks() -> tuple[str, ...]:
    """How the marks look in base64; a Mark has the number of one of these."""
    return tuple(_aligned())


@lru_cache(1)
def _leads() -> tuple[int, ...]:
    return tuple(_aligned().values())


def _percent(text: str, inner: Find) -> Iterator[Hit]:
    done = 0
    for mark in _PERCENT.finditer(text):
        if mark.start() < done:
            continue
        before = _UNBROKEN.match(text[max(done, mark.start() - 512) : mark.start()][::-1])
        begin = mark.start() - (before.end() if before else 0)
        after = _UNBROKEN.match(text, mark.start())
        done = after.end() if after else mark.end()
        plain, places = _decoded(text, begin, done)
        for hit in inner(plain):
            if hit.kind != "email" and "%" in text[places[hit.start] - 9 : places[hit.end]]:
                yield Hit(places[hit.start], places[hit.end], hit.kind)


def _decoded(text: str, begin: int, end: int) -> tuple[str, list[int]]:
    """The text without its percent signs, and where each character of it stood; one more place for its end."""
    plain: list[str] = []
    places: list[int] = []
    at = begin
    while at < end:
        byte = _BYTE.match(text, at, end)
        plain.append(chr(int(byte[1], 16)) if byte else text[at])
        places.append(at)
        at = byte.end() if byte else at + 1
    return "".join(plain), [*places, end]


def without_escapes(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as a person sees it, and pairs (where a piece begins in it, where it began before)."""
    pieces: list[str] = []
    kept: list[tuple[int, int]] = [(0, 0)]
    length = at = 0
    for escape in _COLOURS.finditer(text):
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
