"""What a program that only reads does with its operands."""

from typing import NamedTuple


class Reading(NamedTuple):
    """The operands of an observer that are paths, and how each is read."""

    paths: tuple[str, ...]
    contents: bool
    trees: bool


READS_NOTHING = Reading((), contents=False, trees=False)
