"""`getopts` on arguments that are all known: which option comes next, with its value."""

from typing import NamedTuple

from toolgate.model.word import Word, known_word
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import may_be_several

_POSITION = "OPTIND.position"
"""The place within an argument with several options (`-ab`), stored beside the variables. No variable name contains a dot."""

_ARGUMENTS = "OPTIND.arguments"
"""The arguments that the place belongs to: shells differ in what `shift`, `set` and functions make of it."""


class NextOption(NamedTuple):
    """`letter`: `?` for an unknown option, empty at the end of the options. `argument`, `position`: where the next one begins."""

    letter: str
    value: Word | None
    argument: int
    position: int


def is_without_arguments(shell: Shell) -> bool:
    """Returns whether this is the text that a tool runs, without arguments that it sets: a shell that lives on may have some."""
    return not shell.frame.arguments and len(shell.arguments) == 1 and len(shell.arguments[0]) == 1


def count_arguments(shell: Shell) -> int | None:
    """Returns the number of arguments, `$#`; None if it is not certain."""
    if len(shell.arguments) != 1 or is_without_arguments(shell) or any(map(may_be_several, shell.arguments[0])):
        return None
    return len(shell.arguments[0]) - 1


def find_next_option(spec: Word, shell: Shell) -> NextOption | None:
    """Returns what `getopts` finds next; None where the arguments or the place in them are not certain."""
    if spec.text is None or count_arguments(shell) is None or (place := _find_place(shell)) is None:
        return None
    index, position = place
    words = shell.arguments[0][1:]
    word = words[index - 1] if index - 1 < len(words) else None
    if not position and (word is None or word.text in ("--", "-") or word.starts_with("-") is False):
        return NextOption("", None, index + (word is not None and word.text == "--"), 0)
    at = position or 1
    if word is None or at >= len(word.head) or not word.head.startswith("-"):
        return None  # not known, or the arguments have changed since
    letter, rest = word.head[at], word.head[at + 1 :]
    if not rest and word.text is None:
        return None
    known = spec.text.lstrip(":")
    if letter == ":" or letter not in known:
        if rest and shell.frame.dialect.may_differ_from_bash:
            return None  # zsh as sh skips the rest of the argument
        return NextOption("?", None, *((index, at + 1) if rest else (index + 1, 0)))
    if known[known.index(letter) + 1 :][:1] != ":":
        return NextOption(letter, None, *((index, at + 1) if rest else (index + 1, 0)))
    if rest:
        return NextOption(letter, words[index - 1].drop_first(at + 1), index + 1, 0)
    if index >= len(words):
        return NextOption("?", None, index + 1, 0)
    return NextOption(letter, words[index], index + 2, 0)


def keep_place(option: NextOption, shell: Shell) -> None:
    """Keeps where the next option begins."""
    shell.assign("OPTIND", (known_word(str(option.argument)),))
    shell.variables[_POSITION] = (known_word(str(option.position)),)
    shell.variables[_ARGUMENTS] = (_join_arguments(shell),)


def _join_arguments(shell: Shell) -> Word:
    """Returns the arguments, with how many functions are entered."""
    return known_word("\0".join((str(len(shell.calls)), *(word.text or "" for word in shell.arguments[0][1:]))))


def _find_place(shell: Shell) -> tuple[int, int] | None:
    """Returns the number of the next argument, and the place in it; None if the shell may have begun anew."""
    indexes, positions = shell.variables.get("OPTIND"), shell.variables.get(_POSITION, (known_word("0"),))
    if indexes is None:
        return 1, 0
    if shell.variables.get(_ARGUMENTS) != (_join_arguments(shell),):
        return None
    numbers = [values[0].text for values in (indexes, positions) if len(values) == 1 and isinstance(values[0], Word)]
    if len(numbers) < 2 or not all(number is not None and number.isdigit() for number in numbers):
        return None
    index, position = (int(number or "0") for number in numbers)
    return (index, position) if index else None
