"""The shape of shell text: what the parser gives and what the reading of commands walks. Values only, nothing expanded.

A span is a pair of offsets into the text that was parsed. Everything here is bash's grammar; where zsh or dash read
a text otherwise, the parser says so (`Trouble`) or the walk takes the stricter reading.
"""

from dataclasses import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as they stand. Unquoted ones may still mean a glob, a brace list or a tilde; quoted ones mean themselves."""

    value: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
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


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(...)`, backquotes, `${ ...; }`: what the body prints."""

    body: "Sequence"
    quoted: bool
    raw: str


@dataclass(frozen=True, slots=True)
class Process:
    """`<(...)`, `>(...)`, zsh's `=(...)`: a file name that stands for the body's output or input."""

    direction: str
    body: "Sequence"
    raw: str


@dataclass(frozen=True, slots=True)
class Arithmetic:
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


@dataclass(frozen=True, slots=True)
class Element:
    """One member of an array literal; `key` is there in `[k]=v` and `[k]+=v`."""

    key: ShellWord | None
    value: ShellWord
    append: bool = False


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name=value`, `name+=value`, `name[subscript]=value`, `name=(elements)`. A bare `name=` has an empty value."""

    name: str
    value: ShellWord | None
    span: Span
    append: bool = False
    subscript: ShellWord | None = None
    elements: tuple[Element, ...] | None = None


@dataclass(frozen=True, slots=True)
class Redirect:
    """`descriptor` is `""`, digits or `{name}`. The target of `<<` and `<<-` is the body of the here-document."""

    descriptor: str
    operator: str
    target: ShellWord
    span: Span


@dataclass(frozen=True, slots=True)
class Simple:
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


@dataclass(frozen=True, slots=True)
class If:
    """`if`, and each `elif`: a condition and what follows it."""

    branches: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    """`while` and `until`; which of the two it is does not change what may run."""

    condition: Sequence
    body: Sequence
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """`for` and `select`. No `words` (not the same as an empty list) means the positional parameters."""

    name: str
    words: tuple[ShellWord, ...] | None
    body: Sequence
    span: Span


@dataclass(frozen=True, slots=True)
class ArithmeticFor:
    """`for ((a; b; c))`"""

    expressions: tuple[Arithmetic, ...]
    body: Sequence
    span: Span


@dataclass(frozen=True, slots=True)
class Arm:
    """`end` is `;;`, `;&`, `;;&` or empty for the last."""

    patterns: tuple[ShellWord, ...]
    body: Sequence
    end: str


@dataclass(frozen=True, slots=True)
class Case:
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


@dataclass(frozen=True, slots=True)
class Condition:
    """`[[ ... ]]`: its words in order; operators are unquoted text of their own."""

    words: tuple[ShellWord, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ArithmeticCommand:
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


@dataclass(frozen=True, slots=True)
class Trouble:
    """What could not be read, and where: everything from there on is unknown."""

    why: str
    span: Span


@dataclass(frozen=True, slots=True)
class Program:
    """A text: the complete lines that a shell would run, and what stands in the way of reading the rest."""

    body: Sequence
    trouble: Trouble | None = None
