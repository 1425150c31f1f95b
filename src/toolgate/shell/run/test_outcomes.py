"""Outcomes of tests: `[ .. ]`, `[[ .. ]]`, `(( .. ))`, and what is composed of them, on known values."""

import operator
import re
from collections.abc import Callable, Generator
from typing import Any

from toolgate.model.word import Maybe, Word, known_word, maybe_all, maybe_any, maybe_not
from toolgate.shell.domain.protocol import Request
from toolgate.shell.domain.state import NAMEREF_PREFIX, Shell
from toolgate.shell.domain.values import first_element
from toolgate.shell.syntax.tree import (
    AndOr,
    ArithmeticCommand,
    Condition,
    Group,
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
from .option_parsing import count_arguments, find_next_option, is_without_arguments

Outcome = Generator[Request, Any, Maybe]
_MAX_STARS = 3
_MAX_MATCHED = 300  # characters
_GLOB_CHARACTERS = frozenset("[](){}<>~^#!@+|\\")
"""Characters that some shell reads as more than themselves in a pattern."""


def find_outcome(node: Node, shell: Shell, walk: Walk) -> Outcome:
    """Returns the outcome of a test on known values; None for every other command."""
    match node:
        case Sequence(items=(only,)) | Group(body=only):
            return (yield from find_outcome(only, shell, walk))
        case Not(command=command):
            return maybe_not((yield from find_outcome(command, shell, walk)))
        case AndOr() if is_test(node):
            return (yield from _find_outcome_of_list(node, shell, walk))
        case Condition() | Simple(assignments=(), redirects=()):
            key = _key_of_values(node, shell)
            known = shell.frame.outcomes.get(key)
            if known is not None:
                return known[1]
            outcome = yield from _find_single_outcome(node, shell, walk)
            if key is not None and len(shell.frame.outcomes) < _MAX_OUTCOMES:
                shell.frame.outcomes[key] = node, outcome
            return outcome
        case ArithmeticCommand(expression=expression) if (found := _COMPARED_NUMBER(expression.raw)) is not None:
            return _compare_number(found, shell)
        case _:
            return None


def _find_single_outcome(node: Simple | Condition, shell: Shell, walk: Walk) -> Outcome:
    if isinstance(node, Condition):
        return (yield from _find_condition_outcome(node.words, shell, walk))
    words = tuple(word for word in node.words[1:] if isinstance(word, ShellWord))
    if not node.words or len(words) + 1 < len(node.words):
        return None
    return (yield from _find_command_outcome(node.words[0], words, shell, walk))


_MAX_OUTCOMES = 10_000


def _key_of_values(node: Simple | Condition, shell: Shell) -> object:
    """Returns all that the outcome of a test depends on; None if that is more than the values of variables that are set."""
    if isinstance(node, Simple):
        name = command_outcomes.literal_name(node)
        if name not in ("[", "test") or name in shell.functions:
            return None
    variables = shell.variables
    values: list[object] = [id(node), shell.options, variables.get("IFS")]
    for word in node.words:
        for piece in word.pieces if isinstance(word, ShellWord) else (word,):
            if isinstance(piece, Text):
                continue
            if not isinstance(piece, Parameter) or piece.operator or piece.prefix or piece.subscript is not None:
                return None
            if piece.name not in variables or NAMEREF_PREFIX + piece.name in variables:
                return None
            values.append(variables[piece.name])
    return tuple(values)


def is_test(node: Node) -> bool:
    """Returns whether this does nothing but test, so that it does not matter when it is evaluated."""
    match node:
        case Not(command=command) | Sequence(items=(command,)) | Group(body=command):
            return is_test(command)
        case AndOr(first=first, rest=rest):
            return is_test(first) and all(is_test(command) for _, command in rest)
        case Simple(words=words):
            return command_outcomes.literal_name(node) in ("[", "test") and not any(map(_assigns, words))
        case Condition(words=words):
            return not any(map(_assigns, words))
        case ArithmeticCommand(expression=expression):
            return _COMPARED_NUMBER(expression.raw) is not None
        case _:
            return False


def _assigns(word: object) -> bool:
    """Returns whether expanding a word may change the shell: `${x:=1}`, `$((x++))`."""
    pieces = word.pieces if isinstance(word, ShellWord) else (word,)
    return not all(isinstance(each, Text) or (isinstance(each, Parameter) and "=" not in each.operator) for each in pieces)


def _find_outcome_of_list(node: AndOr, shell: Shell, walk: Walk) -> Outcome:
    outcome = yield from find_outcome(node.first, shell, walk)
    for connective, command in node.rest:
        other = yield from find_outcome(command, shell, walk)
        outcome = (maybe_any if connective == "||" else maybe_all)((outcome, other))
    return outcome


def _find_command_outcome(first: object, words: tuple[ShellWord, ...], shell: Shell, walk: Walk) -> Outcome:
    """Returns the outcome of `[ .. ]`, of `getopts`, and of a variable that holds `true` or `false`."""
    name = command_outcomes.word_text(first)
    if name in shell.functions:
        return None
    if name is None and not words and isinstance(first, ShellWord):
        values = yield from _read_operand(first, shell, walk, splits=True)
        outcomes = {value == "true" for value in values if value in ("true", "false") and value not in shell.functions}
        return outcomes.pop() if len(outcomes) == 1 and set(values) <= {"true", "false"} else None
    if name == "getopts" and len(words) == 2:
        spec = known_word(command_outcomes.word_text(words[0]) or "")
        option = find_next_option(spec, shell) if spec.text else None
        return None if option is None else bool(option.letter)
    if name not in ("[", "test"):
        return None
    if name == "[":
        if not words or command_outcomes.word_text(words[-1]) != "]":
            return None
        words = words[:-1]
    return (yield from _find_bracket_outcome(words, shell, walk))


def _find_bracket_outcome(words: tuple[ShellWord, ...], shell: Shell, walk: Walk) -> Outcome:
    """Returns the outcome of `[ .. ]` by its operands; `-a` binds more closely than `-o`."""
    texts = [_operator_text(word) for word in words]
    if len(words) > _MOST_OF_TEST:
        for connective, combine in (("-o", maybe_any), ("-a", maybe_all)):
            if connective in texts[1:-1]:
                at = texts.index(connective, 1)
                left = yield from _find_bracket_outcome(words[:at], shell, walk)
                return combine((left, (yield from _find_bracket_outcome(words[at + 1 :], shell, walk))))
    if texts[:1] == ["!"] and (len(words) in (2, 4) or (len(words) == 3 and texts[1] in ("-n", "-z"))):
        return maybe_not((yield from _find_bracket_outcome(words[1:], shell, walk)))
    return (yield from _find_test_outcome(words, shell, walk, equals=("=",)))  # dash has no `==`


_MOST_OF_TEST = 4  # words of one test: `! "$x" = y`


def _find_condition_outcome(words: tuple[ShellWord, ...], shell: Shell, walk: Walk) -> Outcome:
    """Returns the outcome of `[[ .. ]]`; `&&` binds more closely than `||`."""
    texts = [_operator_text(word) for word in words]
    if "(" in texts:
        return None
    for connective, combine in (("||", maybe_any), ("&&", maybe_all)):
        if connective in texts:
            at = texts.index(connective)
            left = yield from _find_condition_outcome(words[:at], shell, walk)
            return combine((left, (yield from _find_condition_outcome(words[at + 1 :], shell, walk))))
    if texts[:1] == ["!"]:
        return maybe_not((yield from _find_condition_outcome(words[1:], shell, walk)))
    outcome = yield from _find_test_outcome(words, shell, walk, equals=("=", "=="), splits=False)
    if outcome is None and len(words) == 3 and texts[1] in ("=", "==", "!="):
        values = yield from _read_values(words[0], shell, walk, splits=False)
        outcome = matches_pattern(words[2], tuple(values)) if values else None
        return maybe_not(outcome) if texts[1] == "!=" else outcome
    return outcome


def _operator_text(word: ShellWord) -> str:
    """Returns the text of a word that may be an operator: one that is not quoted."""
    only = word.pieces[0] if len(word.pieces) == 1 else None
    return only.value if isinstance(only, Text) and not only.quoted else ""


_COMPARED_NUMBER = re.compile(r"\(\(\s*(!?)\s*\$?\{?([A-Za-z_]\w*|#)\}?\s*(?:(==|!=|<=|>=|<|>)\s*([0-9]{1,9}))?\s*\)\)").fullmatch
"""Matches `(( DRY_RUN ))`, `(( count >= 3 ))`, `(( $# ))`."""
_IS_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}").fullmatch


