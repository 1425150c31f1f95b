"""State of the shell at one point of the text. Whatever differs by the path taken is kept as alternatives."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from operator import attrgetter
from typing import Any, NamedTuple

from toolgate.model.effect import Origin, Span
from toolgate.model.errors import LimitError
from toolgate.model.place import Place
from toolgate.model.word import EMPTY, Maybe, Word, unknown_named, unknown_word
from toolgate.shell.syntax import tree

from .deferred_code import (
    COUNTING_VARIABLES,
    NUMBER_VARIABLES,
    HandlerState,
    build_expansion_command,
    collect_expressions,
    commands_run_by_variable,
    runs_commands,
)
from .frame import Frame, find_own_values
from .joins import FIELD_JOINS
from .protocol import REVEALED, Array, Body, Scope, ShadowedVariable, Values
from .values import (
    MAX_SIZE,
    apply_attributes,
    collect_sources,
    first_element,
    join_alternatives,
    join_argument_lists,
    join_folders,
    list_argument_alternatives,
    measure,
    unset_value,
)

NAMEREF_PREFIX = "&"
"""Prefix for the variable that a nameref refers to, stored beside the values. No variable name contains it."""
NAMED_DIRECTORY_PREFIX = "~"
"""Prefix for a directory named by zsh's `hash -d`."""
CHANGING_DIRECTORY = unknown_word("a directory that changes")
"""Working directory that a loop has changed. Its parents are such directories, too."""
_MAX_HANDLERS = 64  # of one shell
_MAX_NAMEREFS = 8  # variables that one nameref may stand for
_MAX_PRINTED_PARTS = 256  # of printed text, known and unknown
_NO_OUTPUT = (EMPTY,)


class Stream(NamedTuple):
    """An open descriptor: a file, or a connection (`/dev/tcp`). `held`: the text that is read from it."""

    place: Place | None
    target: Word | None = None
    held: Word = EMPTY


