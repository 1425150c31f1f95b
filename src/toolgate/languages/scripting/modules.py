"""Files that a program includes: `require_relative 'lib/x'`, `include 'x.php'`, `do './x.pl'`. They share the program's names."""

from __future__ import annotations

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.journal import Frame
from toolgate.languages.evaluation.module_loading import ModuleReader
from toolgate.languages.evaluation.nodes import Block
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.source_units import SourceUnit
from toolgate.languages.evaluation.values import Instance, Unknown, Value, join_all
from toolgate.model.word import Word, known_word

from .reading import Language, lower_text


class IncludedFiles(ModuleReader):
    """Reads included files into the names of the program that includes them."""

    ENDINGS = (".rb", ".php", ".inc", ".pl", ".pm", ".lua")

    def __init__(self, evaluator: Evaluator, language: Language) -> None:
        super().__init__(evaluator)
        self._language = language
        self._frames: dict[int, tuple[Value, Frame]] = {}

    def load_module(self, name: str) -> Value | None:
        """Reads a file by its path: from the working directory, else beside the file that includes it."""
        folder = self.loading_folder()
        beside = [known_word(f"{folder}/{name.removeprefix('./')}")] if folder and not name.startswith("/") else []
        return self.load_first(name, [known_word(name), *beside])

    def lower_content(self, content: str) -> Block:
        return lower_text(self._language, content, self.evaluator)

    def declare_globals(self, _variables: dict[str, Value], unit: SourceUnit) -> Value:
        made = Instance("included file", {}, known_word(unit.name))
        self._frames[id(made)] = made, self.evaluator.frame
        self.evaluator.frame.variables = self.evaluator.top.variables
        return made

    def exported_value(self, module: Value) -> Value:
        """Returns what the file returns at its top level."""
        held = self._frames.get(id(module))
        return (join_all(held[1].returned) if held is not None else None) or Unknown("the result of a file")


def include_file(evaluation: Evaluation, file: Word) -> Value:
    """Reads a file that a program includes, and returns its result; one whose path is not known, or that does not exist, is
    reported as code."""
    found = evaluation.load_module(file.text) if file.text is not None and not file.src else None
    if found is None:
        evaluation.report.interpret_file(file)
    return Unknown("the result of a file") if found is None else found
