"""What values are in this call where nothing sets the variables that they depend on: their defaults, and the values that an
environment file gives to variables.

Such a value tells where a client connects to. It takes nothing away from what the code may do: other values stay possible there.
"""

from __future__ import annotations

from collections.abc import Callable

from toolgate.environment_files import read_assignments
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Hole, Word, join_words, known_word

from .shared_state import Arguments
from .values import NEVER_RETURNS, Choice, ListValue, MapValue, Unknown, Value

_MAX_DEPTH = 2
"""Depth to which the arguments of a call are searched: `knex({connection: {host: ..}})`."""


class LikelyValues:
    def __init__(self, context: ExecutionContext) -> None:
        self._context = context
        self._defaults: dict[int, tuple[Value, Value]] = {}
        """Values that depend on variables, and what they are without, by the identity of the value."""
        self._choices: dict[tuple[Value, ...], Value] = {}
        """The same of choices of texts, by these: a module exports an equal one."""
        self._loaded: dict[str, Word] = {}
        """The variables of the environment files that the code has loaded."""

    def load_file(self, file: Word) -> None:
        """Records that the code loads an environment file. Variables that are set already keep their values."""
        self._loaded = {**read_assignments((file,), self._context), **self._loaded}

    def list_loaded_variables(self) -> dict[str, Word]:
        """Returns the variables of the environment files that this call does not set."""
        return {name: value for name, value in self._loaded.items() if not self._context.get_variables(name)}

    def note(self, made: Value, likely: Value) -> None:
        """Records what exactly this value is in this call."""
        self._defaults[id(made)] = (made, likely)

    def find_noted(self, value: Value) -> Value | None:
        """Returns what was recorded for exactly this value."""
        noted = self._defaults.get(id(value))
        return None if noted is None else noted[1]

    def note_default(self, made: Value, variable: Value, default: Value) -> None:
        """Records what a value is, made of a variable or else of its default."""
        loaded = self.find(variable)
        self.note(made, default if loaded is variable else loaded)
        if isinstance(made, Choice) and all(isinstance(each, Word) for each in made.alternatives):
            self._choices[made.alternatives] = default if loaded is variable else loaded

    def follow(self, made: Value, source: Value, derive: Callable[[Value], Value]) -> None:
        """Records what a value is that was derived from another one: a part of it, or a text with it."""
        if self._is_open(made) and (likely := self.find(source, 0)) is not source:
            self._defaults[id(made)] = (made, derive(likely))

    def follow_index(self, made: Value, owner: Value, key: Value, read: Callable[[Value, Value], Value]) -> None:
        """Records what an item is of a list or a map that depends on variables, or that they select: `settings[env]`."""
        if self._is_open(made):
            likely_owner, likely_key = self.find(owner, 0), self.find(key, 0)
            if likely_owner is not owner or likely_key is not key:
                self._defaults[id(made)] = (made, read(likely_owner, likely_key))

    def follow_text(self, made: Value, parts: list[Value], concatenate: Callable[[list[Value]], Value]) -> None:
        """Records what a text is that has parts which depend on variables."""
        if self._is_open(made):
            likely = [self.find(each, 0) for each in parts]
            if any(a is not b for a, b in zip(likely, parts, strict=True)):
                self._defaults[id(made)] = (made, concatenate(likely))

    def _is_open(self, made: Value) -> bool:
        """Returns whether a value may be one of several, and another than without the variables."""
        is_open = isinstance(made, Choice | Unknown) or (isinstance(made, Word) and made.text is None)
        return is_open and made is not NEVER_RETURNS and bool(self._defaults or self._loaded)

    def find(self, value: Value, depth: int = _MAX_DEPTH) -> Value:
        """Returns the likely value; the value itself if it depends on no variable that has one."""
        if not self._defaults and not self._loaded:
            return value
        if isinstance(value, MapValue) and depth:
            return MapValue(((str(key), self.find(each, depth - 1)) for key, each in value.known_entries), value.rest)
        if isinstance(value, ListValue) and depth:
            return ListValue("list", [self.find(each, depth - 1) for each in value.items], value.rest)
        if (noted := self._defaults.get(id(value))) is not None:
            return noted[1]
        if isinstance(value, Choice) and all(isinstance(each, Word) for each in value.alternatives):
            return self._choices.get(value.alternatives, value)
        return self._fill_in_variables(value) if isinstance(value, Word) else value

    def find_arguments(self, arguments: Arguments) -> Arguments:
        if not self._defaults and not self._loaded:
            return arguments
        named = {key: self.find(value) for key, value in arguments.named.items()}
        return Arguments(tuple(map(self.find, arguments.positional)), named, arguments.rest)

    def _fill_in_variables(self, word: Word) -> Word:
        names = {part.variable for part in word.parts if isinstance(part, Hole)}
        if names.isdisjoint(self._loaded):
            return word
        parts = [self._loaded.get(part.variable) if isinstance(part, Hole) else known_word(part) for part in word.parts]
        whole = [Word((part,)) if filled is None else filled for part, filled in zip(word.parts, parts, strict=True)]
        return join_words(whole, "")
