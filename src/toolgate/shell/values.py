"""Values as the shell holds them: a word or an array, and several of them where that depends on the path taken."""

from collections.abc import Iterable

from toolgate.model.word import EMPTY, NOTHING, Hole, Word, is_glob, known, of_variable, unknown

from .protocol import Array

MANY = 16
SIZE = 65_536


def unset(name: str) -> Word:
    return of_variable(name)


ANY_ARGUMENTS: Array = (unset("0"), unknown('"$@"', splits=True))


def argument_lists(lists: tuple[Array, ...]) -> tuple[Array, ...]:
    """Each once; of too many nothing is known."""
    distinct = tuple(dict.fromkeys(lists))
    return distinct if len(distinct) <= MANY else (ANY_ARGUMENTS,)


def size(value: Word | Array) -> int:
    if isinstance(value, tuple):
        return sum(size(word) for word in value)
    total = 0
    for part in value.parts:
        total += len(part) if isinstance(part, str) else 8
    return total


def alternatives(values: Iterable[Word | Array]) -> tuple:  # type: ignore[type-arg]
    """Each once; too many become what they have in common."""
    distinct = tuple(values)
    if len(distinct) > 1:
        distinct = tuple(dict.fromkeys(distinct))
    if len(distinct) <= MANY:
        return distinct
    if any(isinstance(value, tuple) for value in distinct):
        return ((unknown("one of several arrays", sources(distinct), splits=True),),)
    return (common([value for value in distinct if isinstance(value, Word)]),)


def folders(values: Iterable[Word]) -> tuple[Word, ...]:
    """Each once; of too many the first ones stay: where a text began it may well be at its end, when no `cd` was reached."""
    distinct = tuple(dict.fromkeys(values))
    return distinct if len(distinct) <= MANY else (*distinct[:_FIRST], common(list(distinct[_FIRST:])))


_FIRST = 4


def sources(values: Iterable[Word | Array]) -> frozenset[int]:
    """The commands that any of these came from."""
    return NOTHING.union(*(word.src for value in values for word in ((value,) if isinstance(value, Word) else value)))


def first(value: Word | Array) -> Word:
    """An array used as a plain variable is its first element."""
    if isinstance(value, Word):
        return value
    return value[0] if value else EMPTY


def common(words: Iterable[Word]) -> Word:
    """One word that stands for any of these: the known text they all begin with, and a hole."""
    distinct = list(dict.fromkeys(words))
    if len(distinct) == 1:
        return distinct[0]
    heads = [word.head for word in distinct]
    shortest = min(heads, key=len)
    shared = len(shortest)
    for n, char in enumerate(shortest):
        if any(head[n] != char for head in heads):
            shared = n
            break
    if heads[0][:shared] == "/" and all(word.text is None for word in distinct):
        shared = 0  # what is not known of a path does not lie at the root for that
    within = all(word.text is not None and "/" not in word.text[shared:] and ".." not in word.text for word in distinct)
    sources = NOTHING.union(*(word.src for word in distinct))
    hole = Hole("*" if within else "**", "one of several values")
    return Word((shortest[:shared], hole) if shared else (hole,), any(word.splits for word in distinct), sources)


def side_by_side(words: Iterable[Word], gap: str) -> Word:
    """Joined by a gap; what may be no word at all brings its own."""
    result, bare = EMPTY, True
    for word in words:
        nothing_known = word.splits and all(isinstance(part, Hole) and not part.like.strip("*") for part in word.parts)
        result = result + known("" if bare or nothing_known else gap) + word
        bare = nothing_known
    return result


def may_be_several(word: Word) -> bool:
    """Unquoted and not known, or a glob: as many words as it gives."""
    return word.splits or any(map(is_glob, word.parts))


def positional(arguments: Array, index: int) -> Word:
    """`$index` of one alternative."""
    if any(may_be_several(word) for word in arguments[: index + 1]):
        return unset(str(index))
    return arguments[index] if index < len(arguments) else EMPTY


def with_attributes(value: "Word | Array", letters: str) -> "Iterable[Word | Array]":
    """What an assignment leaves in a variable that was declared a number, in capitals or in small letters."""
    if isinstance(value, tuple):
        return (value,)
    if "i" in letters:
        return (value, unknown("a number", value.src, like="*"))
    text = value.text
    if "u" in letters or "l" in letters:
        return (
            value,
            unknown("a text in other letters", value.src)
            if text is None
            else known(text.upper() if "u" in letters else text.lower(), value.src),
        )
    return (value,)
