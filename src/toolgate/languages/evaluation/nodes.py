"""The intermediate representation that every language is lowered to: expressions and statements."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from .values import Value


class Literal(NamedTuple):
    value: Value


class Name(NamedTuple):
    name: str


class Attribute(NamedTuple):
    owner: Expression
    name: str


class Index(NamedTuple):
    owner: Expression
    key: Expression


class Slice(NamedTuple):
    owner: Expression
    low: Expression | None
    high: Expression | None
    step: Expression | None


class Argument(NamedTuple):
    """`kind`: `positional`, `named`, `spread` (`*args`) or `spread-map` (`**kwargs`)."""

    kind: str
    name: str
    value: Expression


class Call(NamedTuple):
    function: Expression
    arguments: tuple[Argument, ...]


class Construction(NamedTuple):
    """`new function(arguments)`."""

    function: Expression
    arguments: tuple[Argument, ...]


class Collection(NamedTuple):
    """A list, tuple or set literal. A `Spread` among the items is replaced by all its values."""

    kind: str
    items: tuple[Expression, ...]


class Spread(NamedTuple):
    value: Expression


class MapLiteral(NamedTuple):
    """A pair without a key spreads another map. As a target: each value goes to the target with its key."""

    pairs: tuple[tuple[Expression | None, Expression], ...]


class Lambda(NamedTuple):
    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    generates: bool = False
    is_async: bool = False
    binding: str = "method"


class Concatenation(NamedTuple):
    """Texts and values concatenated to one text."""

    parts: tuple[Expression, ...]


class Operation(NamedTuple):
    """`first op operand op operand ..`, all of one precedence, from left to right."""

    first: Expression
    more: tuple[tuple[str, Expression], ...]


class Unary(NamedTuple):
    operator: str
    operand: Expression


class Logical(NamedTuple):
    """`operator`: `and`, `or`, or `??`, which evaluates the next operand if the value is null."""

    operator: str
    operands: tuple[Expression, ...]


class Comparison(NamedTuple):
    operator: str
    left: Expression
    right: Expression


class Conditional(NamedTuple):
    test: Expression
    consequence: Expression
    alternative: Expression


class Clause(NamedTuple):
    target: Expression
    iterable: Expression
    tests: tuple[Expression, ...]


class Comprehension(NamedTuple):
    kind: str
    element: Expression
    clauses: tuple[Clause, ...]


class AssignmentExpression(NamedTuple):
    """As a target: `value` is the default, stored if there is none."""

    target: Expression
    value: Expression


class Yield(NamedTuple):
    value: Expression | None
    is_spread: bool


class Parameter(NamedTuple):
    """`kind`: `positional`, `named`, `rest` (`*args`), `rest-map` (`**kwargs`), `all` (a list of all arguments), `receiver`,
    or `self` (the function). `annotation`: the type it is declared with, and what else the declaration says of it."""

    kind: str
    name: str
    default: Expression | None
    annotation: tuple[Expression, ...] = ()


Expression: TypeAlias = (
    Literal
    | Name
    | Attribute
    | Index
    | Slice
    | Call
    | Construction
    | Collection
    | Spread
    | MapLiteral
    | Lambda
    | Concatenation
    | Operation
    | Unary
    | Logical
    | Comparison
    | Conditional
    | Comprehension
    | AssignmentExpression
    | Yield
)


class ExpressionStatement(NamedTuple):
    """An expression statement."""

    value: Expression


class Assignment(NamedTuple):
    targets: tuple[Expression, ...]
    value: Expression


class Declaration(NamedTuple):
    """Names that are new in the current scope."""

    target: Expression
    value: Expression


class Scope(NamedTuple):
    """A block with its own scope."""

    body: Block


class BreakableBlock(NamedTuple):
    """The block that a `break`, or a jump to its label, leaves."""

    body: Block
    label: str = ""


class AugmentedAssignment(NamedTuple):
    """`target op= value`."""

    target: Expression
    operator: str
    value: Expression


class If(NamedTuple):
    """Each arm is a test and a block, which runs if the test is the first that is true."""

    arms: tuple[tuple[Expression, Block], ...]
    alternative: Block


class For(NamedTuple):
    """`has_scope`: the target, and names that the body declares, are new in each round."""

    target: Expression
    iterable: Expression
    body: Block
    alternative: Block = ()
    has_scope: bool = False
    label: str = ""


class While(NamedTuple):
    """`update` runs after each round, also after `continue`."""

    test: Expression
    body: Block
    alternative: Block = ()
    update: Block = ()
    label: str = ""


class Switch(NamedTuple):
    """A case without a literal may match anything. Its bindings are assignments at the start of its body, from the subject,
    which is bound to `subject_name`."""

    subject: Expression
    subject_name: str
    cases: tuple[tuple[Expression | None, Block], ...]


class Definition(NamedTuple):
    function: Lambda
    decorators: tuple[Expression, ...]


class ClassDefinition(NamedTuple):
    name: str
    bases: tuple[Expression, ...]
    body: Block
    decorators: tuple[Expression, ...]
    annotated: tuple[str, ...]


class Return(NamedTuple):
    value: Expression | None


class Raise(NamedTuple):
    value: Expression | None


class Jump(NamedTuple):
    """`break` or `continue`, with a space and its label, if any."""

    kind: str


class With(NamedTuple):
    entered: tuple[tuple[Expression, Expression | None], ...]
    body: Block


class Try(NamedTuple):
    """A handler consists of the names it binds and its body."""

    body: Block
    handlers: tuple[tuple[tuple[str, ...], Block], ...]
    alternative: Block
    final: Block


class Import(NamedTuple):
    """`attribute`: the name imported from the module; empty for the module itself, `*` for all names."""

    module: str
    attribute: str
    bound: str


class OuterNames(NamedTuple):
    """Names that belong to the module or the enclosing function wherever they are assigned."""

    names: tuple[str, ...]


class Deletion(NamedTuple):
    targets: tuple[Expression, ...]


class ShellLine(NamedTuple):
    """A line that a notebook passes to the shell."""

    text: str


class Sequence(NamedTuple):
    body: Block


Statement: TypeAlias = (
    ExpressionStatement
    | Assignment
    | Declaration
    | Scope
    | BreakableBlock
    | AugmentedAssignment
    | If
    | For
    | While
    | Switch
    | Definition
    | ClassDefinition
    | Return
    | Raise
    | Jump
    | With
    | Try
    | Import
    | OuterNames
    | Deletion
    | ShellLine
    | Sequence
)
Block: TypeAlias = tuple[Statement, ...]
