"""Tests whether a text is random or written by people: entropy measures its variety, letter pairs tell whether it consists of
words."""

from collections.abc import Callable
from functools import lru_cache
from math import log2

from .expression import Expression
from .literals import build_containment_test


def entropy(text: str) -> float:
    """Returns Shannon's entropy in bits per character: 0 for one repeated character, log2(length) if all differ."""
    length = len(text)
    if length >= len(_TIMES_LOG):
        return log2(length) - sum(count * log2(count) for count in map(text.count, set(text))) / length
    return _LOGARITHMS[length] - sum(map(_TIMES_LOG.__getitem__, map(text.count, set(text)))) / (length or 1)


def is_varied(text: str, bits: float) -> bool:
    """Returns whether the entropy is at least so many bits per character. The number of different characters mostly suffices: the
    entropy is lowest if a single character accounts for all repetitions."""
    length = len(text)
    if length < len(_TIMES_LOG):
        twice = length - len(set(text)) + 1
        if _LOGARITHMS[length] - _TIMES_LOG[twice] / (length or 1) >= bits:
            return True
    return entropy(text) >= bits


_LOGARITHMS = (0.0, *(log2(count) for count in range(1, 512)))
_TIMES_LOG = tuple(count * log for count, log in enumerate(_LOGARITHMS))


def count_digits(text: str) -> int:
    data = text.encode("utf-8", "replace")
    return len(data) - len(data.translate(None, b"0123456789"))


def is_shuffled(text: str) -> bool:
    """Returns whether lower case, capitals, digits and punctuation alternate as in random text."""
    return len(text) > 15 and len(_CHARACTER_RUNS.findall(text)) * 5 >= len(text) * 2


_CHARACTER_RUNS = Expression(r"[a-z]+|[A-Z]+|[0-9]+|[^a-zA-Z0-9]+")


def is_wordy(text: str) -> bool:
    """Returns whether most of it is letters in the sequences of words and names: `client-side-key1` is, `q7Xkw0Zr` is not."""
    runs = _LETTER_RUNS.findall(text)  # split where a capital follows a lower-case letter
    small = " ".join(runs).lower()
    letters = len(small) - len(runs) + 1
    pairs = letters - len(runs)
    if pairs < 3 or letters * 2 < len(text):
        return False
    needed = 5.0 if pairs < 6 else 4.5 if pairs < 10 else 4.2
    return _pair_frequency(small.encode()) / pairs >= needed


def _pair_frequency(small: bytes) -> int:
    """Returns the sum over all letter pairs: those that begin at even places, and those that begin at odd ones."""
    pairs = len(small) // 2 * 2
    odd = small[1 : len(small) - 1 + len(small) % 2]
    table = _PAIR_FREQUENCIES.__getitem__
    return sum(map(table, memoryview(small[:pairs]).cast("H"))) + sum(map(table, memoryview(odd).cast("H")))


_LETTER_RUNS = Expression(r"[A-Z]*[a-z]+|[A-Z]{2,}")


def has_counting_run(text: str, length: int = 8) -> bool:
    """Returns whether it contains so many consecutive characters: `abcdefgh`, `12345678`."""
    return _run_test(length)(text)


@lru_cache(2)
def _run_test(length: int) -> Callable[[str], bool]:
    counting = ("0123456789", "0123456789abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "1234567890")
    return build_containment_test(
        tuple({row[start : start + length]: None for row in counting for start in range(len(row) - length + 1)})
    )


_PAIR_TABLE = """
06762351504767060768444440 52325110530622530442501030 61436216506532721547521030 53347320710423520454410120
64785652403668364887354641 40235510600412620544401030 41217134400424310542410000 60026000500222500324300020
55666560002669750577050405 20002000100000200000300000 20115120400302210041102010 72358311701623730255420060
74137100602341660143400020 62677572604434631267541020 45662440404668560765645300 71337213502612650645412040
00000000000000000010500000 73558341704454740566432040 52537336604433562368623140 73548406802543640765523152
45435430400657350656000000 50106000500010300110000000 50124103500203410432001000 22324301400210140025000210
02213100300224250144011000 20005000200000200000000000
"""
"""How common a letter (column) is after another (row), 0 to 9 by powers of two, over the names and words of Python's library."""
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_PAIR_FREQUENCIES = {
    memoryview(f"{first}{second}".encode()).cast("H")[0]: int(digit)
    for first, row in zip(f"{_ALPHABET} ", (*_PAIR_TABLE.split(), "0" * 26), strict=True)
    for second, digit in zip(f"{_ALPHABET} ", f"{row}0", strict=True)
}
"""Two letters, as the integer that this machine reads from their bytes; runs are joined by a blank."""
