"""Output that whoever started a call reads."""

from collections.abc import Callable

from toolgate.model.effect import Effects


def is_displayed(command: int, effects: Effects, passes: Callable[[int], bool]) -> bool:
    """Returns whether a command's output reaches the caller, directly or through commands that pass it on."""
    reached, waiting = {command}, [command]
    while waiting:
        source = waiting.pop()
        if source in effects.shown:
            return True
        for target in effects.readers_of(source):
            if target not in reached and passes(target):
                reached.add(target)
                waiting.append(target)
    return False
