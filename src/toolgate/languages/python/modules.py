"""Modules beside the code: `import helper`, `from .tasks import clean`."""

from __future__ import annotations

from toolgate.languages.evaluation.module_loading import ModuleReader
from toolgate.languages.evaluation.nodes import Block
from toolgate.languages.evaluation.reporter import SourceUnit
from toolgate.languages.evaluation.values import Instance, Value
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

from .source import lower_text


class Loader(ModuleReader):
    ENDINGS = (".py",)

    def load_module(self, name: str) -> Value | None:
        """Loads a module as an object with its names; None for one that is not beside the code."""
        path = name.lstrip(".").replace(".", "/")
        if not path or "unknown_part" in name:
            return None
        folder = self._folder_of(name)
        seen = self.evaluator.report.seen
        others = [each + known_word("/") for each in _added_search_path(seen)]
        if not name.startswith("."):
            others = [*self._list_search_path(), *others]
        folders = dict.fromkeys((folder, *others))
        files = (where + known_word(path + ending) for where in folders for ending in (".py", "/__init__.py"))
        found = self.load_first(name, files)
        if found is None and seen.is_folder(seen.resolve_place(folder + known_word(path))) is True:
            return Instance("module", {}, known_word(name))
        return found

    def _folder_of(self, name: str) -> Word:
        """Returns where modules are looked up: beside the importing file or, for inline code, in its working directory."""
        folder = self.loading_folder()
        above = max(0, len(name) - len(name.lstrip(".")) - 1)
        return known_word("/".join([*([folder] if folder else []), *([".."] * above), ""]) if folder or above else "")

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
