"""`if` and `case`: each branch is a path of its own, except those that the known values of a test rule out."""

import operator
import re
from collections.abc import Callable, Generator
from typing import Any

from toolgate.model.word import Maybe, Word, known_word, unknown_word
from toolgate.shell.domain.protocol import Evaluation, Request
from toolgate.shell.domain.state import Shell
from toolgate.shell.syntax.tree import (
    ArithmeticCommand,
    Case,
    Condition,
    If,
    Node,
    Not,
    Parameter,
    Sequence,
    ShellWord,
    Simple,
    Text,
)
from toolgate.switch_variables import find_variable, is_switch, is_switch_word
from toolgate.temporary_folders import is_in_temporary_folder

from . import command_outcomes
from .builtin_context import Walk
from .expansion import expand_unsplit
from .option_parsing import find_next_option, has_known_arguments, is_without_arguments

Outcome = Generator[Request, Any, Maybe]
_MAX_STARS = 3
_MAX_MATCHED = 300  # characters
_GLOB_CHARACTERS = frozenset("[](){}<>~^#!@+|\\")
"""Characters that some shell reads as more than themselves in a pattern."""


def walk_if(node: If, shell: Shell, walk: Walk) -> Evaluation:
    ends: list[Shell] = []
    current = shell.copy()
    for condition, body in node.branches:
        with current.enter_context(tested=True):
            yield from walk(condition, current)
        outcome = yield from find_outcome(condition, current, walk)
        if outcome is not False:
            taken = current.copy() if outcome is True else current.copy_as_possible()
            taken.assume_success()
            yield from _walk_branch(body, taken, ends, walk)
        if outcome is True:
            shell.replace_by_join(ends or [current])
            return
        always = current.always
        current = current.copy_after_failure()
        current.always = always and outcome is False
    if node.otherwise is not None:
        yield from _walk_branch(node.otherwise, current, ends, walk)
    else:
        ends.append(current)
    shell.replace_by_join(ends or [current])


def _walk_branch(body: Sequence, branch_shell: Shell, ends: list[Shell], walk: Walk) -> Evaluation:
    """Runs one branch and adds it to `ends` unless it leaves the text."""
    yield from walk(body, branch_shell)
    if not command_outcomes.is_sure_to_leave(body, branch_shell):
        branch_shell.accept_either_outcome()
        ends.append(branch_shell)


def walk_case(node: Case, shell: Shell, walk: Walk) -> Evaluation:
    subjects = yield from expand_unsplit(node.subject, shell, walk)
    if _names_unknown_argument(node.subject, shell):
        subjects = (*subjects, unknown_word("an argument"))
    ends: list[Shell] = []
    through: Shell | None = None  # `;&` continues with the next arm
    again: Shell | None = None  # `;;&` tests the following patterns
    for arm in node.arms:
        outcomes = [_matches_pattern(pattern, subjects) for pattern in arm.patterns]
        if through is None and all(outcome is False for outcome in outcomes):
            continue
        for pattern in arm.patterns:
            yield from expand_unsplit(pattern, shell, walk)
        taken = command_outcomes.join_optional(through, command_outcomes.join_optional(again, shell.copy_as_possible()))
        yield from _walk_branch(arm.body, taken, ends, walk)
        if True in outcomes and through is None and again is None and arm.end not in (";&", ";;&"):
            shell.replace_by_join(ends or [shell.copy()])
            return
        through = taken.copy() if arm.end == ";&" else None
        again = command_outcomes.join_optional(again, taken.copy()) if arm.end == ";;&" else again
    if not any(pattern.pieces == (Text("*", False),) for arm in node.arms for pattern in arm.patterns):
        ends.append(shell.copy())
    shell.replace_by_join(ends or [shell.copy()])


def _matches_pattern(pattern: ShellWord, subjects: tuple[Word, ...]) -> Maybe:
    """Returns whether a plain pattern matches all of these texts, or none of them."""
    texts = [subject.text for subject in subjects]
    expression = _expression_of(pattern)
    if expression is None or not texts or any(text is None or len(text) > _MAX_MATCHED for text in texts):
        return None
    known = [text for text in texts if text is not None]
    if all(re.fullmatch(expression, text, re.DOTALL) for text in known):
        return True
    return None if any(re.fullmatch(expression, text, re.DOTALL | re.IGNORECASE) for text in known) else False


