"""Whether all that a command prints goes through filters that leave names or a count, and nothing of the values."""

from collections.abc import Callable

from toolgate.model.effect import Effects


def is_reduced(command: int, effects: Effects, reduces: Callable[[int], bool]) -> bool:
    """Returns whether each command that reads the output reduces it, or reads what such a command left of it. `reduces`: whether
    a command does, by its number. An output that nothing reads is not reduced."""
    consumers = [target for source, target in effects.flows if source == command]
    reducing = {each for each in consumers if reduces(each)}
    return bool(consumers) and all(
        each in reducing or any((one, each) in effects.flows for one in reducing) for each in consumers
    )
