"""Writing endlessly or more than a disk holds, taking memory endlessly.

What never ends is followed through the programs that pass it on. A full disk stops databases, logs and logins alike, and a
machine without memory kills arbitrary processes. Set a limit: `dd ... count=`, `head -c`.
"""

from collections.abc import Iterator

from toolgate.flows.endless import list_endless_commands
from toolgate.model.decision import Match
from toolgate.model.effect import Effects, Operation, Run, Write
from toolgate.model.place import Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import Word


def check(effect: Operation | Write, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation) and effect.name == "memory.fill":
        message = f"Takes memory until this machine has none left: {context.effects.describe(effect)}."
        yield Match(effect, message, instead="work on a part at a time.")
        return
    if isinstance(effect, Operation) and effect.name == "disk.allocate":
        if effect.target is None or not _is_free_space(effect.target, context.effects):
            return
        name = "a file"
    elif isinstance(effect, Operation):
        name = effect.target.display_text if effect.target else "a file"
    elif _is_file(effect.place) and effect.origin.command in context.effects.derive(list_endless_commands):
        name = effect.place.display_text
    else:
        return
    yield Match(effect, f"Writes to {name} until the disk is full.", instead="write a known number of bytes.")


def _is_file(place: Place) -> bool:
    return not (place.path or place.anchor or "").startswith("/dev/")


def _is_free_space(size: Word, effects: Effects) -> bool:
    """Returns whether a size is what `df` says is free."""
    feeding = effects.commands_feeding(size.src)
    return any(run.origin.command in feeding and run.argv[0].file_name == "df" for run in effects.of_kind(Run) if run.argv)
