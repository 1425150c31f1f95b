"""The complete evaluator: reads a text, and then the functions that were not called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .calls import Calls
from .nodes import Block
from .shared_results import report_unfiltered_deletions
from .step_budget import OutOfSteps
from .values import Value


class ModuleLoader(Protocol):
    def load_module(self, name: str) -> Value | None: ...

    def loading_folder(self) -> str: ...

    def restore_names(self) -> None: ...

    def read_left_out(self) -> None: ...


class Evaluator(Calls):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.loader: ModuleLoader | None = None

    def load_module(self, name: str) -> Value | None:
        """Loads a module beside the code, once; None for any other. A relative name means another module in another folder."""
        if self.loader is None:
            return None
        key = f"{self.loader.loading_folder()} {name}" if name.startswith(".") else name
        if key not in self.modules:
            self.modules[key] = self.loader.load_module(name)
        return self.modules[key]

    def run_all(self, block: Block, steps: int) -> None:
        """Reads the text, and then functions that were not called, with a budget of their own. A trusted text that exceeds its
        budget is read again coarsely; if that or its functions exceed theirs, it is read linearly, as are the functions of a
        file that this call has read before. Raises OutOfSteps if no reading of the text was complete, or none of the functions
        of code that is not trusted."""
        try:
            self._run_text(block, steps)
        finally:
            if self.loader is not None:
                self._finishes_within(steps, self.loader.read_left_out)

    @property
    def accepts_coarse_reading(self) -> bool:
        """Whether a reading of fewer paths is enough: for a file that was there before this call."""
        return self.report.is_trusted

    def _run_text(self, block: Block, steps: int) -> None:
        mark = self.journal.make_mark()
        is_read = self._finishes_within(self.work.left, lambda: self.run_block(block))
        if not is_read and self.accepts_coarse_reading:
            self.journal.roll_back(mark)
            is_read = self._finishes_within(self.work.total, lambda: self._run_again(block))
        report_unfiltered_deletions(self)
        if is_read and not self.report.code.is_repeated and self._finishes_within(steps, self.run_uncalled_functions):
            return
        is_swept = self._finishes_within(steps, lambda: self.run_linearly(() if is_read else block))
        if not (is_read and is_swept and self.accepts_coarse_reading):
            raise OutOfSteps

    def _run_again(self, block: Block) -> None:
        if self.loader is not None:
            self.loader.restore_names()
        self.run_coarsely(block)

    def _finishes_within(self, steps: int, read: Callable[[], object]) -> bool:
        self.work.left = steps
        try:
            read()
        except (OutOfSteps, RecursionError):
            self.frame = self.top
            self.report.enter_unit(self.top.unit)
            return False
        finally:
            self.work.spent += steps - max(self.work.left, 0)
        return True
