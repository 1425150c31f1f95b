"""Text that a shell runs later or evaluates again: signal handlers, and values that are expanded again where they are used.

bash evaluates the value of a variable that is used as a number as an expression, an expression may hold a subscript, and a
subscript a command substitution: `n='a[$(cmd)]'; ((n))` runs cmd.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from toolgate.model.word import Word, known, unknown

from .protocol import Values
from .values import first

_NAMES = re.compile(r"[A-Za-z_]\w*").findall
NUMBERS = frozenset(("RANDOM", "OPTIND", "HISTCMD", "SECONDS", "HISTSIZE", "SAVEHIST", "COLUMNS", "LINES", "TRY_BLOCK_ERROR"))
"""Numeric variables of the shells: an assigned value is evaluated."""
_NAMES_OF_COMMANDS = frozenset(("BASH_CMDS", "BASH_ALIASES"))
_HOOKS = re.compile(r"(?:chpwd|precmd|preexec|periodic|zshaddhistory|zshexit)_functions").fullmatch
_END = "END_OF_WHAT_IS_EXPANDED_ONCE_MORE"
_EXPRESSIONS = 32


@dataclass(slots=True)
class Past:
    """Handlers, and the values that one running at any time could see since the first was set."""

    handlers: list[tuple[Word, bool]] = field(default_factory=list)
    variables: dict[str, Values] = field(default_factory=dict)
    cwd: tuple[Word, ...] = ()


def runs_commands(text: Word) -> bool:
    """Returns whether expanding this text again certainly runs a command."""
    return any(text.contains(opening) is True for opening in ("$(", "`"))


def expansion_of(text: Word) -> Word:
    """Returns a command that only expands this text as double quotes would, with quotes in it as plain characters."""
    return known(f": <<{_END}\n") + text + known(f"\n{_END}\n")


def expressions(word: Word, variables: Mapping[str, Values]) -> list[Word]:
    """Returns every text that is evaluated if this word is used as a number: itself, and the values of the variables it names."""
    found, waiting = dict[Word, None](), [word]
    while waiting and len(found) < _EXPRESSIONS:
        expression = waiting.pop()
        if expression in found:
            continue
        found[expression] = None
        names = [name for part in expression.parts if isinstance(part, str) for name in _NAMES(part)]
        waiting += [first(value) for name in names for value in variables.get(name, ())]
    return list(found)


def commands_run_for(name: str, values: Values) -> list[Word]:
    """Returns the commands that a shell may run later because this variable was assigned."""
    if name in _NAMES_OF_COMMANDS:
        return [unknown(f"a command that {name} gives another meaning")]
    if _HOOKS(name):
        words = (word for value in values for word in (value if isinstance(value, tuple) else (value,)))
        return [word + known(' "$@"') for word in words if word.parts]
    return []
