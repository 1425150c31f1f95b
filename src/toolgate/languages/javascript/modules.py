"""Modules beside the code: `require("./tasks")`, `import {clean} from "../lib/clean.js"`."""

from __future__ import annotations

from toolgate.languages.evaluation.modules import ModuleReader
from toolgate.languages.evaluation.nodes import Block
from toolgate.languages.evaluation.reporter import Unit
from toolgate.languages.evaluation.values import ObjectValue, Reference, Unknown, Value, text_of
from toolgate.model.word import Word, known

from .code import is_path, value_of_json
from .source import lower_text

_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", ".tsx", ".jsx", ".json", "/index.js", "/index.ts", "/index.mjs", "/index.cjs")


class Loader(ModuleReader):
    def load(self, name: str) -> Value | None:
        """Loads a file and returns its exports; None for a package."""
        if not is_path(name) or "unknown_part" in name:
            return None
        name = name.removeprefix("file://")
        folder = self.folder()
        base = name if name.startswith("/") or not folder else f"{folder}/{name.removeprefix('./')}"
        return self.read_first(name, [known(base + ending) for ending in _ENDINGS]) or Unknown(name)

    def read_data(self, file: str, content: Word) -> Value | None:
        if file.endswith((".json", ".node", ".wasm")):
            made = value_of_json(content.text or "", content.src) if file.endswith(".json") else None
            return made or Unknown(file)
        return None

    def lower(self, content: str) -> Block:
        return lower_text(content, self.evaluator)

    def declare(self, variables: dict[str, Value], unit: Unit) -> Value:
        """Declares `module.exports`, into which both CommonJS and ES modules export."""
        exports = ObjectValue()
        module = ObjectValue((("exports", exports), ("filename", known(unit.file)), ("id", known(unit.file))))
        variables.update(module=module, exports=exports, __filename=known(unit.file))
        variables["__dirname"] = known(unit.file.rpartition("/")[0] or ".")
        variables["require"] = Reference("require")
        return module

    def result(self, module: Value) -> Value:
        assert isinstance(module, ObjectValue)
        return module.entries.get("exports") or Unknown(text_of(module.entries.get("id")) or "a module")
