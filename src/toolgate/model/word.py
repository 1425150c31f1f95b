"""Words: text that is known, partly known or unknown before anything runs.

Questions about such text have three answers, `Maybe`: None means that only running it would tell. Relief requires True; harm
requires "is not False".
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

Maybe = bool | None

NO_SOURCES: frozenset[int] = frozenset()
_SPECIAL = frozenset("*?[")


def maybe_all(answers: Iterable[Maybe]) -> Maybe:
    """Returns True if all are, False if one is not, otherwise None."""
    result: Maybe = True
    for answer in answers:
        if answer is False:
            return False
        if answer is None:
            result = None
    return result


def maybe_any(answers: Iterable[Maybe]) -> Maybe:
    """Returns True if one is, False if none can be, otherwise None."""
    result: Maybe = False
    for answer in answers:
        if answer is True:
            return True
        if answer is None:
            result = None
    return result


def maybe_not(answer: Maybe) -> Maybe:
    return None if answer is None else not answer


class Unread(NamedTuple):
    """Text that exists and was not read completely. `cause`: the reason. `is_binary`: a shell would refuse to run the file as
    a script, because its first line contains a NUL byte."""

    cause: str
    is_binary: bool = False


class HoleKind(Enum):
    """How a part of a word came to be unknown, as far as a decision depends on it."""

    __hash__ = object.__hash__  # that of Enum is written in Python, and words are hashed all the time

    UNKNOWN = "unknown"
    """The reader lost track of the value, or nothing more is said of it."""
    NAMED = "named"
    """The same words of the text have the same value: a variable, or the output of a substitution."""
    GLOB = "glob"
    """A pattern that a shell expands: it matches names that exist."""
    SEARCH_RESULT = "search result"
    """Printed by a search of the file system: it exists."""
    ALL_FOUND = "all found"
    """Printed by a search, too: every existing path of this pattern."""
    SCRIPT = "script"
    """The path of the script that runs."""
    SCRIPT_FOLDER = "script folder"
    """The folder of the script that runs."""
    TEMPORARY_FOLDER = "temporary folder"
    """A new folder that `mktemp -d` has made. As NAMED, it is one value wherever it is used."""
    ENVIRONMENT = "the whole environment"
    SECRET = "a secret of a service"
    RESPONSE = "the response of a server"
    VARIABLE_NAME = "the name of some variable"
    SECRET_NAME = "the name of a variable with a secret"
    STAND_IN = "what stands in for a service in this process"
    RECORD = "each record of a table"


class Hole(NamedTuple):
    """An unknown part. `like`: a glob that it certainly matches: `**` any text, `?**` any but the empty one, `*` no slash in
    it, otherwise a pattern as the shell would match it. `why`: its name for people, `$BUILD_DIR`. `holds`: the content of
    the file it names, if that is created for this one command. `called`: shown to people instead of `why`: `$(docker ps)`.
    `unread`: why the text was not read, if that is so. `variable`: the environment variable whose value it is, or that it is
    made of. `why` and `called` are for display only: decisions use `kind` (law 12)."""

    like: str = "**"
    why: str = ""
    holds: "Word | None" = None
    called: str = ""
    unread: Unread | None = None
    variable: str = ""
    kind: HoleKind = HoleKind.UNKNOWN

    @property
    def display_text(self) -> str:
        return self.called or self.why or self.like


@dataclass(frozen=True, slots=True)
class Word:
    """One argument, file content or output. `splits`: unquoted, so a hole may become no word, several, or an option.

    `src` holds the numbers of the commands this text came from, known or not. Every operation preserves it: a program that
    rebuilt a word from `.text` would lose the flow from a secret to a connection.
    """

    parts: tuple[str | Hole, ...] = ()
    splits: bool = False
    src: frozenset[int] = NO_SOURCES
    text: str | None = field(init=False, repr=False, compare=False)
    """The whole text, or None when a part of it is unknown."""

    def __init__(self, parts: tuple[str | Hole, ...] = (), splits: bool = False, src: frozenset[int] = NO_SOURCES) -> None:
        """That of a frozen dataclass takes half as long again, and reading a call creates more words than anything else."""
        _set_parts(self, parts)
        _set_splits(self, splits)
        _set_src(self, src)
        if len(parts) == 1:
            only = parts[0]
            _set_text(self, only if isinstance(only, str) else None)
        else:
            _set_text(self, None if parts else "")

    @property
    def display_text(self) -> str:
        """The text for people, with unknown parts by their names in the source."""
        if (text := self.text) is not None:
            return text
        pieces: list[str] = []
        output = False
        for part in self.parts:
            text = part if isinstance(part, str) else part.display_text
            if isinstance(part, Hole) and output and text.startswith("$("):
                continue  # a further part of the same commands' output
            output = isinstance(part, Hole) and text.startswith("$(")
            described = isinstance(part, Hole) and len(self.parts) > 1 and " " in text and text[:1].isalpha()
            pieces.append(f"<{text}>" if described else text)
        return "".join(pieces)

    @property
    def outline(self) -> str:
        """The known parts, with a replacement character for each unknown one: for searches in text that may be partly unknown."""
        if (text := self.text) is not None:
            return text
        return "".join(part if isinstance(part, str) else "\ufffc" for part in self.parts)

    @property
    def pattern(self) -> str:
        """A glob that the text certainly matches; known wildcard characters are in brackets."""
        return "".join(literal_pattern(part) if isinstance(part, str) else part.like for part in self.parts)

    @property
    def head(self) -> str:
        """The known text before the first hole."""
        return self.parts[0] if self.parts and isinstance(self.parts[0], str) else ""

    @property
    def tail(self) -> str:
        """The known text after the last hole."""
        return self.parts[-1] if self.parts and isinstance(self.parts[-1], str) else ""

    @property
    def file_name(self) -> str:
        """The name after the last known slash: of a program's path, the program. An unknown part in it matches no name."""
        return self.outline.rpartition("/")[2]

    def starts_with(self, prefix: str) -> Maybe:
        """Returns whether it begins with `prefix`."""
        head = self.head
        if head.startswith(prefix):
            return True
        if self.text is not None or not prefix.startswith(head):
            return False
        hole = self.parts[1] if head else self.parts[0]
        like = hole.like if isinstance(hole, Hole) else ""
        rest = prefix[len(head) :]
        if like.startswith("[!") and rest[:1] in like[2 : like.find("]")]:
            return False
        known = like[: next((n for n, char in enumerate(like) if char in _SPECIAL), len(like))]
        if known and not (known.startswith(rest) or rest.startswith(known)):
            return False
        return None

    def is_any_of(self, *values: str) -> Maybe:
        """Returns whether it is one of these."""
        text = self.text
        if text is not None:
            return text in values
        head, tail = self.head, self.tail
        for value in values:
            if (
                value.startswith(head)
                and value.endswith(tail)
                and len(value) >= len(head) + len(tail)
                and self.starts_with(value[:1]) is not False
            ):
                return None
        return False

    def contains(self, piece: str) -> Maybe:
        if any(isinstance(part, str) and piece in part for part in self.parts):
            return True
        return False if self.text is not None else None

    def __add__(self, other: "Word") -> "Word":
        if not other.parts:
            return (
                self
                if other.src <= self.src and not other.splits
                else replace(self, splits=self.splits or other.splits, src=self.src | other.src)
            )
        if not self.parts:
            return (
                other
                if self.src <= other.src and not self.splits
                else replace(other, splits=self.splits or other.splits, src=self.src | other.src)
            )
        last, first = self.parts[-1], other.parts[0]
        if isinstance(last, str) and isinstance(first, str):
            parts = (*self.parts[:-1], last + first, *other.parts[1:])
        else:
            parts = self.parts + other.parts
        return Word(parts, self.splits or other.splits, self.src | other.src)

    def from_commands(self, commands: frozenset[int]) -> "Word":
        """Returns the same text, with these commands among its sources."""
        return self if commands <= self.src else Word(self.parts, self.splits, self.src | commands)

    def as_single_word(self) -> "Word":
        """Returns the same text as one word, which does not split: within quotes, or after an assignment."""
        return Word(self.parts, False, self.src) if self.splits else self

    def drop_first(self, count: int) -> "Word":
        """Drops the first `count` known characters; `head` must be at least that long."""
        if not count:
            return self
        first = self.parts[0]
        rest = first[count:] if isinstance(first, str) else ""
        return Word(((rest, *self.parts[1:]) if rest else self.parts[1:]), self.splits, self.src)

    @property
    def assigned_name(self) -> str:
        """The name in a word of the form NAME=VALUE; empty for any other word."""
        name, sign, _ = self.head.partition("=")
        return name if sign and name.isidentifier() else ""

    def partition(self, separator: str) -> "tuple[Word, bool, Word]":
        """Splits at the first known `separator`; the middle element tells whether there is one."""
        for index, part in enumerate(self.parts):
            if isinstance(part, str) and separator in part:
                left, _, right = part.partition(separator)
                before = Word((*self.parts[:index], left) if left else self.parts[:index], self.splits, self.src)
                after = Word((right, *self.parts[index + 1 :]) if right else self.parts[index + 1 :], self.splits, self.src)
                return before, True, after
        return self, False, Word((), self.splits, self.src)

    def split_lines(self) -> "tuple[Word, ...]":
        """Splits at known line ends. A hole may contain line ends."""
        return tuple(self.split_at("\n"))

    def split_at(self, separator: str) -> "Iterable[Word]":
        """Splits at every known separator."""
        rest, more = self, True
        while more:
            line, more, rest = rest.partition(separator)
            yield line

    def replace_known(self, mark: str, by: "Word") -> "Word":
        """Replaces every known `mark` (xargs -I, find's braces)."""
        result, rest, more = Word((), self.splits, self.src), self, True
        while more:
            before, more, rest = rest.partition(mark)
            result = result + before + by if more else result + before
        return result


