"""Modules beside the code: `require("./tasks")`, `import {clean} from "../lib/clean.js"`."""

from __future__ import annotations

from toolgate.languages.evaluation.module_loading import ModuleReader
from toolgate.languages.evaluation.nodes import Block
from toolgate.languages.evaluation.reporter import SourceUnit
from toolgate.languages.evaluation.values import ObjectValue, Reference, Unknown, Value, text_of
from toolgate.model.word import Word, known_word

from .dynamic_code import is_path, parse_json
from .source import lower_text

_MODULE_SUFFIXES = (
    "",
    ".js",
    ".cjs",
    ".mjs",
    ".ts",
    ".tsx",
    ".jsx",
    ".json",
    "/index.js",
    "/index.ts",
    "/index.mjs",
    "/index.cjs",
)


class Loader(ModuleReader):
    ENDINGS = (".js", ".cjs", ".mjs", ".ts", ".tsx", ".jsx")

    def load_module(self, name: str) -> Value | None:
        """Loads a file and returns its exports; None for a package."""
        if not is_path(name) or "unknown_part" in name:
            return None
        name = name.removeprefix("file://")
        folder = self.loading_folder()
        base = name if name.startswith("/") or not folder else f"{folder}/{name.removeprefix('./')}"
        return self.load_first(name, [known_word(base + ending) for ending in _MODULE_SUFFIXES]) or Unknown(name)

    def read_data(self, file: str, content: Word) -> Value | None:
        if file.endswith((".json", ".node", ".wasm")):
            made = parse_json(content.text or "", content.src) if file.endswith(".json") else None
            return made or Unknown(file)
        return None

    def lower_content(self, content: str) -> Block:
        return lower_text(content, self.evaluator)

    def declare_globals(self, variables: dict[str, Value], unit: SourceUnit) -> Value:
        """Declares `module.exports`, into which both CommonJS and ES modules export."""
        exports = ObjectValue()
        module = ObjectValue((("exports", exports), ("filename", known_word(unit.file)), ("id", known_word(unit.file))))
        variables.update(module=module, exports=exports, __filename=known_word(unit.file))
        variables["__dirname"] = known_word(unit.file.rpartition("/")[0] or ".")
        variables["require"] = Reference("require")
        return module

    def exported_value(self, module: Value) -> Value:
        assert isinstance(module, ObjectValue)
        return module.entries.get("exports") or Unknown(text_of(module.entries.get("id")) or "a module")