@dataclass(slots=True)
class Shell:
    """State of the shell. `arguments`: alternatives of $0 and the parameters; an unknown number of them is a hole that splits.

    `failed`: the working directories if the last command failed (a `cd` that may fail keeps both); `unread`: the variables
    that are empty in that case, because `read` found no input. `tested`: the exit status is tested, so `set -e` does not
    apply. `always`: this point is reached on every path; relief requires it. `left`: the state at each `break`, `continue`,
    `return` and `exit`, with that word. `rounds`: results so far of the loops within the outermost one. `reads`: how many
    lines of standard input were consumed; None if unknown. `ways_out`: the words besides `exit` that leave a loop, a function
    or a file here. `traps`: how many handlers were set when this path was left. `printed`: alternatives of the
    output so far; none if output is not captured. `exported`: the environment of programs started from here, and whether it
    is the same on every path. `ended`: the last command has left for sure.
    `sources`: the files whose text runs, the innermost first.
    """

    frame: Frame
    cwd: tuple[Word, ...]
    variables: dict[str, Values]
    exported: dict[str, Maybe]
    functions: "dict[str, tuple[Body, ...]]"
    arguments: tuple[Array, ...]
    stdin: Word
    failed: tuple[Word, ...] = ()
    unread: tuple[str, ...] = ()
    always: bool = True
    strict: bool = False
    options: frozenset[str] = frozenset()
    tested: bool = False
    depth: int = 0
    stack: tuple[tuple[Word, ...], ...] = ()
    stacked: bool = True
    calls: "tuple[Call, ...]" = ()
    apart: "tuple[Call, ...]" = ()
    number: int = 0
    span: Span = (0, 0)
    reads: int | None = 0
    printed: tuple[Word, ...] = _NO_OUTPUT
    unrolled: int = 1
    attributes: dict[str, str] = field(default_factory=dict)
    locals: dict[str, ShadowedVariable] | None = None
    streams: dict[str, tuple[Stream, ...]] = field(default_factory=dict)
    left: "list[tuple[str, Shell]]" = field(default_factory=list)
    rounds: "dict[int, tuple[tree.Node, Shell]] | None" = None
    past: HandlerState = field(default_factory=HandlerState)
    traps: int = 0
    ways_out: frozenset[str] = frozenset()
    ended: bool = False
    sources: Array = ()

    @classmethod
    def from_frame(cls, frame: Frame) -> "Shell":
        sure, inherited = not frame.dialect.may_be_dash, frame.functions.items()  # dash inherits no functions
        return cls(
            frame,
            frame.cwd,
            dict(frame.variables),
            {**dict.fromkeys(frame.variables, True), **{f"{name}()": True for name in frame.functions}},
            {name: (*bodies,) if sure else tuple(body._replace(sure=False) for body in bodies) for name, bodies in inherited},
            list_argument_alternatives(frame.arguments),
            frame.stdin,
            always=frame.always,
            depth=frame.depth,
            sources=frame.arguments[:1] if frame.file else (),
        )

    # ---- output

    def emit_output(self, *words: Word) -> None:
        """Emits output: one of these words."""
        if not self.printed and self.frame.shown is not None:
            self.frame.shown.add_words(words)
        if not self.printed or words == _NO_OUTPUT:
            return
        outputs = words if self.printed == _NO_OUTPUT else tuple(before + word for before, word in product(self.printed, words))
        follows = sum(map(measure, outputs)) <= MAX_SIZE and all(len(word.parts) <= _MAX_PRINTED_PARTS for word in outputs)
        self.printed = join_alternatives(outputs) if follows else (unknown_word("a long text", collect_sources(outputs)),)

    def begin_capture(self) -> tuple[Word, ...]:
        """Returns the output so far and starts a new capture; `end_capture` ends it."""
        printed, self.printed = self.printed, _NO_OUTPUT
        return printed

    def end_capture(self, before: tuple[Word, ...]) -> tuple[Word, ...]:
        """Returns the output since `begin_capture`, and restores the output before it."""
        printed, self.printed = self.printed, before
        return printed

    @contextmanager
    def enter_context(self, **context: Any) -> Iterator[None]:
        """Evaluates a block with other values of these fields, and restores them after it."""
        before = {name: getattr(self, name) for name in context}
        for name, value in context.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(self, name, value)

    def own_input(self, stdin: Word | None) -> Mapping[str, Any]:
        """Returns the fields of `enter_context` for a construct whose standard input is redirected."""
        return {} if stdin is None else {"stdin": stdin, "reads": 0}

    # ---- paths

    def copy(self) -> "Shell":
        """Returns an independent copy for one of several paths."""
        other = Shell(*_GET_ALL_FIELDS(self))  # dataclasses.replace takes three times as long, and this is done at every `&&`
        other.variables, other.exported = dict(self.variables), dict(self.exported)
        other.functions, other.attributes = dict(self.functions), dict(self.attributes)
        other.locals = None if self.locals is None else dict(self.locals)
        other.streams = dict(self.streams)
        return other

    def copy_as_possible(self) -> "Shell":
        """Returns a copy for a path that may not be taken."""
        other = self.copy()
        other.always = False
        return other

    def copy_as_subshell(self) -> "Shell":
        """Returns a copy for a process of its own: exits, traps and output do not reach this shell."""
        other = self.copy()
        other.left, other.printed = [], _NO_OUTPUT
        other.past = self.past.state_in_subshell()
        return other

    def record_exit(self, word: str) -> None:
        """Records that a path ends here, by this word."""
        path = self.copy()
        path.traps = len(self.past.handlers)
        self.left.append((word, path))

    def copy_after_failure(self) -> "Shell":
        """Returns the state if the last command failed."""
        other = self.copy_as_possible()
        if self.failed:
            other.cwd = self.failed
        other._add_empty_value(self.unread)
        other.failed, other.unread = (), ()
        return other

    def assume_success(self) -> None:
        """Changes the state to the one after a successful command."""
        self.failed, self.unread = (), ()

    def join_failed_open(self, before: "Shell") -> None:
        """Joins the path on which the last command did not run because a file did not open: it failed, and the state is as
        before."""
        cwd, failed = self.cwd, self.failed or self.cwd
        before.printed = self.printed
        self.join(before)
        self.cwd, self.failed = cwd, join_folders((*failed, *before.cwd))

    def accept_either_outcome(self) -> None:
        """Joins success and failure of the last command, whose status is not tested. Under `set -e` nothing follows a failure."""
        if not self.strict or self.tested:
            self.cwd = join_folders(self.cwd + self.failed) if self.failed else self.cwd
            self._add_empty_value(self.unread)
        self.failed, self.unread = (), ()

    def _add_empty_value(self, names: tuple[str, ...]) -> None:
        for name in names:
            self.variables[name] = join_alternatives((*self.get_values(name), EMPTY))

    def replace_by_join(self, paths: "list[Shell]") -> None:
        """Replaces the state by the join of these paths. If one of them may have failed, each may be the one that did."""
        if not paths:
            return
        one = paths[0]
        failed = (
            join_folders(cwd for path in paths for cwd in path.failed or path.cwd) if any(path.failed for path in paths) else ()
        )
        unread = tuple(dict.fromkeys(name for path in paths for name in path.unread))
        for name in FIELD_JOINS:
            setattr(self, name, getattr(one, name))
        self.failed, self.unread = failed, unread
        self.join(*paths[1:])

    def join(self, *others: "Shell") -> None:
        """Joins the states of other paths into this one."""
        for other in others:
            for join_field in FIELD_JOINS.values():
                join_field(self, other)

    def widen_changes(self, variables: Mapping[str, Values], cwd: tuple[Word, ...]) -> None:
        """Widens every value that changed since then, and would change again, to an unknown one."""
        for name, values in self.variables.items():
            if variables.get(name) != values:
                any_value: Word | Array = unknown_word(f"${{{name}}}", collect_sources(values))
                if any(isinstance(value, tuple) for value in values):
                    any_value = (unknown_named(f"${name}", collect_sources(values), splits=True),)
                self.variables[name] = tuple(dict.fromkeys((*values[:2], any_value)))
        if cwd != self.cwd:
            self.cwd = tuple(dict.fromkeys((*self.cwd[:4], CHANGING_DIRECTORY)))

    # ---- variables

    def resolve_name(self, name: str) -> str:
        """Returns the variable that a name refers to (`declare -n`), or the first that it may refer to."""
        return self.resolve_namerefs(name)[0] if NAMEREF_PREFIX + name in self.variables else name

    def resolve_namerefs(self, name: str) -> tuple[str, ...]:
        """Returns every variable that a name may refer to, itself included if `declare -n` may not have run."""
        names, waiting, seen = dict[str, None](), [name], set[str]()
        while waiting and len(seen) < _MAX_NAMEREFS:
            name = waiting.pop(0)
            seen.add(name)
            texts = self._list_target_names(name)
            targets = [text for text in texts if text.isidentifier()]
            if len(targets) < len(texts) or not texts:
                names[name] = None
            waiting += [target for target in targets if target not in seen]
        return tuple(names) or (name,)

    def _list_target_names(self, name: str) -> list[str]:
        return [first_element(value).text or "" for value in self.variables.get(NAMEREF_PREFIX + name, ())]

    def get_values(self, name: str) -> Values:
        """Returns the alternatives of a variable; unknown if neither the text nor the caller's environment sets it."""
        found = self.variables.get(name)
        return find_own_values(name, self.frame, self.sources) if found is None else found

    def is_set(self, name: str) -> bool:
        is_own = name == "HOME" or (name == "BASH_SOURCE" and bool(self.sources))
        return name in self.variables or name in self.frame.environ or is_own

    def assign(self, name: str, values: Values) -> None:
        """Assigns on this path; values from other paths are joined where the paths meet."""
        name, bracket, _ = name.partition("[")
        if bracket:  # one of the existing elements
            values = ((unknown_named(f"${name}", collect_sources((*values, *self.get_values(name))), splits=True),),)
        if element := next((text for text in self._list_target_names(name) if "[" in text), ""):  # `declare -n r='a[1]'`
            self.assign(element, values)
        elif NAMEREF_PREFIX + name in self.variables and len(names := self.resolve_namerefs(name)) > 1:
            for each in names:
                self._assign_resolved(each, values if each == name else self.get_values(each) + values)
        elif "n" in self.attributes.get(name, "") and NAMEREF_PREFIX + name not in self.variables:
            self.variables[NAMEREF_PREFIX + name] = values  # `declare -n r` alone: the first value is the name it refers to
            for value in values:
                self.expand_later(first_element(value))
        else:
            self._assign_resolved(self.resolve_name(name), values)

    def _assign_resolved(self, name: str, values: Values) -> None:
        letters = self.attributes.get(name, "")
        if "allexport" in self.options:
            self.exported[name] = True
        if "i" in letters or name in NUMBER_VARIABLES:
            self._evaluate_as_numbers(values)
        if name in COUNTING_VARIABLES:
            values = (*values, unknown_word("a number", like="[0-9]*"))
        for text in commands_run_by_variable(name, values):
            self.run_later(text)
        if letters:
            values = tuple(each for value in values for each in apply_attributes(value, letters))
            if "r" in letters:
                values += self.get_values(name)
        for value in values:
            if measure(value) > MAX_SIZE:
                raise LimitError(f"the value of {name} grows beyond what the gate follows")
        if name == "HOME" or name in self.frame.environ:
            self.exported[name] = True
        if self.past.handlers:
            self.past.variables[name] = join_alternatives((*self.past.variables.get(name, ()), *self.get_values(name), *values))
        self.variables[name] = join_alternatives((*values, *self.past.assigned.get(name, ())))
        if name == "PS4":
            self.expand_trace_prompt(values)

    def _evaluate_as_numbers(self, values: Values) -> None:
        """Evaluates each value assigned to a variable with the integer attribute as an expression."""
        for value in values:
            for word in value if isinstance(value, tuple) else (value,):
                for expression in collect_expressions(word, self.variables):
                    self.expand_later(expression)

    def expand_trace_prompt(self, values: Values) -> None:
        """Expands PS4 later: a shell that traces (`set -x`, `bash -x`) expands it for each command, so possibly at any time."""
        self.past.is_traced = True
        self.past.prompts += map(first_element, values)
        for prompt in self.past.prompts:
            self.expand_later(prompt)

    def expand_later(self, text: Word) -> None:
        """Expands this text again, at any time from here on, if that runs a command."""
        if runs_commands(text):
            self.run_later(build_expansion_command(text))

    def run_later(self, text: Word, *, any_time: bool = True) -> None:
        """Runs this text when the shell ends, or at any time from here on."""
        self.past.arguments = join_argument_lists((*self.past.arguments, *self.arguments))
        if (text, any_time) not in self.past.handlers:
            if len(self.past.handlers) >= _MAX_HANDLERS:
                raise LimitError("more handlers are set than the gate follows")
            self.past.handlers.append((text, any_time))

    def shadow_variable(self, name: str) -> None:
        """Hides a variable (`local name`) until the function returns."""
        if self.locals is not None and name not in self.locals:
            self.locals[name] = ShadowedVariable(self.variables.get(name), self.attributes.pop(name, ""))
            if (refers := NAMEREF_PREFIX + name) in self.variables:
                self.locals[refers] = ShadowedVariable(self.variables.pop(refers), "")

    def restore_shadowed_variables(self) -> None:
        """Restores the variables that a function hid, when it returns."""
        for name, was in (self.locals or {}).items():
            now = () if was.sure and REVEALED not in self.attributes.get(name, "") else self.get_values(name)
            if was.values is None and not now:
                self.variables.pop(name, None)
            else:
                self.variables[name] = join_alternatives((was.values or (unset_value(name),)) + now)
            self.attributes[name] = was.attributes
            if was.exported:
                self.exported[name] = True

    def change_directory(self, cwd: tuple[Word, ...]) -> None:
        cwd = join_folders((*cwd, *self.past.moves)) if self.past.moves else cwd
        self.past.record_folders((*self.cwd, *cwd))
        self.cwd = cwd

    def current_origin(self, number: int | None = None) -> Origin:
        """Returns the origin for an effect of the shell itself at this point of the text."""
        frame = self.frame
        number = self.number if number is None else number
        return Origin(number, frame.span or self.span, frame.via, frame.site, frame.sure, frame.file)

    def make_scope(self, assigned: Mapping[str, Word], choices: Mapping[str, Values]) -> Scope:
        return Scope(self.variables, self.exported, self.frame.environ, assigned, self.functions, choices)


_GET_ALL_FIELDS = attrgetter(*Shell.__slots__)


class Call(NamedTuple):
    """A function that is running, and the state in which it was called."""

    body: tree.Node
    variables: Mapping[str, Values]
    cwd: tuple[Word, ...]
