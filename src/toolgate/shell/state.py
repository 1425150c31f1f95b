"""The shell as it is at one point of the text. Everything that may differ by the path taken is held as alternatives."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from toolgate.model.effect import HERE, Origin, Site, Span
from toolgate.model.place import Place
from toolgate.model.word import EMPTY, NOTHING, Hole, Maybe, Word, known, unknown

from . import syntax
from .protocol import Array, Beyond, Scope, Values

MANY = 16
DEPTH = 24
SIZE = 65_536


@dataclass(frozen=True, slots=True)
class Frame:
    """What a text inherits from whatever runs it. `span`: where in the request it stands, when it is not the request's own."""

    cwd: tuple[Word, ...]
    home: tuple[Word, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Values] = field(default_factory=dict)
    site: Site = HERE
    via: tuple[str, ...] = ()
    arguments: tuple[Word, ...] = ()
    stdin: Word = EMPTY
    span: Span | None = None
    sure: Maybe = True
    always: bool = True
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Stream:
    """An open descriptor: a file, or a connection (`/dev/tcp`)."""

    place: Place | None
    target: Word | None = None


@dataclass(slots=True)
class Shell:
    """`arguments`: $0 and the positional parameters; None where they are not known.

    `failed`: the directories we are in if the last command failed (a `cd` that may fail leaves both).
    `always`: is this point reached on every path? Relief counts only then.
    """

    frame: Frame
    cwd: tuple[Word, ...]
    variables: dict[str, Values]
    exported: set[str]
    functions: "dict[str, tuple[Body, ...]]"
    arguments: tuple[Word, ...] | None
    stdin: Word
    failed: tuple[Word, ...] = ()
    always: bool = True
    strict: bool = False
    depth: int = 0
    stack: tuple[tuple[Word, ...], ...] = ()
    calls: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    number: int = 0
    span: Span = (0, 0)
    traps: list[Word] = field(default_factory=list)
    streams: dict[str, tuple[Stream, ...]] = field(default_factory=dict)

    @classmethod
    def begin(cls, frame: Frame) -> "Shell":
        return cls(
            frame,
            frame.cwd,
            dict(frame.variables),
            set(frame.variables),
            {},
            frame.arguments or (known("sh"),),
            frame.stdin,
            always=frame.always,
            depth=frame.depth,
        )

    def copy(self) -> "Shell":
        """A subshell, or one of several paths."""
        return replace(
            self,
            variables=dict(self.variables),
            exported=set(self.exported),
            functions=dict(self.functions),
            streams=dict(self.streams),
        )

    def maybe(self) -> "Shell":
        """One of several paths: what happens there may not happen."""
        other = self.copy()
        other.always = False
        return other

    def join(self, *others: "Shell") -> None:
        """The paths meet again: whatever one of them left may be so."""
        for other in others:
            self.cwd = alternatives(self.cwd + other.cwd)
            if other.variables != self.variables:
                for name in {*self.variables, *other.variables}:
                    mine, theirs = self.values(name), other.values(name)
                    if mine != theirs:
                        self.variables[name] = alternatives(mine + theirs)
            self.exported |= other.exported
            for name, bodies in other.functions.items():
                mine_too = self.functions.get(name)
                if mine_too != bodies:
                    both = (mine_too or ()) + bodies
                    self.functions[name] = tuple(dict.fromkeys(replace(body, sure=False) for body in both))
            for name, streams in other.streams.items():
                self.streams[name] = tuple(dict.fromkeys(self.streams.get(name, ()) + streams))

    def values(self, name: str) -> Values:
        """The alternatives for a variable; unknown when nothing in the text or the caller's environment sets it."""
        found = self.variables.get(name)
        if found is not None:
            return found
        if name == "HOME":
            return self.frame.home
        text = self.frame.environ.get(name)
        return (known(text),) if text is not None else (unset(name),)

    def is_set(self, name: str) -> bool:
        return name in self.variables or name in self.frame.environ or name == "HOME"

    def assign(self, name: str, values: Values) -> None:
        """From here on; where this point may not be reached, the old values stay possible (the paths are joined later)."""
        for value in values:
            if size(value) > SIZE:
                raise Beyond(f"the value of {name} grows beyond what the gate follows")
        self.variables[name] = alternatives(values)

    def origin(self, number: int | None = None) -> Origin:
        """For an effect of the shell's own, at this point of the text."""
        frame = self.frame
        return Origin(self.number if number is None else number, frame.span or self.span, frame.via, frame.site, frame.sure)

    def scope(self, assigned: Mapping[str, Word]) -> Scope:
        return Scope(self.variables, self.exported, self.frame.environ, assigned)


@dataclass(frozen=True, slots=True)
class Body:
    """A function's body or an alias's text. `sure`: it surely shadows the program of that name. An alias never does."""

    node: syntax.Node
    sure: bool


def unset(name: str) -> Word:
    return unknown(f"${name}")


def size(value: Word | Array) -> int:
    if isinstance(value, tuple):
        return sum(size(word) for word in value)
    return sum(len(part) if isinstance(part, str) else 8 for part in value.parts)


def alternatives(values: Iterable[Word | Array]) -> tuple:  # type: ignore[type-arg]
    """Each once; too many become what they have in common."""
    distinct = tuple(dict.fromkeys(values))
    if len(distinct) <= MANY:
        return distinct
    return (common([value if isinstance(value, Word) else first(value) for value in distinct]),)


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
    within = all(word.text is not None and "/" not in word.text[shared:] and ".." not in word.text for word in distinct)
    sources = NOTHING.union(*(word.src for word in distinct))
    hole = Hole("*" if within else "**", "one of several values")
    return Word((shortest[:shared], hole) if shared else (hole,), any(word.splits for word in distinct), sources)
