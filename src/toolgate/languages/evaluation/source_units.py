"""The texts that one evaluation reads: the code itself, and each module that it loads."""

from typing import NamedTuple

from toolgate.model.effect import Origin


class SourceUnit(NamedTuple):
    """A text that is read. `is_trusted`: it was in a file before this call, so it is its author's responsibility, as with any
    program."""

    name: str
    file: str
    is_trusted: bool
    origin: Origin
