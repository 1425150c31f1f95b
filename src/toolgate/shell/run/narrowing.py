"""What a test leaves of the values that a path may have: behind `[ -n "$d" ] || exit`, `$d` is not empty."""

from collections.abc import Callable, Generator, Sequence
from typing import Any

from toolgate.model.word import Word, maybe_any
from toolgate.shell.domain.protocol import Array, Evaluation, Request, Values
from toolgate.shell.domain.state import NAMEREF_PREFIX, Shell
from toolgate.shell.domain.values import first_element, list_positional_values
from toolgate.shell.syntax.tree import Node, Parameter, ShellWord

from .builtin_context import Walk
from .test_outcomes import find_outcome, is_test, list_tested_names, matches_pattern


def narrow_to_outcome(node: Node, outcome: bool, shell: Shell, walk: Walk) -> Evaluation:
    """Drops the values of variables and arguments with which a test would certainly have had the other outcome."""
    names = dict.fromkeys(list_tested_names(node)) if is_test(node) else {}
    for name in names:
        if _may_be_narrowed(name, shell):
            shell.variables[name] = yield from _keep_values(name, node, outcome, shell, walk)
    if len(shell.arguments) > 1 and any(name == "#" or name.isdigit() for name in names):
        shell.arguments = yield from _keep_arguments(node, outcome, shell, walk)


def _may_be_narrowed(name: str, shell: Shell) -> bool:
    """Returns whether a variable has several values, is no name of another one, and is changed by no handler of a signal."""
    is_plain = name not in shell.past.assigned and NAMEREF_PREFIX + name not in shell.variables
    return is_plain and len(shell.variables.get(name, ())) > 1


def _keep_values(name: str, node: Node, outcome: bool, shell: Shell, walk: Walk) -> Generator[Request, Any, Values]:
    values, kept = shell.variables[name], []
    for value in values:
        shell.variables[name] = (value,)
        found = yield from find_outcome(node, shell, walk)
        kept += [] if found is (not outcome) else [value]
    return tuple(kept) or values


def _keep_arguments(node: Node, outcome: bool, shell: Shell, walk: Walk) -> Generator[Request, Any, tuple[Array, ...]]:
    kept = []
    for arguments in shell.arguments:
        with shell.enter_context(arguments=(arguments,)):
            found = yield from find_outcome(node, shell, walk)
        kept += [] if found is (not outcome) else [arguments]
    return tuple(kept) or shell.arguments


def narrow_to_arm(subject: ShellWord, patterns: Sequence[ShellWord], earlier: Sequence[ShellWord], shell: Shell) -> None:
    """Drops the values of the subject of `case` that no pattern of an arm matches, or that one of an earlier arm certainly does.
    Without patterns, no arm was taken."""
    only = subject.pieces[0] if len(subject.pieces) == 1 else None
    if not isinstance(only, Parameter) or only.operator or only.prefix:
        return

    def is_possible(value: Word) -> bool:
        matches = maybe_any(matches_pattern(pattern, (value,)) for pattern in patterns) if patterns else None
        return matches is not False and not any(matches_pattern(pattern, (value,)) for pattern in earlier)

    if only.name.isdigit() and only.name != "0":
        _keep_lists(int(only.name), is_possible, shell)
    elif _may_be_narrowed(only.name, shell):
        values = shell.variables[only.name]
        shell.variables[only.name] = tuple(each for each in values if is_possible(first_element(each))) or values


def _keep_lists(index: int, is_possible: Callable[[Word], bool], shell: Shell) -> None:
    kept = (each for each in shell.arguments if any(map(is_possible, list_positional_values(each, index))))
    shell.arguments = tuple(kept) or shell.arguments
