"""Context in which a builtin runs."""

from collections.abc import Callable
from typing import NamedTuple

from toolgate.model.effect import Carrier
from toolgate.model.word import Maybe, Word
from toolgate.shell.domain.protocol import CommandEvaluation, Evaluation
from toolgate.shell.domain.state import Shell, Stream
from toolgate.shell.syntax.tree import Node

Walk = Callable[[Node, Shell], Evaluation]
RunText = Callable[[Word, Shell, Carrier], Evaluation]


class Runners(NamedTuple):
    """Functions that run a node of the tree, and a text, in the state of a shell."""

    walk: Walk
    run_text: RunText


class BuiltinContext(NamedTuple):
    """Context of a builtin. `assigned`: variables set for this one command (`IFS= read x`). `has_own_input`: standard input is
    this command's own."""

    stdin: Word
    assigned: dict[str, Word]
    outputs: list[tuple[Stream, Maybe]]
    walk: Walk
    run_text: RunText
    has_own_input: bool = False


Builtin = Callable[[tuple[Word, ...], BuiltinContext, Shell], CommandEvaluation]
