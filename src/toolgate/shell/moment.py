"""Context in which a builtin runs."""

from collections.abc import Callable
from typing import NamedTuple

from toolgate.model.word import Word

from .protocol import Reading, Walking
from .state import Shell, Stream
from .syntax import Node

Walk = Callable[[Node, Shell], Walking]
RunText = Callable[[Word, Shell, str], Walking]


class Readers(NamedTuple):
    """Functions that run a node of the tree, and a text, in the state of a shell."""

    walk: Walk
    run_text: RunText


class Moment(NamedTuple):
    """Context of a builtin. `assigned`: variables set for this one command (`IFS= read x`). `given`: standard input is this
    command's own."""

    stdin: Word
    assigned: dict[str, Word]
    outputs: list[tuple[Stream, bool]]
    walk: Walk
    run_text: RunText
    given: bool = False


Builtin = Callable[[tuple[Word, ...], Moment, Shell], Reading]
