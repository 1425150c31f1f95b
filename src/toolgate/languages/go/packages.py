"""The other files of a package, and the packages of the same module, by the path in `go.mod`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.module_loading import ModuleReader
from toolgate.languages.evaluation.nodes import Block
from toolgate.languages.evaluation.source_units import SourceUnit
from toolgate.languages.evaluation.values import Instance, Value
from toolgate.languages.scripting.reading import Language, lower_text
from toolgate.model.word import Word, glob_hole, known_word

from .lowering import GoLowering

_MODULE = re.compile(r"^module\s+\"?([\w./~-]+)", re.MULTILINE)
_MAX_PARENTS = 12
_MAX_FILES = 24
"""Maximum files of one package that are read. Others existed before the session."""


class PackageFiles(ModuleReader):
    """Reads the files of packages. Those of the text's own package share its names."""

    ENDINGS = (".go",)

    def __init__(self, evaluator: Evaluator, language: Language) -> None:
        super().__init__(evaluator)
        self._language = language._replace(lowering=_DeclarationLowering)
        self._has_siblings: bool | None = None
        self._module: tuple[str, str] | None = None
        self._variables: dict[str, Value] = evaluator.top.variables

    def load_siblings(self) -> bool:
        """Reads the other files of the text's package, once; returns whether there are any."""
        if self._has_siblings is not None:
            return False
        unit = self.evaluator.top.unit
        assert isinstance(unit, SourceUnit)
        is_test = unit.file.endswith("_test.go")
        folder = unit.file.rpartition("/")[0] or "."
        files = [each for each in self._list_sources(folder, of_test=is_test) if each != unit.file] if unit.file else []
        self._has_siblings = False
        self._read_files(files, self.evaluator.top.variables)
        self._has_siblings = bool(files)
        return bool(files)

    def load_module(self, name: str) -> Value | None:
        """Reads a package of the same module."""
        if "/" not in name and "." not in name:
            return None
        root, module = self._find_module()
        if not module or not f"{name}/".startswith(f"{module}/"):
            return None
        files = self._list_sources(f"{root}{name.removeprefix(module)}", of_test=False)
        variables: dict[str, Value] = {}
        self._read_files(files, variables)
        return Instance("package", variables) if files else None

    def _read_files(self, files: Iterable[str], variables: dict[str, Value]) -> None:
        outer, self._variables = self._variables, variables
        try:
            for path in files:
                self.load_first(path, (known_word(path),))
        finally:
            self._variables = outer

    def _list_sources(self, folder: str, *, of_test: bool) -> list[str]:
        seen = self.evaluator.report.seen
        here = seen.resolve_place(known_word(folder)).path
        if here is None:
            return []
        listed = [*seen.list_files(Word((f"{here}/", glob_hole("*")))), *seen.list_written_files(here)]
        own = [each for each in dict.fromkeys(listed) if each.rpartition("/")[0] == here and each.endswith(".go")]
        return [each for each in own if of_test or not each.endswith("_test.go")][:_MAX_FILES]

    def _find_module(self) -> tuple[str, str]:
        """Returns the folder of the nearest `go.mod`, and the path of its module; empty if there is none."""
        if self._module is None:
            seen = self.evaluator.report.seen
            folder = seen.resolve_place(known_word(self.loading_folder() or ".")).path or ""
            self._module = ("", "")
            for _ in range(_MAX_PARENTS):
                texts = [each.text for each in seen.read_alternatives(known_word(f"{folder}/go.mod")) if each.text]
                if texts:
                    found = _MODULE.search(texts[0])
                    self._module = (folder, found[1] if found else "")
                    break
                if "/" not in folder:
                    break
                folder = folder.rpartition("/")[0]
        return self._module

    def lower_content(self, content: str) -> Block:
        return lower_text(self._language, content, self.evaluator)

    def declare_globals(self, _variables: dict[str, Value], unit: SourceUnit) -> Value:
        self.evaluator.frame.variables = self._variables
        return Instance("package file", {}, known_word(unit.name))


class _DeclarationLowering(GoLowering):
    """Lowers a file that is not the program: it declares names."""

    program = GoLowering.declarations