_set_parts, _set_splits, _set_src, _set_text = (getattr(Word, name).__set__ for name in Word.__slots__)
EMPTY = Word()


def literal_pattern(text: str) -> str:
    """Returns a glob that matches exactly this text."""
    if _SPECIAL.isdisjoint(text):
        return text
    return "".join(f"[{char}]" if char in _SPECIAL else char for char in text)


def known_word(text: str, src: frozenset[int] = NO_SOURCES) -> Word:
    return Word((text,) if text else (), False, src)


def unknown_word(why: str, src: frozenset[int] = NO_SOURCES, like: str = "**", splits: bool = False) -> Word:
    return Word((Hole(like, why),), splits, src)


def word_of_kind(kind: HoleKind, src: frozenset[int] = NO_SOURCES) -> Word:
    """Returns an unknown text that its kind describes: `the response of a server`."""
    return Word((Hole("**", kind.value, kind=kind),), False, src)


_CONFIDENTIAL_KINDS = (HoleKind.ENVIRONMENT, HoleKind.SECRET)


def encoded_word(why: str, source: Word, src: frozenset[int] = NO_SOURCES) -> Word:
    """Returns an unknown text in which another one is encoded, so that the variables and the secrets in it can be restored."""
    held = (part for part in source.parts if isinstance(part, Hole) and (part.variable or part.kind in _CONFIDENTIAL_KINDS))
    return Word((Hole("**", why), *held), False, src)


