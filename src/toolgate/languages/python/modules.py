"""Modules that lie beside the code: `import helper`, `from .tasks import clean`."""

from __future__ import annotations

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.journal import Frame
from toolgate.languages.evaluation.reporter import Unit
from toolgate.languages.evaluation.values import Instance, Unknown, Value
from toolgate.languages.evaluation.work import Exhausted
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .source import SourceError, lower_text

_NESTED = 6
_MODULES = 32
"""More modules than that are not followed: they were there before, and are their author's doing as any library is."""
_SHARE = 8
"""A module may take that part of the steps that are left."""


class Loader:
    """Reads a module of the project's the first time that it is imported."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._depth = self._read_so_far = 0

    def load(self, name: str) -> Value | None:
        """The module as an object with its names; None for one that is not beside the code."""
        evaluator = self._evaluator
        folder = self._folder(name)
        path = name.lstrip(".").replace(".", "/")
        if folder is None or not path or self._depth >= _NESTED or self._read_so_far >= _MODULES:
            return None
        seen = evaluator.report.seen
        others = [each + known("/") for each in _search_path(seen)]
        for file in (where + known(path + ending) for where in (folder, *others) for ending in (".py", "/__init__.py")):
            if file.text in evaluator.report.written:
                evaluator.report.interpret_file(file)
                return Unknown(name)
            found = [each for each in seen.contents(file) if each.text]
            if found:
                self._read_so_far += 1
                return self._read_within_share(name, file.text or name, found[0])
        if seen.is_folder(seen.place(folder + known(path))) is True:
            return Instance("module", {}, known(name))
        return None

    def _read_within_share(self, name: str, file: str, content: Word) -> Value:
        """What is too much for its share is not followed where it was there before; a file of this very call's making must be."""
        work, journal = self._evaluator.work, self._evaluator.journal
        left, mark = work.left, journal.mark()
        work.left = share = left // _SHARE
        try:
            return self._read(name, file, content)
        except (Exhausted, RecursionError):
            journal.take_back(mark)
            if content.src:
                self._evaluator.report.opaque(f"{file} would run and was not read: it takes more steps than the gate follows")
            return Unknown(name)
        finally:
            work.left = left - (share - max(0, work.left))

    def _folder(self, name: str) -> Word | None:
        """Where modules are looked for: beside the file that imports them, or, for code given inline, where it runs."""
        unit = self._evaluator.frame.unit
        assert isinstance(unit, Unit)
        file = unit.file
        if "unknown_part" in name:
            return None
        above = max(0, len(name) - len(name.lstrip(".")) - 1)
        folder = file.rpartition("/")[0] if "/" in file else ""
        return known("/".join([*([folder] if folder else []), *([".."] * above), ""]) if folder or above else "")

    def _read(self, name: str, file: str, content: Word) -> Instance:
        evaluator = self._evaluator
        report = evaluator.report
        origin = report.seen.origin._replace(file=report.seen.origin.file if content.src else file)
        unit = Unit(name, file, not content.src, origin)
        outer, evaluator.frame = evaluator.frame, Frame(None, unit)
        made = Instance("module", evaluator.frame.variables, known(name))
        evaluator.modules[file] = made
        self._depth += 1
        report.enter(unit)
        try:
            evaluator.run_block(lower_text(content.text or "", report, is_file=True))
        except SourceError as problem:
            report.opaque(f"{file} would run and was not read: {problem}")
        finally:
            evaluator.frame = outer
            self._depth -= 1
            assert isinstance(outer.unit, Unit)
            report.enter(outer.unit)
        return made


def _search_path(seen: Seen) -> list[Word]:
    """The folders that this very call adds to where modules are looked for."""
    value = seen.variable("PYTHONPATH")
    return [each for each in value.pieces(":") if each.parts] if value is not None else []
