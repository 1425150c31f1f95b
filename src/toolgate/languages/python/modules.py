"""Modules beside the code: `import helper`, `from .tasks import clean`."""

from __future__ import annotations

import sys

from toolgate.languages.evaluation.file_changes import is_written
from toolgate.languages.evaluation.module_loading import ModuleReader
from toolgate.languages.evaluation.nodes import Block
from toolgate.languages.evaluation.source_units import SourceUnit
from toolgate.languages.evaluation.values import Instance, Value
from toolgate.model.effect import Carrier
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

from .source import lower_text


class Loader(ModuleReader):
    ENDINGS = (".py",)

    def load_module(self, name: str) -> Value | None:
        """Loads a module as an object with its names; None for one that is not beside the code. A name with slashes is a path
        without its ending: that of a module which was imported relative to another."""
        if "unknown_part" in name:
            return None
        if "/" in name:
            return self._load_from(name, name, [known_word("")])
        if name.startswith("."):
            own, path = name.lstrip("."), self.loading_folder()
            steps = [*([path] if path else []), *[".."] * (len(name) - len(own) - 1), *own.split(".")]
            path = "/".join(step for step in steps if step)
            return self._load_from(path, path, [known_word("")]) if path else None
        beside = self.loading_folder()
        added = [*_added_search_path(self.evaluator.report.seen), *self.evaluator.search_path]
        folders = [
            known_word(f"{beside}/" if beside else ""),
            *self._list_search_path(),
            *(each + known_word("/") for each in added),
        ]
        found = self._load_from(name, name.replace(".", "/"), list(dict.fromkeys(folders)))
        if found is None and name.partition(".")[0] not in sys.stdlib_module_names:
            self._interpret_archives(added)
        return found

    def _interpret_archives(self, search_path: list[Word]) -> None:
        """Reports what Python loads from archives that this call has written, as it finds a module nowhere else."""
        report = self.evaluator.report
        for each in search_path:
            if is_written(report, each):
                report.interpret_file(each)
            else:
                for content in report.seen.read_alternatives(each):
                    report.interpret(content if content.text is None and content.src else None, via=Carrier(each.display_text))

    def _load_from(self, name: str, path: str, folders: list[Word]) -> Value | None:
        """Loads the module at a path in the first of these folders that has it."""
        files = (folder + known_word(path + ending) for folder in folders for ending in (".py", "/__init__.py"))
        found, seen = self.load_first(name, files), self.evaluator.report.seen
        if found is None and any(seen.is_folder(seen.resolve_place(each + known_word(path))) is True for each in folders):
            return Instance("module", {}, known_word(name))
        return found

    def _list_search_path(self) -> list[Word]:
        """Returns where a module finds others by their full names: beside the main file, and in the working directory."""
        top = self.evaluator.top.unit
        folder = top.file.rpartition("/")[0] if isinstance(top, SourceUnit) else ""
        return [known_word(f"{folder}/"), known_word("")] if folder else [known_word("")]

    def lower_content(self, content: str) -> Block:
        return lower_text(content, self.evaluator.report, is_file=True)

    def declare_globals(self, variables: dict[str, Value], unit: SourceUnit) -> Value:
        return Instance("module", variables, known_word(unit.name))


def _added_search_path(context: ExecutionContext) -> list[Word]:
    """Returns the folders that this call adds to the module search path."""
    value = context.get_variable("PYTHONPATH")
    return [each for each in value.split_at(":") if each.parts] if value is not None else []
