"""What a test leaves of the values that a path may have: behind `[ -n "$d" ] || exit`, `$d` is not empty."""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from toolgate.model.word import EMPTY, Word, known_word, maybe_any
from toolgate.shell.domain.protocol import Array, Evaluation, Request, Values
from toolgate.shell.domain.state import NAMEREF_PREFIX, Shell
from toolgate.shell.domain.values import first_element, list_positional_values
from toolgate.shell.syntax.tree import Condition, Group, Node, Parameter, ShellWord
from toolgate.shell.syntax.tree import Sequence as CommandSequence
from toolgate.temporary_folders import TEMPORARY_ROOTS

from .builtin_context import Walk
from .command_outcomes import word_text
from .test_outcomes import beginning_of_pattern, find_outcome, is_test, list_tested_names, matches_pattern


def narrow_to_outcome(node: Node, outcome: bool, shell: Shell, walk: Walk) -> Evaluation:
    """Drops the values of variables and arguments with which a test would certainly have had the other outcome."""
    names = dict.fromkeys(list_tested_names(node)) if is_test(node) else {}
    for name in names:
        if _may_be_narrowed(name, shell):
            shell.variables[name] = yield from _keep_values(name, node, outcome, shell, walk)
    _fit_to_condition(node, outcome, shell)
    if len(shell.arguments) > 1 and any(name == "#" or name.isdigit() for name in names):
        shell.arguments = yield from _keep_arguments(node, outcome, shell, walk)


def _fit_to_condition(node: Node, outcome: bool, shell: Shell) -> None:
    """Gives a variable the beginning that `[[ $d == /tmp/x.* ]]` asks for."""
    match node:
        case CommandSequence(items=(only,)) | Group(body=only):
            _fit_to_condition(only, outcome, shell)
        case Condition(words=words):
            for tested, operator, pattern in _list_comparisons(words, outcome):
                name = tested.pieces[0].name if len(tested.pieces) == 1 and isinstance(tested.pieces[0], Parameter) else ""
                if name and not name.isdigit() and word_text(operator) in (("=", "==") if outcome else ("!=",)):
                    _fit_to_patterns(name, (pattern,), shell)
        case _:
            pass


def _list_comparisons(words: tuple[object, ...], outcome: bool) -> Iterator[tuple[ShellWord, ShellWord, ShellWord]]:
    """Yields each run of three words among those of a `&&` list, all of which hold, or of a single comparison that fails."""
    known = [word for word in words if isinstance(word, ShellWord)]
    texts = [word_text(word) for word in known]
    if len(known) == len(words) and not {"||", "!", "("}.intersection(filter(None, texts)) and (outcome or len(known) == 3):
        yield from zip(known, known[1:], known[2:], strict=False)


def _may_be_narrowed(name: str, shell: Shell) -> bool:
    """Returns whether a variable has several values and is plain."""
    return _is_plain(name, shell) and len(shell.variables.get(name, ())) > 1


def _is_plain(name: str, shell: Shell) -> bool:
    """Returns whether a variable is no name of another one and is changed by no handler of a signal."""
    return name not in shell.past.assigned and NAMEREF_PREFIX + name not in shell.variables


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
    if patterns and not only.name.isdigit():
        _fit_to_patterns(only.name, patterns, shell)


def _fit_to_patterns(name: str, patterns: Sequence[ShellWord], shell: Shell) -> None:
    """Gives a variable of which nothing is known the beginning that the pattern of an arm asks for."""
    beginnings = [beginning_of_pattern(pattern) for pattern in patterns]
    values = shell.variables.get(name, ())
    only = first_element(values[0]) if len(values) == 1 else EMPTY
    is_unknown = only.text is None and not (only.head or only.tail)
    if is_unknown and _is_plain(name, shell) and all(map(_tells, beginnings)):
        shell.variables[name] = tuple(known_word(beginning) + only for beginning in beginnings)


def _tells(beginning: str) -> bool:
    """Returns whether a beginning tells something of a path: it is more than a folder of the system or of the users, which may
    be meant as a whole."""
    may_be_whole = beginning.startswith(("/", "~")) and beginning.endswith("/") and not beginning.startswith(TEMPORARY_ROOTS)
    return bool(beginning) and not may_be_whole


def _keep_lists(index: int, is_possible: Callable[[Word], bool], shell: Shell) -> None:
    kept = (each for each in shell.arguments if any(map(is_possible, list_positional_values(each, index))))
    shell.arguments = tuple(kept) or shell.arguments
