"""The syntax tree of shell text, as the parser builds it and the evaluation walks it. Values only, nothing is expanded.

A span is a pair of offsets into the parsed text. The grammar is bash's; where zsh or dash reads a text differently, the
parser reports it (`ParseError`) or the stricter reading is taken.

Most nodes are tuples, which take a fifth of the time of a dataclass to define: every call without a daemon defines them
again. Dataclasses are those that a tuple of another type could equal (`Group` and `Subshell`), and recursive ones, which mypy
does not support as tuples.
"""

from dataclasses import dataclass
from typing import NamedTuple

Span = tuple[int, int]


class Text(NamedTuple):
    """Literal characters. Unquoted ones may still be a glob, a brace list or a tilde."""

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
    """`$(...)`, backquotes, `${ ...; }`: the output of the body."""

    body: "Sequence"
    quoted: bool
    raw: str


class Process(NamedTuple):
    """`<(...)`, `>(...)`, zsh's `=(...)`: a file name for the body's output or input."""

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
    """A word: text between blanks."""

    pieces: tuple[Piece, ...]
    span: Span


class Element(NamedTuple):
    """An element of an array literal; `key` is set in `[k]=v` and `[k]+=v`."""

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
    """A simple command. `words` may hold assignments after a declaration builtin (`export A=1`, `declare -a x=(1 2)`)."""

    assignments: tuple[Assignment, ...]
    words: tuple[ShellWord | Assignment, ...]
    redirects: tuple[Redirect, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Two commands or more joined by `|`; `both` holds the indices of commands whose stderr is piped, too (`|&`)."""

    commands: "tuple[Node, ...]"
    span: Span
    both: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Not:
    """`! command`"""

    command: "Node"
    span: Span


@dataclass(frozen=True, slots=True)
class TimedPipeline:
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
    """Commands run one after the other: `a; b`, and lines."""

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
    """`if` and each `elif`: a condition and its body."""

    branches: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None
    span: Span


class While(NamedTuple):
    """`while` and `until`; the difference does not change which commands may run, unless the condition is certain."""

    condition: Sequence
    body: Sequence
    span: Span
    keyword: str = "while"


class For(NamedTuple):
    """`for` and `select`. No `words` (not the same as an empty list) means the positional parameters."""

    name: str
    words: tuple[ShellWord, ...] | None
    body: Sequence
    span: Span
    keyword: str = "for"


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
    """A function definition; its body is any command."""

    name: str
    body: "Node"
    span: Span


class Condition(NamedTuple):
    """`[[ ... ]]`: its words in order; operators are unquoted text."""

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
class RedirectedCommand:
    """A compound command with redirects."""

    command: "Node"
    redirects: tuple[Redirect, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class DialectVariants:
    """Whole lines that bash and dash read differently. `stops`: they are a syntax error in dash, which exits."""

    bash: Sequence
    dash: Sequence
    span: Span
    stops: bool = False


@dataclass(frozen=True, slots=True)
class ArithmeticAsSubshells:
    """`((...))` in a shell without arithmetic commands: two subshells of the intended expression."""

    body: Subshell
    span: Span


Node = (
    Simple
    | Pipeline
    | Not
    | TimedPipeline
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
    | RedirectedCommand
    | DialectVariants
    | ArithmeticAsSubshells
)


class ParseError(NamedTuple):
    """Why and where parsing stopped: everything from there on is unknown."""

    why: str
    span: Span


class Program(NamedTuple):
    """A parsed text: the complete lines that a shell would run, and the reason why the rest could not be parsed."""

    body: Sequence
    trouble: ParseError | None = None
