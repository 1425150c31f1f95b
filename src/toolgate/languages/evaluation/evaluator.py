"""The complete evaluator: reads a text, and then the functions that were not called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .calls import Calls
from .nodes import Block
from .values import Value
from .work import Exhausted


class ModuleLoader(Protocol):
    def load(self, name: str) -> Value | None: ...


class Evaluator(Calls):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.loader: ModuleLoader | None = None

    def load(self, name: str) -> Value | None:
        """Loads a module beside the code, once; None for any other."""
        if name not in self.modules:
            self.modules[name] = None if self.loader is None else self.loader.load(name)
        return self.modules[name]

    def run_all(self, block: Block, steps: int) -> None:
        """Reads the text, and then functions that were not called, with a budget of their own. If either exceeds its budget,
        it is read linearly. Raises OutOfSteps if the text itself exceeded it, or a function of code that is not trusted."""
        is_read = self._is_read_within(self.work.left, lambda: self.run_block(block))
        if is_read and self._is_read_within(steps, self.sweep):
            return
        is_swept = self._is_read_within(steps, lambda: self.sweep_linearly(() if is_read else block))
        if not (is_read and is_swept and self.report.is_trusted):
            raise Exhausted

    def _is_read_within(self, steps: int, read: Callable[[], object]) -> bool:
        self.work.left = steps
        try:
            read()
        except (Exhausted, RecursionError):
            self.frame = self.top
            self.report.enter(self.top.unit)
            return False
        return True
