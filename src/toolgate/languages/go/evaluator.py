"""The abstract evaluator with Go's packages, conversions and commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.listings import names_listing
from toolgate.languages.evaluation.shared_state import Arguments
from toolgate.languages.evaluation.values import NULL, Callable_, ClassValue, Function, Instance, Reference, Unknown, Value
from toolgate.model.word import known_word

from .commands import start_command

_MAX_DEPTH = 8
_COUNTED_ROUNDS = 4


class GoEvaluator(Evaluator):
    """Evaluates Go. `commands`: the commands that were made, and not started yet; `packages`: the names of the packages that the
    text imports from elsewhere; `is_sweeping`: whether a function is read that the text does not call."""

    prints_fields = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.commands: list[Instance] = []
        self.packages: set[str] = set()
        self.is_sweeping = False

    def run_all(self, block: nodes.Block, steps: int) -> None:
        """Reads the text. Commands that nothing has started then were handed on, and another function starts them."""
        try:
            super().run_all(block, steps)
        finally:
            for command in self.commands:
                start_command(self, command)

    def run_uncalled_functions(self) -> None:
        self.is_sweeping = True
        targets = self._list_targets()
        for target in targets:
            self._run_by_framework(target, Arguments(rest=Unknown("an argument")))
        if not targets:
            super().run_uncalled_functions()

    def _list_targets(self) -> list[Function]:
        """Returns the functions that Mage's arguments name; none if they name another type's."""
        file, *words = self.report.code.args or (known_word(""),)
        names = {(word.text or ":").lower() for word in words if not word.head.startswith("-")}
        if not file.tail.endswith("magefile.go") or any(":" in name for name in names):
            return []
        return [each for name, each in self.top.variables.items() if isinstance(each, Function) and name.lower() in names]

    def call_escaped(self, function: Callable_, companions: list[Value]) -> None:
        """Reads a function that a package is given, which may call it with anything."""
        with self._called_by_others():
            super().call_escaped(function, companions)

    def _call_carried_callables(self, function: Unknown, arguments: Arguments) -> None:
        with self._called_by_others():
            super()._call_carried_callables(function, arguments)

    @contextmanager
    def _called_by_others(self) -> Iterator[None]:
        outer, self.is_sweeping = self.is_sweeping, True
        try:
            yield
        finally:
            self.is_sweeping = outer

    def run_linearly(self, block: nodes.Block) -> None:
        self.is_sweeping = True
        super().run_linearly(block)

    @property
    def accepts_coarse_reading(self) -> bool:
        """Whether a reading of fewer paths is enough: always. A Go program computes what a script leaves to libraries, and most
        functions of a package are never called by it."""
        return True

    def _read_for(self, node: nodes.For) -> bool:
        with self._counted_as_listing(self._is_listed(node.iterable)):
            return super()._read_for(node)

    def _read_while(self, node: nodes.While) -> bool:
        """Reads a loop. One that counts, or that serves requests, takes many rounds, of which a few are read one by one."""
        room, self.unrolled = self.unrolled, min(self.unrolled, _COUNTED_ROUNDS)
        try:
            with self._counted_as_listing(_calls_next(node.body)):
                return super()._read_while(node)
        finally:
            self.unrolled = room

    @contextmanager
    def _counted_as_listing(self, is_listing: bool) -> Iterator[None]:
        """Counts a loop over what a client lists."""
        self.listings += is_listing
        try:
            yield
        finally:
            self.listings -= is_listing

    def _is_listed(self, iterable: nodes.Expression) -> bool:
        """Returns whether this is a part of what a client has listed: `range out.Users`, after `out, err := c.ListUsers(..)`."""
        while isinstance(iterable, nodes.Attribute | nodes.Call):
            if isinstance(iterable, nodes.Attribute):
                iterable = iterable.owner
            else:
                iterable = iterable.arguments[0].value if iterable.arguments else nodes.Literal(NULL)
        held = self.evaluate(iterable) if isinstance(iterable, nodes.Name) else NULL
        return isinstance(held, Unknown) and names_listing(held.name.rpartition(".")[2])

    def _load_name(self, node: nodes.Name) -> Value:
        """Returns the value of a name. One that the text does not declare may be another file's."""
        found = super()._load_name(node)
        if isinstance(found, Unknown) and found.name == node.name and self._find_elsewhere(node.name):
            return super()._load_name(node)
        return found

    def _find_elsewhere(self, name: str) -> bool:
        from .packages import PackageFiles

        return isinstance(self.loader, PackageFiles) and " " not in name and self.loader.load_siblings()

    def _instantiate(self, cls: ClassValue, arguments: Arguments) -> Value:
        """Converts a value to a type of the text."""
        return arguments.positional[0] if arguments.positional else super()._instantiate(cls, arguments)

    def report_client_act(self, name: str, receiver: Value | None, arguments: Arguments) -> None:
        """Reports what a method of a client deletes, if the client is one of an imported package. The text's own types, such as
        the repositories of a server, are what they do."""
        if name.partition(".")[0] in self.packages:
            super().report_client_act(name, receiver, arguments)

    def _run_import(self, node: nodes.Import) -> None:
        super()._run_import(node)
        module = self.library.module_reference(node.module)
        if "." in node.module.partition("/")[0] and isinstance(module, Reference):
            self.packages.add(module.name)


def _calls_next(part: object, depth: int = _MAX_DEPTH) -> bool:
    """Returns whether a loop's body takes the next item of an iterator: `attributes, err := objects.Next()`."""
    if isinstance(part, nodes.Call) and isinstance(part.function, nodes.Attribute) and part.function.name == "Next":
        return True
    return depth > 0 and isinstance(part, tuple) and any(_calls_next(each, depth - 1) for each in part)
