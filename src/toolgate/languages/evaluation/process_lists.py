"""Lists of all processes that code makes, to signal each of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgate.model.effect import Read
from toolgate.model.word import Word

from .shared_state import Arguments

if TYPE_CHECKING:
    from .reporter import Reporter

_PROCESS_LIST = re.compile(r"/proc(?:/?|/[*\[\\].*)|ps\b[^|]* -?(?:\w*o ?|-format[ =])pid=?")
"""Matches the folder of all processes, a pattern over their numbers, and a command that prints nothing but those."""


def lists_every_process(arguments: Arguments) -> bool:
    """Returns whether a call is given what lists all processes: `fs.readdirSync("/proc")`, `Dir.glob("/proc/[0-9]*")`."""
    given = [each for each in arguments.positional[:2] if isinstance(each, Word) and each.head.startswith(("/proc", "ps "))]
    return any(_PROCESS_LIST.fullmatch(each.text or "") for each in given)


def reads_process(report: Reporter) -> bool:
    """Returns whether the code reads what distinguishes one process from others: `/proc/4242/comm`."""
    return any(isinstance(each, Read) and each.place.word.head.startswith("/proc/") for each in report.effects)
