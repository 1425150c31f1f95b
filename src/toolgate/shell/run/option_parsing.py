"""`getopts` on arguments that are all known: which option comes next, with its value."""

from typing import NamedTuple

from toolgate.model.word import Word, known_word
from toolgate.shell.domain.state import Shell

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


def has_known_arguments(shell: Shell) -> bool:
    return (
        len(shell.arguments) == 1
        and not is_without_arguments(shell)
        and all(word.text is not None for word in shell.arguments[0][1:])
    )


def find_next_option(spec: Word, shell: Shell) -> NextOption | None:
    """Returns what `getopts` finds next; None where the arguments or the place in them are not certain."""
    if spec.text is None or not has_known_arguments(shell) or (place := _find_place(shell)) is None:
        return None
    index, position = place
    words = shell.arguments[0][1:]
    texts = [word.text or "" for word in words]
    text = texts[index - 1] if index - 1 < len(texts) else None
    if not position and (text is None or text in ("--", "-") or not text.startswith("-")):
        return NextOption("", None, index + (text == "--"), 0)
    if text is None or position >= len(text) or not text.startswith("-"):
        return None  # the arguments have changed since
    at = position or 1
    letter, rest = text[at], text[at + 1 :]
    known = spec.text.lstrip(":")
    if letter == ":" or letter not in known:
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
