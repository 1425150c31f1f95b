"""Whether all that a command prints goes through filters that leave names or a count, and nothing of the values."""

from collections.abc import Callable

from toolgate.model.effect import Effects


def is_reduced(command: int, effects: Effects, reduces: Callable[[int], bool]) -> bool:
    """Returns whether each command that reads the output reduces it, or reads what such a command left of it. `reduces`: whether
    a command does, by its number. An output that nothing reads is not reduced."""
    readers = effects.readers_of(command)
    reducing = {each for each in readers if reduces(each)}
    reached = reducing.union(*(effects.readers_of(each) for each in reducing))
    return bool(readers) and reached.issuperset(readers)
