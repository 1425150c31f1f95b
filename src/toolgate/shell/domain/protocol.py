"""Requests that the evaluation of shell text yields, and the answers sent back.

Command       -> its output (Word)
ResolvePlace  -> Place
AskIsFolder   -> Maybe
ListFolders   -> the paths of the folders that a glob finds; none if they are unknown or many
ReadContents  -> the possible contents of the file (one Word each; None: it cannot be read)
NextNumber    -> the number of the next command: redirects are opened before the command is known
Tick          -> None; one step of the budget
an effect     -> None; its origin is the command being read (or the number it was given)
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from toolgate.model.effect import LOCAL_SITE, Carrier, Effect, Site, Span
from toolgate.model.place import Place
from toolgate.model.word import EMPTY, Maybe, Word, known_word, variable_word
from toolgate.shell.syntax.dialects import BASH, Dialect
from toolgate.shell.syntax.tree import Node

MAX_DEPTH = 24
"""How many commands, functions and texts may carry one another."""


class Body(NamedTuple):
    """A function's body or an alias's text. `sure`: it, or another body of the name, certainly shadows the program of that name;
    an alias never does.
    `dialect`: that of the frame in which it was read. `arguments_variable`: the variable that holds an alias's arguments. `text`:
    an alias as written; if it ends in a blank, the next word may be an alias, too. `program`: the file that `hash` gave the
    name, which `command` runs as well. `source`: the file in which a function is, if its text comes from one."""

    node: Node
    sure: bool
    dialect: Dialect = BASH
    arguments_variable: str = ""
    text: str = ""
    program: Word = EMPTY
    source: Word = EMPTY


def shadows_program(bodies: "tuple[Body, ...]") -> bool:
    """Returns whether one of these bodies certainly runs, and no program of that name."""
    return bool(bodies) and all(body.sure for body in bodies)


class ShadowedVariable(NamedTuple):
    """State hidden by `local` until its function returns, or by an assignment before a call. `sure`: hidden on every path.
    `by_assignment`: hidden by the assignment alone. `exported`: the hidden variable may not be exported (zsh)."""

    values: "Values | None"
    attributes: str
    sure: bool = True
    by_assignment: bool = False
    exported: bool = False


REVEALED = "v"
"""An attribute: `unset` may have removed a caller's local variable, so that assignments reach the one it hid."""


class Scope(NamedTuple):
    """The environment of a command. `exported`: on every path, on some only, or (None) not in zsh. `assigned`: variables before
    the command, as one word each; `choices`: all possible values of each.

    The mappings belong to the shell and change with it: read them at once.
    """

    variables: "Mapping[str, Values]"
    exported: Mapping[str, Maybe]
    environ: Mapping[str, str]
    assigned: "Mapping[str, Word]"
    functions: Mapping[str, tuple[Body, ...]] = MappingProxyType({})
    choices: "Mapping[str, Values]" = MappingProxyType({})

    def get(self, name: str) -> Word | None:
        """Returns the value; None for a variable that may have several."""
        if (word := self.assigned.get(name)) is not None:
            return word
        if self.exported.get(name, False) is not False and (values := self.variables.get(name)):
            return values[0] if len(values) == 1 and isinstance(values[0], Word) else None
        text = self.environ.get(name)
        return known_word(text) if text is not None and name not in self.variables else None

    def possible_values(self, name: str) -> tuple[Word, ...]:
        """Returns all values that the text itself may have given it, for a program started here."""
        if (word := self.assigned.get(name)) is not None:
            return tuple(value for value in self.choices.get(name, ()) if isinstance(value, Word)) or (word,)
        values = self.variables.get(name, ()) if name in self.exported else ()
        return tuple(value for value in values if isinstance(value, Word) and value != variable_word(name))

    def exported_values(self) -> "dict[str, Values]":
        """Returns all variables that the text set and passes to a program started from it."""
        passed: dict[str, Values] = {}
        for name, surely in self.exported.items():
            if name in self.variables:
                values = self.variables[name]
                is_passed = surely and not any(isinstance(value, tuple) for value in values)  # bash passes no array
                passed[name] = values if is_passed else (*values, variable_word(name))
        for name, word in self.assigned.items():
            passed[name] = self.choices.get(name, (word,))
        return passed

    def add_assigned(self, more: "Mapping[str, Word]") -> "Scope":
        if not more:
            return self
        choices = {name: values for name, values in self.choices.items() if name not in more}
        return self._replace(assigned={**self.assigned, **more}, choices=choices)

    def inherited_functions(self) -> dict[str, tuple[Body, ...]]:
        """Returns the functions that a bash started from here inherits (`export -f`)."""
        return {name: bodies for name, bodies in self.functions.items() if f"{name}()" in self.exported}


Array = tuple[Word, ...]
Values = tuple["Word | Array", ...]  # alternatives
NO_SCOPE = Scope({}, {}, {}, {})


@dataclass(slots=True)
class Command:
    """A simple command that may run. `always`: it runs on every path through the text. `merges_errors`: its standard error may
    go where its output goes."""

    argv: tuple[Word, ...]
    cwd: Word
    scope: Scope
    stdin: Word = EMPTY
    span: Span = (0, 0)
    via: tuple[Carrier, ...] = ()
    site: Site = LOCAL_SITE
    number: int = 0
    sure: Maybe = True
    always: bool = True
    depth: int = 0
    file: str = ""
    merges_errors: bool = False


class ResolvePlace(NamedTuple):
    word: Word
    cwd: Word
    site: Site


class AskIsFolder(NamedTuple):
    place: Place


class ListFolders(NamedTuple):
    place: Place


class ReadContents(NamedTuple):
    place: Place
    number: int


class NextNumber:
    pass


class Tick:
    pass


NUMBER = NextNumber()
TICK = Tick()

Request = Command | ResolvePlace | AskIsFolder | ListFolders | ReadContents | NextNumber | Tick | Effect
CommandEvaluation = Generator[Request, Any, Word]
"""Evaluation of one command, or of a whole text: returns its output."""
Evaluation = Generator[Request, Any, None]
"""Evaluation of a part of a text by the shell that runs it: its output is in the shell's state."""
