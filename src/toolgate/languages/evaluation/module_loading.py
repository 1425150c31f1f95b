"""Reads modules beside the code where they are loaded, within a share of the remaining steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from toolgate.model.word import Hole, Word, known_word

from .evaluator import Evaluator
from .file_changes import is_written
from .journal import Changes, Frame
from .nodes import Block
from .source_units import SourceUnit
from .step_budget import OutOfSteps
from .values import Unknown, Value

_MAX_NESTING = 6
_MAX_MODULES = 32
"""Maximum modules that are followed: others existed before the session, and are their author's responsibility, as any library is.
Those that the session has written are followed in any case."""
_PLENTY_OF_STEPS = 20_000
"""With fewer steps, code is read, and modules that existed before are not."""
_STEP_SHARE, _NESTED_STEP_SHARE = 4, 2
"""The part of the steps left for modules that one module may take: a quarter, or half of those of the module that loads it. All
modules together take at most half of the steps: the code that loads them is read in any case."""


class ModuleReader(ABC):
    """Base of the module loaders of all languages. `ENDINGS`: those of the language's files."""

    ENDINGS: tuple[str, ...]

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._depth = self._read_so_far = 0
        self._steps_left = evaluator.work.total // 2
        self._names: list[Changes] = []
        self._is_left_out = False

    def restore_names(self) -> None:
        """Declares again what the modules have declared, after it was rolled back."""
        for changes in self._names:
            self.evaluator.journal.apply_changes(changes)

    def read_left_out(self) -> None:
        """Reads the modules that the session has written, if others were not followed: one of those may load them."""
        if not self._is_left_out:
            return
        seen, work = self.evaluator.report.seen, self.evaluator.work
        folder = seen.resolve_place(known_word(".")).path
        for path in seen.list_written_files(folder) if folder is not None else ():
            if path.endswith(self.ENDINGS):
                self._read_so_far, self._steps_left = 0, work.left
                self.load_first(path, (known_word(path),))

    @abstractmethod
    def load_module(self, name: str) -> Value | None: ...

    @abstractmethod
    def lower_content(self, content: str) -> Block: ...

    @abstractmethod
    def declare_globals(self, variables: dict[str, Value], unit: SourceUnit) -> Value:
        """Declares the initial names of a module, and returns the value for it while it is read."""

    def exported_value(self, module: Value) -> Value:
        """Returns the module's value after it was read."""
        return module

    def read_data(self, _file: str, _content: Word) -> Value | None:
        """Returns the value of a file that is not code."""
        return None

    def loading_folder(self) -> str:
        """Returns the folder of the file that loads; empty for inline code."""
        unit = self.evaluator.frame.unit
        assert isinstance(unit, SourceUnit)
        return unit.file.rpartition("/")[0] if "/" in unit.file else ""

    def load_first(self, name: str, files: Iterable[Word]) -> Value | None:
        """Reads the first of these files that exists."""
        evaluator = self.evaluator
        if self._depth >= _MAX_NESTING or self._read_so_far >= _MAX_MODULES:
            self._is_left_out = True
            return None
        for file in files:
            if (already := evaluator.modules.get(f"file {file.text}")) is not None:
                return self.exported_value(already)
            if is_written(evaluator.report, file):
                evaluator.report.interpret_file(file)
                return Unknown(name)
            contents = evaluator.report.seen.read_alternatives(file)
            unread = next(
                (part.unread for each in contents for part in each.parts if isinstance(part, Hole) and part.unread), None
            )
            if unread is not None:
                evaluator.report.opaque(f"{file.text or name} would run, but was not read: {unread.cause}")
                return Unknown(name)
            found = [each for each in contents if each.text]
            if found:
                self._read_so_far += 1
                data = self.read_data(file.text or name, found[0])
                return self._read_within_share(name, file.text or name, found[0]) if data is None else data
        return None

    def _read_within_share(self, name: str, file: str, content: Word) -> Value:
        """Reads a module within its share of steps. Beyond that, a module that existed before is not followed; one written by
        this call is reported as opaque."""
        work, journal = self.evaluator.work, self.evaluator.journal
        left, mark = work.left, journal.make_mark()
        work.left = share = min(left, self._steps_left) // (_NESTED_STEP_SHARE if self._depth else _STEP_SHARE)
        try:
            return self._read_module(name, file, content)
        except (OutOfSteps, RecursionError):
            journal.roll_back(mark)
            self._is_left_out = True
            if content.src:
                self.evaluator.report.opaque(f"{file} would run, but was not read: it takes more steps than the gate follows")
            return Unknown(name)
        finally:
            used = share - max(0, work.left)
            work.left = left - used
            self._steps_left -= 0 if self._depth else used

    def _read_module(self, name: str, file: str, content: Word) -> Value:
        evaluator = self.evaluator
        report = evaluator.report
        if report.code.is_repeated and evaluator.journal.is_linear and report.seen.has_loaded(file, content):
            return Unknown(name)
        if evaluator.work.total < _PLENTY_OF_STEPS and not content.src:
            raise OutOfSteps
        origin = report.seen.origin._replace(file=report.seen.origin.file if content.src else file)
        unit = SourceUnit(name, file, not content.src, origin)
        mark, outer, evaluator.frame = evaluator.journal.make_mark(), evaluator.frame, Frame(None, unit)
        made = self.declare_globals(evaluator.frame.variables, unit)
        evaluator.modules[f"file {file}"] = made
        self._depth += 1
        report.enter_unit(unit)
        try:
            evaluator.run_block(self.lower_content(content.text or ""))
            report.seen.record_loaded(file, content)
            self._names.append(evaluator.journal.changes_since(mark))
        except ValueError as problem:
            report.opaque(f"{file} would run, but was not read: {problem}")
        finally:
            evaluator.frame = outer
            self._depth -= 1
            report.enter_unit(outer.unit)
        return self.exported_value(made)