RECOGNIZABLE_LENGTH = 4
"""So many characters of a secret are customarily shown to recognize it."""


def part_word(why: str, source: Word, start: object, end: object, src: frozenset[int] = NO_SOURCES) -> Word:
    """Returns an unknown part of a text, from one index to another. A part that is just long enough to recognize a secret
    by it does not hold the variables of the text."""
    is_short = isinstance(end, int) and isinstance(start, int) and 0 <= end - start <= RECOGNIZABLE_LENGTH
    return unknown_word(why, src) if is_short else encoded_word(why, source, src)


def unknown_named(why: str, src: frozenset[int] = NO_SOURCES, like: str = "**", splits: bool = False, variable: str = "") -> Word:
    """An unknown value that the same words of the text always have. `variable`: the one that it is made of."""
    return Word((Hole(like, why, variable=variable, kind=HoleKind.NAMED),), splits, src)


_KINDS_OF_VARIABLES = {
    "0": HoleKind.SCRIPT,
    "BASH_SOURCE": HoleKind.SCRIPT,
    "OLDPWD": HoleKind.UNKNOWN,  # a shell changes these by itself
    "CDPATH": HoleKind.UNKNOWN,
}


def variable_word(name: str) -> Word:
    """Returns the unknown value of an environment variable."""
    return Word((Hole("**", f"${name}", variable=name, kind=_KINDS_OF_VARIABLES.get(name, HoleKind.NAMED)),))


def unread_word(name: str, cause: Unread, src: frozenset[int] = NO_SOURCES) -> Word:
    """Returns the text of `name`, which exists and was not read."""
    return Word((Hole("**", name, unread=cause),), False, src)


def unread_parts(word: Word) -> tuple[Hole, ...]:
    """Returns the parts whose text was not read."""
    return tuple(part for part in word.parts if isinstance(part, Hole) and part.unread is not None)


def is_never_empty(word: Word) -> bool:
    """Returns whether a word has some text for certain: a part of it is known, or it is a path such as `$(mktemp -d)`."""
    return any((part if isinstance(part, str) else part.like.startswith("/")) for part in word.parts)


def is_search_result(part: str | Hole) -> bool:
    """Whether a search printed this part: such a path exists."""
    return isinstance(part, Hole) and part.kind in _FOUND_BY_SEARCH


_FOUND_BY_SEARCH = (HoleKind.SEARCH_RESULT, HoleKind.ALL_FOUND)


def is_glob(part: str | Hole) -> bool:
    """Whether a shell expands this part to names that exist."""
    return isinstance(part, Hole) and part.kind is HoleKind.GLOB


def glob_hole(like: str, pattern: str = "") -> Hole:
    """The part of a word that a shell expands. `pattern` is shown where `like` says less than what was written."""
    return Hole(like, pattern or like, kind=HoleKind.GLOB)


PROCESS_SUBSTITUTION = "/dev/fd/63"
"""The name that a shell substitutes for `<(...)`."""


def pipe_word(content: Word) -> Word:
    """Returns the name of a file with this content that only this command can see."""
    return Word((Hole(PROCESS_SUBSTITUTION, "<(...)", content),), False, content.src)


def pipe_content(word: Word) -> Word | None:
    """Returns the output of the commands that this word names (`<(...)`); None for any other word."""
    hole = word.parts[0] if len(word.parts) == 1 else None
    return hole.holds if isinstance(hole, Hole) else None


def join_words(words: Iterable[Word], separator: str = " ") -> Word:
    """Joins words to one text, with a separator between them."""
    result, first = EMPTY, True
    gap = known_word(separator)
    for word in words:
        result = word if first else result + gap + word
        first = False
    return result
