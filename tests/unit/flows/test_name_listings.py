"""Tests that the filters behind a command are each looked at once, however many ways lead to them."""

from toolgate.flows.name_listings import is_limited
from toolgate.model.effect import DEFAULT_ORIGIN, Effects, Run
from toolgate.model.word import known_word

COUNT = 40


def test_each_filter_is_looked_at_once() -> None:
    """Every command reads the output of every one before it, as in functions that a loop calls."""
    runs = tuple(Run((known_word("cat"),), DEFAULT_ORIGIN._replace(command=number)) for number in range(COUNT))
    effects = Effects(runs, frozenset((source, target) for target in range(COUNT) for source in range(target)))
    looked_at: list[int] = []

    def prints_nothing(run: Run, _reads_file: bool) -> bool:
        looked_at.append(run.origin.command)
        return run.origin.command == COUNT - 1

    assert not is_limited(0, effects, prints_nothing, reads_file=True)
    assert len(looked_at) == len(set(looked_at)) <= COUNT


def test_all_readers_of_a_filter_have_to_reduce() -> None:
    counting, showing = (Run((known_word(name),), DEFAULT_ORIGIN._replace(command=at)) for at, name in ((2, "wc"), (3, "curl")))
    first = Run((known_word("cat"),), DEFAULT_ORIGIN._replace(command=1))

    def counts(run: Run, _reads_file: bool) -> bool:
        return run is counting

    assert is_limited(1, Effects((first, counting), frozenset(((1, 2),))), counts, reads_file=True)
    assert not is_limited(1, Effects((first, counting, showing), frozenset(((1, 2), (1, 3)))), counts, reads_file=True)
    assert not is_limited(1, Effects((first, counting)), counts, reads_file=True)
