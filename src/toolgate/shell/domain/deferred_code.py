"""Text that a shell runs later or evaluates again: signal handlers, and values that are expanded again where they are used.

bash evaluates the value of a variable that is used as a number as an expression, an expression may hold a subscript, and a
subscript a command substitution: `n='a[$(cmd)]'; ((n))` runs cmd.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from toolgate.model.errors import LimitError
from toolgate.model.word import Word, known_word, unknown_word

from .protocol import Array, Values
from .values import first_element, join_folders

_FIND_NAMES = re.compile(r"[A-Za-z_]\w*").findall
NUMBER_VARIABLES = frozenset(
    ("RANDOM", "OPTIND", "HISTCMD", "SECONDS", "HISTSIZE", "SAVEHIST", "COLUMNS", "LINES", "TRY_BLOCK_ERROR")
)
"""Numeric variables of the shells: an assigned value is evaluated."""
COUNTING_VARIABLES = frozenset(("RANDOM", "SECONDS", "LINENO", "SRANDOM", "EPOCHSECONDS", "EPOCHREALTIME", "BASHPID"))
"""Variables that the shell changes by itself, whatever was assigned."""
_COMMAND_TABLES = frozenset(("BASH_CMDS", "BASH_ALIASES"))
_IS_HOOK_ARRAY = re.compile(r"(?:chpwd|precmd|preexec|periodic|zshaddhistory|zshexit)_functions").fullmatch
_HEREDOC_END = "END_OF_WHAT_IS_EXPANDED_ONCE_MORE"
_MAX_EXPRESSIONS = 1_000


@dataclass(slots=True)
class HandlerState:
    """Handlers, and the values that one running at any time could see since the first was set. `assigned`: what they assign at
    any time; `moves`: the folders they change to. `is_traced`: one is PS4, which is expanded in subshells, too. `prompts`:
    values of PS4 whose assignments the state does not hold yet. `outer`: the handlers of the shell around a subshell that is
    traced."""

    handlers: list[tuple[Word, bool]] = field(default_factory=list)
    variables: dict[str, Values] = field(default_factory=dict)
    assigned: dict[str, Values] = field(default_factory=dict)
    cwd: tuple[Word, ...] = ()
    moves: tuple[Word, ...] = ()
    arguments: tuple[Array, ...] = ()
    is_traced: bool = False
    prompts: list[Word] = field(default_factory=list)
    outer: "HandlerState | None" = None

    def state_in_subshell(self) -> "HandlerState":
        """Returns the handlers of a subshell: none, but a trace continues in it."""
        return HandlerState(assigned=dict(self.assigned), outer=self) if self.is_traced else HandlerState(outer=self.outer)

    def record_folders(self, cwd: tuple[Word, ...]) -> None:
        """Records folders that a handler may run in."""
        if self.handlers:
            self.cwd = join_folders((*self.cwd, *cwd))
        if self.outer is not None:
            self.outer.record_folders(cwd)


def runs_commands(text: Word) -> bool:
    """Returns whether expanding this text again certainly runs a command."""
    return any(text.contains(opening) is True for opening in ("$(", "`", "@P}"))


def build_expansion_command(text: Word) -> Word:
    """Returns a command that only expands this text as double quotes would, with quotes in it as plain characters."""
    return known_word(f": <<{_HEREDOC_END}\n") + text + known_word(f"\n{_HEREDOC_END}\n")


def collect_expressions(word: Word, variables: Mapping[str, Values]) -> list[Word]:
    """Returns every text that is evaluated if this word is used as a number: itself, and the values of the variables it names."""
    found, waiting = dict[Word, None](), [word]
    while waiting:
        expression = waiting.pop()
        if expression in found:
            continue
        if len(found) == _MAX_EXPRESSIONS:
            raise LimitError("an expression names more variables than the gate follows")
        found[expression] = None
        names = [name for part in expression.parts if isinstance(part, str) for name in _FIND_NAMES(part)]
        waiting += [first_element(value) for name in names for value in variables.get(name, ())]
    return list(found)


def commands_run_by_variable(name: str, values: Values) -> list[Word]:
    """Returns the commands that a shell may run later because this variable was assigned."""
    if name in _COMMAND_TABLES:
        return [unknown_word(f"a command that {name} gives another meaning")]
    if _IS_HOOK_ARRAY(name):
        words = (word for value in values for word in (value if isinstance(value, tuple) else (value,)))
        return [word + known_word(' "$@"') for word in words if word.parts]
    return []
