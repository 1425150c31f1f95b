"""Modules beside the code: `require("./tasks")`, `import {clean} from "../lib/clean.js"`."""

from __future__ import annotations

from toolgate.languages.evaluation.module_loading import ModuleReader
from toolgate.languages.evaluation.nodes import Block
from toolgate.languages.evaluation.source_units import SourceUnit
from toolgate.languages.evaluation.values import ObjectValue, Reference, Unknown, Value, text_of
from toolgate.model.word import Word, known_word

from .dynamic_code import is_path, parse_json
from .settings_files import load_settings
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
        folder = self.loading_folder()
        is_below = bool(folder) and name.startswith(f"{folder}/")  # `__dirname + "/lib"`
        if not (is_path(name) or is_below) or "unknown_part" in name:
            return load_settings(self.evaluator, name)
        name = name.removeprefix("file://")
        base = (name if name.startswith("/") or is_below or not folder else f"{folder}/{name.removeprefix('./')}").rstrip("/")
        bases = (base, *self._list_main_files(base), *([base[:-3]] if base.endswith(".js") else []))  # TypeScript's `./x.js`
        files = (known_word(each + ending) for ending in _MODULE_SUFFIXES for each in bases)
        return self.load_first(name, files) or Unknown(name)

    def _list_main_files(self, folder: str) -> list[str]:
        """Returns the file that the package.json of a folder names as its main one."""
        contents = self.evaluator.report.seen.read_alternatives(known_word(f"{folder}/package.json"))
        packages = [parse_json(each.text, each.src) for each in contents if each.text]
        names = [text_of(each.entries.get("main")) for each in packages if isinstance(each, ObjectValue)]
        return [f"{folder}/{name.removeprefix('./')}" for name in names if name]

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
        file, require = known_word(unit.file), Reference("require")
        module = ObjectValue((("exports", exports), ("filename", file), ("id", file), ("require", require)))
        variables.update(module=module, exports=exports, require=require, __filename=file)
        variables["__dirname"] = known_word(unit.file.rpartition("/")[0] or ".")
        return module

    def exported_value(self, module: Value) -> Value:
        assert isinstance(module, ObjectValue)
        return module.entries.get("exports") or Unknown(text_of(module.entries.get("id")) or "a module")
