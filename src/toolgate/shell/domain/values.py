"""Values of the shell: a word or an array, with alternatives for different paths."""

from collections.abc import Callable, Iterable

from toolgate.model.generalization import generalize
from toolgate.model.word import (
    EMPTY,
    NO_SOURCES,
    Hole,
    HoleKind,
    Word,
    is_glob,
    is_search_result,
    known_word,
    unknown_word,
    variable_word,
)

from .protocol import Array

MAX_ALTERNATIVES = 16
MAX_SIZE = 65_536


def unset_value(name: str) -> Word:
    return variable_word(name)


ANY_ARGUMENTS: Array = (unset_value("0"), unknown_word('"$@"', splits=True))


_NO_ARGUMENTS: Array = (unset_value("0"),)


def list_argument_alternatives(arguments: Array) -> tuple[Array, ...]:
    """Returns the alternatives with which a text begins: of any arguments, none is one."""
    return (_NO_ARGUMENTS, ANY_ARGUMENTS) if arguments == ANY_ARGUMENTS else (arguments or _NO_ARGUMENTS,)


def join_argument_lists(lists: tuple[Array, ...]) -> tuple[Array, ...]:
    """Returns the distinct lists; if there are too many, one of which nothing is known."""
    distinct = tuple(dict.fromkeys(lists))
    return distinct if len(distinct) <= MAX_ALTERNATIVES else (ANY_ARGUMENTS,)


def measure(value: Word | Array) -> int:
    total = 0
    for word in value if isinstance(value, tuple) else (value,):
        for part in word.parts:
            total += len(part) if isinstance(part, str) else 8
    return total


def join_alternatives(values: Iterable[Word | Array]) -> tuple:  # type: ignore[type-arg]
    """Returns the distinct values; if there are too many, one that generalizes them."""
    distinct = tuple(values)
    if len(distinct) > 1:
        distinct = tuple(dict.fromkeys(distinct))
    if len(distinct) > _MAX_VAGUE:
        distinct = _join_vague_words(distinct)
    if len(distinct) <= MAX_ALTERNATIVES:
        return distinct
    if any(isinstance(value, tuple) for value in distinct):
        return ((unknown_word("one of several arrays", collect_sources(distinct), splits=True),),)
    return (generalize([value for value in distinct if isinstance(value, Word)]),)


def _join_vague_words(values: tuple[Word | Array, ...]) -> tuple[Word | Array, ...]:
    """Replaces words of which nothing is known by one, if there are many: each combines with each value of other words."""
    vague = [value for value in values if isinstance(value, Word) and _is_vague(value)]
    if len(vague) <= _MAX_VAGUE:
        return values
    joined = unknown_word("one of several values", collect_sources(vague), splits=any(word.splits for word in vague))
    return (*(value for value in values if not (isinstance(value, Word) and _is_vague(value))), joined)


def _is_vague(word: Word) -> bool:
    """Returns whether a word is an output or an argument of which nothing is known."""
    only = word.parts[0] if len(word.parts) == 1 else ""
    if not isinstance(only, Hole) or only.kind not in (HoleKind.UNKNOWN, HoleKind.NAMED) or only.holds or only.unread:
        return False
    return only.like in ("**", "?**") and (not only.variable or only.variable.isdigit())


_MAX_VAGUE = 3


def join_folders(values: Iterable[Word]) -> tuple[Word, ...]:
    """Returns the distinct folders; if there are too many, the first ones and one that generalizes the rest: a text often ends
    in the folder it started in, if no `cd` was reached."""
    distinct = tuple(dict.fromkeys(values))
    return (
        distinct if len(distinct) <= MAX_ALTERNATIVES else (*distinct[:_KEPT_FOLDERS], generalize(list(distinct[_KEPT_FOLDERS:])))
    )


_KEPT_FOLDERS = 4


def collect_sources(values: Iterable[Word | Array]) -> frozenset[int]:
    """Returns the commands that any of these came from."""
    return NO_SOURCES.union(*(word.src for value in values for word in ((value,) if isinstance(value, Word) else value)))


def first_element(value: Word | Array) -> Word:
    """Returns the first element of an array, as plain use of its name does."""
    if isinstance(value, Word):
        return value
    return value[0] if value else EMPTY


def join_with_gap(words: Iterable[Word], gap: str) -> Word:
    """Joins words with a gap; a part that may be no word at all includes its own."""
    result, bare = EMPTY, True
    for word in words:
        nothing_known = word.splits and all(isinstance(part, Hole) and not part.like.strip("*") for part in word.parts)
        result = result + known_word("" if bare or nothing_known else gap) + word
        bare = nothing_known
    return result


def may_be_several(word: Word) -> bool:
    """Returns whether this may be several words: unquoted and unknown, or a glob."""
    several = word.splits
    if word.text is None and not several:
        for part in word.parts:  # without a generator: arrays have thousands of elements
            several = several or (not isinstance(part, str) and part.kind is HoleKind.GLOB)
    return several


def list_positional_values(arguments: Array, index: int) -> tuple[Word, ...]:
    """Returns the values that `$index` of one alternative may have: behind words that may be several, an item of the last one,
    if something is known of it."""
    first = next((n for n, word in enumerate(arguments[: index + 1]) if may_be_several(word)), None)
    if first is None:
        return (arguments[index] if index < len(arguments) else EMPTY,)
    is_item = index == first or first == len(arguments) - 1
    is_known = any(isinstance(part, str) or is_glob(part) or is_search_result(part) for part in arguments[first].parts)
    return (unset_value(str(index)), *((arguments[first].as_single_word(),) if is_item and is_known else ()))


_CASE_CHANGES: dict[str, Callable[[str], str]] = {"u": str.upper, "l": str.lower, "c": str.capitalize}
_WIDTHS = frozenset("LRZ")
REWRITING_ATTRIBUTES = frozenset((*_CASE_CHANGES, *_WIDTHS))
"""Attributes that give a variable other text than was assigned: another case, or in zsh another width."""


def apply_attributes(value: "Word | Array", letters: str) -> "Iterable[Word | Array]":
    """Returns the values after assignment to a variable with these attributes: the assigned one, as an attribute may be off or
    replaced by a later one, a number, and the text in another case or width."""
    yield value
    if "i" in letters and isinstance(value, Word):
        yield unknown_word("a number", value.src, like="*")
    for letter in letters:
        if letter not in REWRITING_ATTRIBUTES:
            continue
        yield tuple(_rewrite_text(word, letter) for word in value) if isinstance(value, tuple) else _rewrite_text(value, letter)


def _rewrite_text(word: Word, letter: str) -> Word:
    if word.text is None or letter in _WIDTHS:
        return unknown_word("a text in another case or width", word.src, splits=word.splits)
    return known_word(_CASE_CHANGES[letter](word.text), word.src)
