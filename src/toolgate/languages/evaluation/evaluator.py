"""The complete evaluator: reads a text, and then the functions that were not called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from .calls import Calls
from .environment_files import load_environment_files
from .nodes import Block
from .shared_results import report_unfiltered_deletions
from .shared_state import Arguments
from .step_budget import OutOfSteps
from .values import Function, Unknown, Value

_MAX_SWEEP_ENTRIES = 4
"""Maximum calls for which a function is read with their arguments, before it is read once more with unknown ones."""


class ModuleLoader(Protocol):
    def load_module(self, name: str) -> Value | None: ...

    def loading_folder(self) -> str: ...

    def restore_names(self) -> None: ...

    def read_left_out(self) -> None: ...


def _rank_of_test(name: str) -> int:
    """Returns the order in which a test runner calls functions: what prepares tests, then tests, which call the others with what
    is meant."""
    return 0 if name.lower().startswith("setup") else 1 if name.startswith("test") else 2


class Evaluator(Calls):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.loader: ModuleLoader | None = None

    def load_module(self, name: str) -> Value | None:
        """Loads a module beside the code, once; None for any other. A relative name means another module in another folder."""
        if name not in self.modules:
            load_environment_files(self, name, Arguments())
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

    # ---- what nothing called

    def run_uncalled_functions(self) -> None:
        """Reads functions that were not called, and that an operator, a framework or another file may call."""
        self._entries, self._recursion = _MAX_SWEEP_ENTRIES, 1
        for function in self._iter_unread_functions(lambda key: key in self._left_out or self.outside_calls.reach(key)):
            self._run_by_framework(function._replace(receiver=None), Arguments(rest=Unknown("an argument")))

    def run_coarsely(self, block: Block) -> None:
        """Reads the text again from the start, each function with the arguments of one call and once more with unknown ones, and
        loops in as few rounds as possible. Functions of modules are read once, with unknown arguments."""
        self._is_coarse = True
        self.entered.clear()
        self._general.clear()
        self._spent.clear()
        self._entries = self._recursion = self.unrolled = self.repeats = 1
        self.run_block(block)

    def run_linearly(self, block: Block) -> None:
        """Reads every statement once: those of the text, and those of functions that were not read yet."""
        self.journal.is_linear = True
        self.run_block(block)
        for function in self._iter_unread_functions(lambda _key: True):
            self._general[id(function.body)] = Unknown(function.name)
            self._enter_function(function._replace(receiver=None), Arguments(rest=Unknown("an argument")))

    def _iter_unread_functions(self, is_meant: Callable[[int], bool]) -> Iterator[Function]:
        """Yields functions of the text, nested ones included, until all that are meant were read."""

        def list_waiting() -> list[Function]:
            waiting = [each for key, each in self.functions.items() if self._is_waiting(key, each) and is_meant(key)]
            return sorted(waiting, key=lambda each: _rank_of_test(each.name))

        while waiting := list_waiting():
            yield from (each for each in waiting if self._is_waiting(id(each.body), each))

    def _is_waiting(self, key: int, function: Function) -> bool:
        is_own = function.frame.unit is self.top.unit or key in self._left_out
        return is_own and key not in self.entered and key not in self._general
