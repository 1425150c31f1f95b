"""Writing endlessly or more than a disk holds, taking memory endlessly.

A full disk stops databases, logs and logins alike, and a machine without memory kills arbitrary processes. Set a limit: `dd ...
count=`, `head -c`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Effects, Operation, Write
from toolgate.model.place import Place
from toolgate.model.rule import RuleContext


def check(effect: Operation | Write, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation) and effect.name == "memory.fill":
        message = f"Takes memory until this machine has none left: {context.effects.describe(effect)}."
        yield Match(effect, message, instead="work on a part at a time.")
        return
    if isinstance(effect, Operation):
        name = effect.target.display_text if effect.target else "a file"
    elif effect.content is not None and _is_file(effect.place) and _is_endless_output(effect, context):
        name = effect.place.display_text
    else:
        return
    yield Match(effect, f"Writes to {name} until the disk is full.", instead="write a known number of bytes.")


def _is_file(place: Place) -> bool:
    return not (place.path or place.anchor or "").startswith("/dev/")


def _is_endless_output(write: Write, context: RuleContext) -> bool:
    """Returns whether the command that prints endlessly writes the file itself, with nothing between that stops it."""
    return write.origin.command in context.effects.derive(_list_endless_commands)


def _list_endless_commands(effects: Effects) -> frozenset[int]:
    return frozenset(each.origin.command for each in effects.of_kind(Operation) if each.name == "output.endless")