def _compare_number(match: re.Match[str], shell: Shell) -> Maybe:
    """Returns the outcome of `(( .. ))` for the number of arguments, a variable that holds a decimal number, or a switch that
    nothing sets."""
    if match[2] == "#":
        texts = [] if (count := count_arguments(shell)) is None else [str(count)]
    else:
        values = map(first_element, shell.get_values(match[2]))
        texts = ["0" if is_switch(value) else value.text or "" for value in values]
    if not texts or not all(map(_IS_NUMBER, texts)) or (match[1] and match[3]):  # `! n == 1` is `(! n) == 1`
        return None
    compare = _ARITHMETIC_COMPARISONS[match[3] or "!="]
    outcomes = {compare(int(text), int(match[4] or "0")) == (match[1] != "!") for text in texts}
    return outcomes.pop() if len(outcomes) == 1 else None


_ARITHMETIC_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def list_tested_names(node: Node) -> list[str]:
    """Returns the variables and arguments that a test names."""
    match node:
        case Not(command=command) | Sequence(items=(command,)) | Group(body=command):
            return list_tested_names(command)
        case AndOr(first=first, rest=rest):
            return [name for command in (first, *(each for _, each in rest)) for name in list_tested_names(command)]
        case Simple(words=words) | Condition(words=words):
            pieces = (piece for word in words if isinstance(word, ShellWord) for piece in word.pieces)
            return [piece.name for piece in pieces if isinstance(piece, Parameter)]
        case ArithmeticCommand(expression=expression) if (found := _COMPARED_NUMBER(expression.raw)) is not None:
            return [found[2]]
        case _:
            return []


