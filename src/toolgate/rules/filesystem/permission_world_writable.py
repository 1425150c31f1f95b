"""Letting every account on the machine write a file (`chmod 777`, `o+w`).

Any other program on the machine can then change what the project runs. `chmod +x` or `chmod u+rwX` is usually what is meant.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.made_folders import is_made_here
from toolgate.model.decision import Match
from toolgate.model.effect import Permission
from toolgate.model.file_mode import is_world_writable
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext


@dataclass(frozen=True, slots=True)
class Options:
    """`only_recursive`: opening a single file passes."""

    only_recursive: bool = False


def check(effect: Permission, options: Options, context: RuleContext) -> Iterator[Match]:
    mode = effect.mode.text
    if effect.place.machine != LOCAL or mode is None or (options.only_recursive and effect.recursive is False):
        return
    if is_world_writable(mode) and not is_made_here(effect.place.word, effect, context.effects):
        yield Match(
            effect,
            f"Lets every account on this machine write to {effect.place.display_text} (mode {mode}).",
            instead="chmod u+rwX",
            advice="let only the owner or a group write it.",
        )