def _expression_of(pattern: ShellWord) -> str | None:
    """Returns a pattern of literal text, `*` and `?` as a regular expression."""
    found = ""
    for piece in pattern.pieces:
        if not isinstance(piece, Text) or (not piece.quoted and not _GLOB_CHARACTERS.isdisjoint(piece.value)):
            return None
        text = re.escape(piece.value)
        found += text if piece.quoted else text.replace(r"\*", ".*").replace(r"\?", ".")
    return found if found.count(".*") <= _MAX_STARS else None


# ---- the outcome of a test


def find_outcome(node: Node, shell: Shell, walk: Walk) -> Outcome:
    """Returns the outcome of `[ .. ]` and `[[ .. ]]` on known values; None for every other command."""
    match node:
        case Sequence(items=(only,)):
            return (yield from find_outcome(only, shell, walk))
        case Not(command=command):
            outcome = yield from find_outcome(command, shell, walk)
            return None if outcome is None else not outcome
        case Condition(words=words):
            return (yield from _find_test_outcome(words, shell, walk, equals=("=", "=="), splits=False))
        case Simple(words=(first, *rest)) if not node.assignments and not node.redirects:
            name = command_outcomes.word_text(first)
            words = tuple(word for word in rest if isinstance(word, ShellWord))
            if name == "getopts" and len(words) == 2 and name not in shell.functions:
                spec = known_word(command_outcomes.word_text(words[0]) or "")
                option = find_next_option(spec, shell) if spec.text else None
                return None if option is None else bool(option.letter)
            if name not in ("[", "test") or name in shell.functions or len(words) < len(rest):
                return None
            if name == "[":
                if not words or command_outcomes.word_text(words[-1]) != "]":
                    return None
                words = words[:-1]
            return (yield from _find_test_outcome(words, shell, walk, equals=("=",)))  # dash has no `==`
        case ArithmeticCommand(expression=expression) if (found := _COUNT_OF_ARGUMENTS(expression.raw)) is not None:
            return len(shell.arguments[0]) - 1 > int(found[1] or "0") if has_known_arguments(shell) else None
        case _:
            return None


_COUNT_OF_ARGUMENTS = re.compile(r"\s*\$?#\s*(?:(?:>|!=)\s*(0))?\s*").fullmatch
"""Matches `(( $# ))`, `(( $# > 0 ))`."""


def names_arguments(node: Node) -> bool:
    """Returns whether a condition is about the arguments: `[ $# -gt 0 ]`, `[ -n "$1" ]`, `getopts ..`."""
    match node:
        case Sequence(items=(only,)):
            return names_arguments(only)
        case ArithmeticCommand(expression=expression):
            return _COUNT_OF_ARGUMENTS(expression.raw) is not None
        case Simple(words=words) | Condition(words=words):
            pieces = [piece for word in words if isinstance(word, ShellWord) for piece in word.pieces]
            names = [piece.name for piece in pieces if isinstance(piece, Parameter)]
            is_getopts = isinstance(node, Simple) and command_outcomes.literal_name(node) == "getopts"
            return is_getopts or any(name == "#" or name.isdigit() for name in names)
        case _:
            return False


