"""Probes built from rows, to be tried where a literal occurs. Expressions are compiled when their literal first occurs."""

from functools import lru_cache

from toolgate.redaction.expression import Expression
from toolgate.redaction.randomness import count_digits, has_counting_run, is_varied, is_wordy
from toolgate.redaction.safe_values import EXAMPLE_CLAIMS, is_placeholder, is_well_known

from .assignments import ASSIGNMENT, HEX
from .forms import Hit, NamedKey, Probe, Token

_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_WORD_EDGE = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"


def build_token_probe(row: Token) -> Probe:
    kind, back, ahead, reach, stops = row.kind, row.back, row.ahead, row.reach, row.stops
    least, variety, digits, masked = row.entropy, row.variety + 2, row.digits, row.masked
    pattern = Expression(_pattern_with_edge(row))

    def probe_token(text: str, start: int, end: int) -> Hit | None:
        if back:
            match = pattern.search(text, max(0, start - back), end + reach)
        elif ahead:
            match = pattern.search(text, end, end + ahead + reach)
        else:
            match = pattern.match(text, start)
        if match is None:
            return None
        group = match.lastindex or 0
        value = match[group]
        if len(set(value)) < variety or (least and not is_varied(value, least)) or (digits and count_digits(value) < digits):
            return None
        if (not masked and is_specimen(value)) or any(stop in value for stop in stops):
            return None
        return Hit(*match.span(group), kind)

    return probe_token


def _pattern_with_edge(row: Token) -> str:
    r"""Returns the pattern with its left edge: text in a JSON string has `\n` before it, text in a URL `%3D`, whose last
    characters are word characters."""
    pattern = row.pattern
    if pattern.startswith(r"\b"):
        return _WORD_EDGE + pattern[2:]
    if pattern.startswith("(?<!["):
        guard, rest = pattern.split("])", 1)
        return rf"(?:{guard}])|(?<=\\[nrt])){rest}"
    if (
        row.back
        or row.ahead
        or pattern.startswith("(?<")
        or not (pattern[0].isalnum() or pattern.startswith(("(?i:", "(?:", "[")))
    ):
        return pattern
    return _EDGE + pattern


@lru_cache(2048)
def is_specimen(value: str) -> bool:
    """Returns whether a value of a token's shape is a made-up example."""
    return (
        has_counting_run(value, 20)
        or "xxxxxx" in value.lower()
        or "EXAMPLE" in value
        or any(claim in value for claim in EXAMPLE_CLAIMS)
        or is_well_known(value)
    )


def build_named_probe(row: NamedKey) -> Probe:
    kind, least = row.kind, row.entropy
    shapes = Expression(f"(?i:{row.shapes})")

    def probe_named(text: str, _start: int, end: int) -> Hit | None:
        match = ASSIGNMENT.match(text, end)
        if match is None:
            return None
        group = match.lastindex or 0
        value = match[group]
        if len(value) < 8:
            return None
        if shapes.fullmatch(value) is None or not is_varied(value, least) or not _may_be_key(value):
            return None
        return Hit(*match.span(group), kind)

    return probe_named


@lru_cache(2048)
def _may_be_key(value: str) -> bool:
    if is_specimen(value) or is_placeholder(value):
        return False
    if count_digits(value) * 6 < len(value) and not HEX.fullmatch(value) and is_wordy(value):
        return False
    return not value.isalpha() or value.islower() or value.isupper()
