"""Modules beside the code: `import helper`, `from .tasks import clean`."""

from __future__ import annotations

from toolgate.languages.evaluation.modules import ModuleReader
from toolgate.languages.evaluation.nodes import Block
from toolgate.languages.evaluation.reporter import Unit
from toolgate.languages.evaluation.values import Instance, Value
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .source import lower_text


class Loader(ModuleReader):
    def load(self, name: str) -> Value | None:
        """Loads a module as an object with its names; None for one that is not beside the code."""
        path = name.lstrip(".").replace(".", "/")
        if not path or "unknown_part" in name:
            return None
        folder = self._folder_of(name)
        seen = self.evaluator.report.seen
        others = [each + known("/") for each in _search_path(seen)]
        files = (where + known(path + ending) for where in (folder, *others) for ending in (".py", "/__init__.py"))
        found = self.read_first(name, files)
        if found is None and seen.is_folder(seen.place(folder + known(path))) is True:
            return Instance("module", {}, known(name))
        return found

    def _folder_of(self, name: str) -> Word:
        """Returns where modules are looked up: beside the importing file or, for inline code, in its working directory."""
        folder = self.folder()
        above = max(0, len(name) - len(name.lstrip(".")) - 1)
        return known("/".join([*([folder] if folder else []), *([".."] * above), ""]) if folder or above else "")

    def lower(self, content: str) -> Block:
        return lower_text(content, self.evaluator.report, is_file=True)

    def declare(self, variables: dict[str, Value], unit: Unit) -> Value:
        return Instance("module", variables, known(unit.name))


def _search_path(seen: Seen) -> list[Word]:
    """Returns the folders that this call adds to the module search path."""
    value = seen.variable("PYTHONPATH")
    return [each for each in value.pieces(":") if each.parts] if value is not None else []