def _find_test_outcome(
    words: tuple[ShellWord, ...], shell: Shell, walk: Walk, *, equals: tuple[str, ...], splits: bool = True
) -> Outcome:
    """Returns the outcome of a test by its operands, if all that they may be leads to one. `equals`: the operators of equality.
    `splits`: what is not quoted may become several words, or none."""
    texts = [command_outcomes.word_text(word) for word in words]
    if len(words) == 2 and texts[0] in ("-z", "-n"):
        values = yield from _read_values(words[1], shell, walk, splits=splits)
        found = [_is_empty(value) for value in values]
        outcomes = {is_empty == (texts[0] == "-z") for is_empty in found if None not in found}
    elif len(words) == 3 and texts[1] in (*equals, "!="):
        values = yield from _read_values(words[0], shell, walk, splits=False)
        right = yield from _read_operand(words[2], shell, walk, splits=True)  # a pattern if it is not quoted
        if _are_unset(values) and right and all(map(is_switch_word, right)):
            return texts[1] == "!="
        left = [] if splits and not _are_one_word(words[0], values, shell) else _list_texts(values)
        if any(a != b and a.lower() == b.lower() for a in left for b in right):
            return None
        outcomes = {(a == b) == (texts[1] != "!=") for a in left for b in right}
    elif len(words) == 3 and texts[1] in _COMPARISONS:
        compare = _COMPARISONS[texts[1] or ""]
        first = yield from _read_operand(words[0], shell, walk, splits=splits)
        second = yield from _read_operand(words[2], shell, walk, splits=splits)
        if not all(each.isdecimal() and len(each) <= _MAX_DIGITS for each in (*first, *second)):
            return None
        outcomes = {compare(int(a), int(b)) for a in first for b in second}
    else:
        return None
    return outcomes.pop() if len(outcomes) == 1 else None


_MAX_DIGITS = 9
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-gt": operator.gt,
    "-ge": operator.ge,
    "-lt": operator.lt,
    "-le": operator.le,
}


def _names_unknown_argument(word: ShellWord, shell: Shell) -> bool:
    """Returns whether a word names an argument of the text that the tool runs: a shell that lives on may have some."""
    names = [piece.name for piece in word.pieces if isinstance(piece, Parameter)]
    return is_without_arguments(shell) and any(name.isdigit() or name in "@*#" for name in names)


def _read_operand(word: ShellWord, shell: Shell, walk: Walk, *, splits: bool) -> Generator[Request, Any, list[str]]:
    """Returns the texts that a quoted variable or a literal may be; none if one is not known."""
    return _list_texts((yield from _read_values(word, shell, walk, splits=splits)))


def _list_texts(values: list[Word]) -> list[str]:
    """Returns the texts of values; none if one is not known."""
    texts = [value.text for value in values]
    return [text for text in texts if text is not None] if None not in texts else []


def _are_unset(values: list[Word]) -> bool:
    """Returns whether a test is about a variable that nothing sets."""
    return bool(values) and all(map(find_variable, values))


def _is_empty(value: Word) -> Maybe:
    """Returns whether a value is empty. The name of a folder that the call has made is not, a switch is that nothing sets."""
    if value.text is not None:
        return not value.text
    if is_switch(value):
        return True
    return False if any(isinstance(part, str) and part for part in value.parts) or is_in_temporary_folder(value) else None


def _read_values(word: ShellWord, shell: Shell, walk: Walk, *, splits: bool) -> Generator[Request, Any, list[Word]]:
    """Returns what an operand of literals and plain variables may be; none where it may be something else, or several words."""
    if not all(isinstance(piece, Text | Parameter) for piece in word.pieces) or _names_unknown_argument(word, shell):
        return []
    if has_known_arguments(shell) and [
        piece.name for piece in word.pieces if isinstance(piece, Parameter) and not piece.prefix
    ] == ["#"]:
        return [known_word(str(len(shell.arguments[0]) - 1))] if len(word.pieces) == 1 else []
    for piece in word.pieces:
        if isinstance(piece, Text) and not piece.quoted and not _GLOB_CHARACTERS.union("*?").isdisjoint(piece.value):
            return []
        if isinstance(piece, Parameter) and (piece.operator not in ("", "-", ":-") or piece.prefix):
            return []
    values = list((yield from expand_unsplit(word, shell, walk)))
    return [] if splits and not _are_one_word(word, values, shell) else values


def _are_one_word(word: ShellWord, values: list[Word], shell: Shell) -> bool:
    """Returns whether an operand is one word, whichever of these values it has."""
    if all(piece.quoted or piece.name == "#" for piece in word.pieces if isinstance(piece, Parameter)):
        return True
    return "IFS" not in shell.variables and all(_IS_ONE_WORD(value.text or "") for value in values)


_IS_ONE_WORD = re.compile(r"[\w/@%+,-][\w./:@%+,=-]*").fullmatch
"""Matches a text that stays one word where it is not quoted, with the usual separators."""
