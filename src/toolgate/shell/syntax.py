"""The shape of shell text: what the parser gives and what the reading of commands walks. Values only, nothing expanded.

A span is a pair of offsets into the text that was parsed. Everything here is bash's grammar; where zsh or dash read
a text otherwise, the parser says so (`Trouble`) or the walk takes the stricter reading.

Most kinds are tuples, which cost a fifth of a dataclass to define: every call without a daemon defines them anew. Dataclasses are
those that a tuple of another kind could equal (`Group` and `Subshell`), and those through which kinds hold each other without
end, where mypy reads no tuples.
"""

from dataclasses import dataclass
from typing import NamedTuple

Span = tuple[int, int]


class Text(NamedTuple):
    """Characters as they stand. Unquoted ones may still mean a glob, a brace list or a tilde; quoted ones mean themselves."""

    value: str
    quoted: bool


class Parameter(NamedTuple):
    """`$name` or `${...}`: `operator` is the text between the name and its argument (`:-`, `##`, `//`, `@Q`, `:` ...).

    `prefix` is `!` (indirect) or `#` (length) or empty. `${a/b/c}` has argument b and replacement c;
    `${a:1:2}` has argument 1 and replacement 2.
    """

    name: str
    quoted: bool
    raw: str
    prefix: str = ""
    subscript: "ShellWord | None" = None
    operator: str = ""
    argument: "ShellWord | None" = None
    replacement: "ShellWord | None" = None


class Substitution(NamedTuple):
    """`$(...)`, backquotes, `${ ...; }`: what the body prints."""

    body: "Sequence"
    quoted: bool
    raw: str


class Process(NamedTuple):
    """`<(...)`, `>(...)`, zsh's `=(...)`: a file name that stands for the body's output or input."""

    direction: str
    body: "Sequence"
    raw: str


class Arithmetic(NamedTuple):
    """`$((...))`, `$[...]`: an expression with the expansions inside it; names in it are variables."""

    pieces: "tuple[Piece, ...]"
    quoted: bool
    raw: str


Piece = Text | Parameter | Substitution | Process | Arithmetic


@dataclass(frozen=True, slots=True)
class ShellWord:
    """What stands between blanks."""

    pieces: tuple[Piece, ...]
    span: Span


class Element(NamedTuple):
    """One member of an array literal; `key` is there in `[k]=v` and `[k]+=v`."""

    key: ShellWord | None
    value: ShellWord
    append: bool = False


class Assignment(NamedTuple):
    """`name=value`, `name+=value`, `name[subscript]=value`, `name=(elements)`. A bare `name=` has an empty value."""

    name: str
    value: ShellWord | None
    span: Span
    append: bool = False
    subscript: ShellWord | None = None
    elements: tuple[Element, ...] | None = None


class Redirect(NamedTuple):
    """`descriptor` is `""`, digits or `{name}`. The target of `<<` and `<<-` is the body of the here-document."""

    descriptor: str
    operator: str
    target: ShellWord
    span: Span


class Simple(NamedTuple):
    """`words` may hold assignments after a declaring word (`export A=1`, `declare -a x=(1 2)`)."""

    assignments: tuple[Assignment, ...]
    words: tuple[ShellWord | Assignment, ...]
    redirects: tuple[Redirect, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Two commands or more joined by `|`; `|&` is in `both` by the index of the command whose stderr goes along."""

    commands: "tuple[Node, ...]"
    span: Span
    both: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Not:
    """`! command`"""

    command: "Node"
    span: Span


@dataclass(frozen=True, slots=True)
class Timed:
    """`time command`"""

    command: "Node"
    span: Span


@dataclass(frozen=True, slots=True)
class AndOr:
    """`first && a || b`: `rest` holds the operator with the command after it."""

    first: "Node"
    rest: "tuple[tuple[str, Node], ...]"
    span: Span


@dataclass(frozen=True, slots=True)
class Background:
    """`command &`"""

    command: "Node"
    span: Span


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other: `a; b`, and lines."""

    items: "tuple[Node, ...]"
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """`{ ...; }`"""

    body: Sequence
    span: Span


@dataclass(frozen=True, slots=True)
class Subshell:
    """`( ... )`"""

    body: Sequence
    span: Span


class If(NamedTuple):
    """`if`, and each `elif`: a condition and what follows it."""

    branches: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None
    span: Span


class While(NamedTuple):
    """`while` and `until`; which of the two it is does not change what may run."""

    condition: Sequence
    body: Sequence
    span: Span


class For(NamedTuple):
    """`for` and `select`. No `words` (not the same as an empty list) means the positional parameters."""

    name: str
    words: tuple[ShellWord, ...] | None
    body: Sequence
    span: Span


class ArithmeticFor(NamedTuple):
    """`for ((a; b; c))`"""

    expressions: tuple[Arithmetic, ...]
    body: Sequence
    span: Span


class Arm(NamedTuple):
    """`end` is `;;`, `;&`, `;;&` or empty for the last."""

    patterns: tuple[ShellWord, ...]
    body: Sequence
    end: str


class Case(NamedTuple):
    """`case subject in ... esac`"""

    subject: ShellWord
    arms: tuple[Arm, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Function:
    """A definition; its body is any command."""

    name: str
    body: "Node"
    span: Span


class Condition(NamedTuple):
    """`[[ ... ]]`: its words in order; operators are unquoted text of their own."""

    words: tuple[ShellWord, ...]
    span: Span


class ArithmeticCommand(NamedTuple):
    """`((...))`"""

    expression: Arithmetic
    span: Span


@dataclass(frozen=True, slots=True)
class Coprocess:
    """`coproc name command`"""

    name: str
    command: "Node"
    span: Span


@dataclass(frozen=True, slots=True)
class Redirected:
    """A compound command with redirects of its own."""

    command: "Node"
    redirects: tuple[Redirect, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Either:
    """Whole lines that bash reads as the first and dash as the second. `stops`: dash meets a mistake in them, and leaves."""

    bash: Sequence
    dash: Sequence
    span: Span
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Miscounted:
    """`((...))` where a shell without arithmetic commands reads it: two subshells, of what was meant to be counted."""

    body: Subshell
    span: Span


Node = (
    Simple
    | Pipeline
    | Not
    | Timed
    | AndOr
    | Background
    | Sequence
    | Group
    | Subshell
    | If
    | While
    | For
    | ArithmeticFor
    | Case
    | Function
    | Condition
    | ArithmeticCommand
    | Coprocess
    | Redirected
    | Either
    | Miscounted
)


class Trouble(NamedTuple):
    """What could not be read, and where: everything from there on is unknown."""

    why: str
    span: Span


class Program(NamedTuple):
    """A text: the complete lines that a shell would run, and what stands in the way of reading the rest."""

    body: Sequence
    trouble: Trouble | None = None