def names_arguments(node: Node) -> bool:
    """Returns whether a condition is about the arguments: `[ $# -gt 0 ]`, `[ -n "$1" ]`, `getopts ..`."""
    match node:
        case Sequence(items=(only,)):
            return names_arguments(only)
        case Simple() if command_outcomes.literal_name(node) == "getopts":
            return True
        case Simple() | Condition() | ArithmeticCommand():
            return any(name == "#" or name.isdigit() for name in list_tested_names(node))
        case _:
            return False


def _find_test_outcome(
    words: tuple[ShellWord, ...], shell: Shell, walk: Walk, *, equals: tuple[str, ...], splits: bool = True
) -> Outcome:
    """Returns the outcome of a test by its operands, if all that they may be leads to one. `equals`: the operators of equality.
    `splits`: what is not quoted may become several words, or none."""
    texts = [command_outcomes.word_text(word) for word in words]
    if (len(words) == 2 and texts[0] in ("-z", "-n")) or len(words) == 1:
        values = yield from _read_values(words[-1], shell, walk, splits=splits)
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
    elif len(words) == 2 and texts[0] in _FILE_TESTS:
        values = yield from _read_values(words[1], shell, walk, splits=splits)
        outcomes = {False} if values and all(value.text == "" for value in values) else set()  # no file has an empty name
    else:
        return None
    return outcomes.pop() if len(outcomes) == 1 else None


_FILE_TESTS = tuple(f"-{letter}" for letter in "abcdefghkprsuwxLOGNS")
_MAX_DIGITS = 9
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-gt": operator.gt,
    "-ge": operator.ge,
    "-lt": operator.lt,
    "-le": operator.le,
}


def names_unknown_argument(word: ShellWord, shell: Shell) -> bool:
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
    if not all(isinstance(piece, Text | Parameter) for piece in word.pieces) or names_unknown_argument(word, shell):
        return []
    names = [piece.name for piece in word.pieces if isinstance(piece, Parameter) and not piece.prefix]
    if names == ["#"] and (count := count_arguments(shell)) is not None:
        return [known_word(str(count))] if len(word.pieces) == 1 else []
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


def matches_pattern(pattern: ShellWord, subjects: tuple[Word, ...]) -> Maybe:
    """Returns whether a plain pattern matches all of these texts, or none of them."""
    expression = _expression_of(pattern)
    if expression is None or not subjects or any(len(subject.text or "") > _MAX_MATCHED for subject in subjects):
        return None
    known = [subject.text for subject in subjects if subject.text is not None]
    if len(known) < len(subjects):
        beginning = beginning_of_pattern(pattern)
        possible = bool(known) or any(subject.starts_with(beginning) is not False for subject in subjects)
        return None if possible else False
    if all(re.fullmatch(expression, text, re.DOTALL) for text in known):
        return True
    return None if any(re.fullmatch(expression, text, re.DOTALL | re.IGNORECASE) for text in known) else False


def beginning_of_pattern(pattern: ShellWord) -> str:
    """Returns the text that everything begins with that a plain pattern matches."""
    first = pattern.pieces[0] if pattern.pieces else None
    if not isinstance(first, Text):
        return ""
    return first.value if first.quoted else re.split(r"[*?\[\\]", first.value, maxsplit=1)[0]


def _expression_of(pattern: ShellWord) -> str | None:
    """Returns a pattern of literal text, `*` and `?` as a regular expression."""
    found = ""
    for piece in pattern.pieces:
        if not isinstance(piece, Text) or (not piece.quoted and not _GLOB_CHARACTERS.isdisjoint(piece.value)):
            return None
        text = re.escape(piece.value)
        found += text if piece.quoted else text.replace(r"\*", ".*").replace(r"\?", ".")
    return found if found.count(".*") <= _MAX_STARS else None
