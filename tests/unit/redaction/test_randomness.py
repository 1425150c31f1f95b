"""The fast paths to an answer agree with the slow ones."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from toolgate.redaction import randomness

VALUES = st.text(max_size=40) | st.text("abcdefABCDEF0123456789-_/+", max_size=300)


@given(VALUES, st.floats(0, 6))
def test_varied_is_what_has_the_entropy(text: str, bits: float) -> None:
    exact = randomness.entropy(text)
    if abs(exact - bits) > 1e-9:
        assert randomness.is_varied(text, bits) == (exact >= bits)


def test_a_text_with_exactly_the_entropy_is_varied() -> None:
    assert randomness.is_varied("aabb", 1.0)
    assert not randomness.is_varied("aaab", 1.0)


def test_pairs_of_letters_count_within_a_run_alone() -> None:
    """No letter of a word stands between two runs: each run by itself gives the same result."""
    for text in ("clientSideKey1", "q7Xkw0Zr9LmP", "theREmember", "INTO_the-valley"):
        runs = [run.lower() for run in randomness._LETTER_RUNS.findall(text)]
        weight = sum(randomness._pair_frequency(pair.encode()) for run in runs for pair in map("".join, pairwise(run)))
        pairs = sum(len(run) - 1 for run in runs)
        needed = 5.0 if pairs < 6 else 4.5 if pairs < 10 else 4.2
        assert randomness.is_wordy(text) == (pairs >= 3 and sum(map(len, runs)) * 2 >= len(text) and weight / pairs >= needed)
