"""State shared by the parts of the evaluator, the library's interface, and the methods that the parts call on each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from toolgate.model.word import Maybe, Word

from .journal import Frame, Journal
from .nodes import Block, Expression
from .step_budget import StepBudget
from .uncalled_functions import OutsideCalls, is_whole_program
from .values import Callable_, Choice, ClassValue, Function, MapValue, Reference, Unknown, Value, join_all

if TYPE_CHECKING:
    from .path_lists import PathLists
    from .reporter import Reporter
    from .selections import Selections

MAX_UNROLLED = 64
"""Maximum items that a loop reads one by one; further items are read together."""
MAX_TOTAL_UNROLLED = 256
"""Maximum rounds that nested loops read one by one, in total."""


class Arguments(NamedTuple):
    """The arguments of a call. `rest`: any number of further ones, each of this value."""

    positional: tuple[Value, ...] = ()
    named: Mapping[str, Value] = {}
    rest: Value | None = None

    def all_values(self) -> list[Value]:
        return [*self.positional, *self.named.values(), *(() if self.rest is None else (self.rest,))]


class Library(Protocol):
    """A language's built-in names, and the behaviour of its libraries."""

    constructor: str
    binds_receiver: bool
    """Whether the receiver is the first parameter of a method."""
    calls_by_value: bool
    assigns_outward: bool
    """Whether an assignment changes the nearest variable of that name, in an outer scope, too."""
    map_type: type[MapValue]
    list_kind: str
    rest_kind: str
    """The kinds of list for the rest of an unpacked value and the rest of the arguments."""
    missing_argument: Value | None
    """The value of a parameter without an argument; None if unknown."""
    fixtures: Mapping[str, Value]
    """The values that a test framework passes to functions of tests, by the parameter's name."""

    def find_builtin(self, evaluation: Evaluation, name: str) -> Value | None: ...

    def has_call(self, name: str) -> bool: ...

    def describes_module(self, name: str) -> bool: ...

    def canonicalize_name(self, name: str) -> str: ...

    def module_reference(self, name: str) -> Value: ...

    def read_constant(self, evaluation: Evaluation, name: str) -> Value | None: ...

    def read_property(self, evaluation: Evaluation, owner: Value, name: str) -> Value | None: ...

    def read_index(self, evaluation: Evaluation, owner: Value, key: Value) -> Value | None: ...

    def type_of(self, value: Value) -> str: ...

    def apply_operator(self, evaluation: Evaluation, operator: str, left: Value, right: Value) -> Value | None: ...

    def call_reference(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value: ...

    def is_harmful(self, reference: Reference) -> bool: ...

    def try_call(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> bool: ...

    def find_narrowing(self, evaluation: Evaluation, test: Expression) -> tuple[Expression, list[str]] | None: ...

    def truth_of(self, value: Value) -> Maybe: ...

    def callback_arguments(self, item: Value, number: Value, holder: Value, /) -> tuple[Value, ...]: ...

    def initial_fields(self, _evaluation: Evaluation, _cls: ClassValue, /) -> dict[str, Value]: ...

    def convert_iterable(self, _evaluation: Evaluation, _value: Value, /) -> Value | None: ...


class Evaluation(ABC):
    """One reading of one text. `frame` is the current frame."""

    selections: Selections
    path_lists: PathLists
    prints_fields = False
    """Whether the language prints an object with its fields."""

    def __init__(self, library: Library, report: Reporter, work: StepBudget) -> None:
        self.library, self.report, self.work = library, report, work
        report.is_certain = lambda: self.is_certain
        self.journal = Journal(work)
        self.top = Frame(None, report.unit)
        self.frame = self.top
        self.unrolled = MAX_TOTAL_UNROLLED
        self.repeats = 0
        """How many loops of unknown length enclose the current code."""
        self.round = 0
        """The round of a loop over known items, other than numbers, that the current code is read for; 0 outside of one."""
        self.long_loops = 0
        """How many loops of very many rounds enclose the current code."""
        self.leaving_children = 0
        """How many loops whose forked children leave them enclose the current code."""
        self.listings = 0
        """How many loops over what a client lists enclose the current code."""
        self.patched: dict[str, Value] = {}
        self.called: dict[str, int] = {}
        """How often each function of a library was called."""
        self.loaded: set[Reference] = set()
        self.functions: dict[int, Function] = {}
        self.entered: dict[int, int] = {}
        self.outside_calls = OutsideCalls(is_whole=library.calls_by_value and is_whole_program(report.code))
        self.modules: dict[str, Value | None] = {}
        self.unfiltered: list[Value] = []
        """Deletions of every row to which a condition may still be added."""
        self.search_path: list[Word] = []
        """The folders and archives that the code adds to where modules are found."""
        self.lists_processes = False
        """Whether the code has listed all processes."""
        self.has_settings = False
        """Whether an object of a library was given something that its requests carry."""
        self.module_settings: dict[str, Value] = {}
        """What modules were given that their requests carry."""

    # ---- asked of each other

    @abstractmethod
    def evaluate(self, node: Expression) -> Value: ...

    @abstractmethod
    def decide_test(self, test: Expression) -> Maybe: ...

    @abstractmethod
    def store(self, target: Expression, value: Value) -> None: ...

    @abstractmethod
    def call(self, function: Value, arguments: Arguments) -> Value: ...

    @abstractmethod
    def construct(self, function: Value, arguments: Arguments) -> Value: ...

    @abstractmethod
    def report_client_act(self, name: str, receiver: Value | None, arguments: Arguments) -> None: ...

    @abstractmethod
    def call_unknown(self, why: str, arguments: Arguments, receiver: Value | None = None) -> Value: ...

    @abstractmethod
    def call_escaped(self, function: Callable_, companions: list[Value]) -> None: ...

    @abstractmethod
    def read_attribute(self, owner: Value, name: str) -> Value: ...

    @abstractmethod
    def read_index(self, owner: Value, key: Value) -> Value: ...

    @abstractmethod
    def put_entry(self, target: MapValue, key: Value, value: Value) -> None: ...

    @abstractmethod
    def delete(self, target: Expression) -> None:
        """Removes a variable, or an entry of a container."""

    @abstractmethod
    def delete_entry(self, owner: Value, key: Value) -> None:
        """Removes an entry from each container that a value may be."""

    @abstractmethod
    def loosen_container(self, value: Value) -> None: ...

    @abstractmethod
    def apply_operator(self, operator: str, left: Value, right: Value) -> Value: ...

    @abstractmethod
    def items_of(self, value: Value) -> tuple[list[Value], Value | None]: ...

    @abstractmethod
    def concatenate(self, values: list[Value]) -> Value: ...

    @abstractmethod
    def narrow_by_test(self, test: Expression, holds: bool) -> None: ...

    @abstractmethod
    def run_block(self, block: Block) -> bool: ...

    @abstractmethod
    def load_module(self, name: str) -> Value | None: ...

    # ---- shared

    @property
    def is_certain(self) -> bool:
        """Whether the current code certainly runs."""
        return self.journal.branches == 0

    def choose_branch(self, ways: list[Callable[[], Value]]) -> Value:
        """Returns the value of one of several ways to continue, which is not known."""
        if len(ways) == 1:
            return ways[0]()
        found: list[Value] = []

        def make_branch(way: Callable[[], Value]) -> Callable[[], bool]:
            def run_branch() -> bool:
                found.append(way())
                return False

            return run_branch

        self.journal.run_branches([make_branch(way) for way in ways])
        return self.join_values(*found)

    def run_possibly(self, way: Callable[[], object]) -> None:
        """Reads code that may not run."""

        def run_branch() -> bool:
            way()
            return False

        self.journal.run_branches([run_branch, lambda: False])

    def join_values(self, *values: Value | None) -> Value:
        if len(values) == 1 and values[0] is not None:
            return values[0]
        self.work.spend_steps(len(values))
        return join_all(values) or Unknown()

    def map_alternatives(self, value: Value, do: Callable[[Value], Value]) -> Value:
        """Applies a function to each alternative, and joins the results."""
        return self.join_values(*(do(each) for each in value.alternatives)) if isinstance(value, Choice) else do(value)
