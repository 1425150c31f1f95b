"""Generates JavaScript projects of several modules around calls that are stubbed, and commands that start them.

Calls go through modules of both kinds: required or imported by every form, in folders with the same names of files, through an
`index.js`, a `main` of package.json, rebound exports, caches and computed paths.
"""

from __future__ import annotations

import json

from differential.javascript_programs import HEAD, Programs
from differential.projects import Project

_MODULE_HEAD = """import fs from 'fs'; import path from 'path'; import child_process from 'child_process';
import util from 'util'; import vm from 'vm'; import os from 'os'; import events from 'events';
import { createRequire } from 'module';
const require = createRequire(import.meta.url);
function chance() { return Math.random() < 0.5 }
"""
_PASSED_ON = (
    "export * from './tools.mjs'\nexport { default } from './tools.mjs'\n",
    "import * as tools from './tools.mjs'\nexport const { remove, removeOwn, Remover, table } = tools\nexport default tools\n",
)
"""What a module consists of that exports what another one does."""


class Projects(Programs):
    """Projects for a seed, by number."""

    def project(self) -> Project:
        is_module = self._random.random() < 0.4
        uses = [self._import() if is_module else self._require() for _ in range(3)]
        main = (_MODULE_HEAD if is_module else HEAD) + ";\n".join((*uses, ""))
        path = self._random.choice(("main", "bin/run", "src/main")) + (".mjs" if is_module else ".js")
        index = self._random.choice(("module.exports = require('./tools')\n", "exports.tools = require('./tools.js')\n"))
        files = {
            path: main.replace("@", "./" if path.startswith("main") else "../"),
            "package.json": json.dumps({"main": "main.js"}),
            "lib/tools.js": self._common_module(),
            "lib/index.js": HEAD + index,
            "other/tools.js": self._common_module(),
            "other/package.json": json.dumps({"main": self._random.choice(("tools.js", "./tools", "tools"))}),
            "own/tools.mjs": self._module(),
            "own/again.mjs": self._random.choice(_PASSED_ON),
        }
        return Project(self._command(path), files)

    def _command(self, path: str) -> str:
        forms = [f"node {path}", f"node ./{path} a b", f"node --trace-warnings {path}", f"node -r ./lib/tools.js {path}"]
        if path == "main.js":
            forms += ["node .", "node main", "node -e \"require('./main')\"", "node < main.js", "cat main.js | node -"]
        return self._random.choice(forms)

    def _common_module(self) -> str:
        """Returns a module that others require, with functions, a class and a table that delete what they are given."""
        e = self.text(self.marker())
        at_load = self._random.choice(("", f"fs.rmSync({e})\n", f"if (chance()) fs.rmSync({e})\n"))
        exports = self._random.choice(
            (
                "module.exports = { remove, removeOwn, Remover, table }",
                "exports.remove = remove; exports.removeOwn = removeOwn; exports.Remover = Remover; exports.table = table",
                "Object.assign(exports, { remove, removeOwn, Remover, table })",
                "module.exports.remove = remove; Object.assign(module.exports, { removeOwn, Remover, table })",
                "module.exports = { remove, get removeOwn() { return removeOwn }, ...{ Remover, table } }",
            )
        )
        return HEAD + at_load + self._declarations() + exports + "\n"

    def _module(self) -> str:
        exports = self._random.choice(
            ("export { remove, removeOwn, Remover, table }", "export { remove, removeOwn, Remover }; export { table }")
        )
        return _MODULE_HEAD + self._declarations() + f"{exports}\nexport default {{ remove, removeOwn, Remover, table }}\n"

    def _declarations(self) -> str:
        own = self._random.choice(("fs.unlinkSync(PATH)", "remove(PATH)", "table.remove(PATH)"))
        return f"""const PATH = {self.text(self.marker())}
function remove(w) {{ fs.rmSync(w) }}
const removeOwn = () => {own}
class Remover {{
  constructor(w) {{ this.w = w ?? PATH }}
  go() {{ fs.rmdirSync(this.w) }}
  static now(w) {{ fs.unlinkSync(w) }}
}}
const table = {{ remove, own: removeOwn, tree: fs.rmSync }}
"""

    def _require(self) -> str:
        x, y, e = self.name(), self.name(), self.text(self.marker())
        module = self._random.choice(("@lib/tools", "@lib/tools.js", "@lib", "@lib/", "@other", "@other/tools"))
        if module in ("@lib", "@lib/"):
            return f"const {x} = require('{module}'); ({x}.tools ?? {x}).remove({e})"
        required = self._random.choice(
            (
                f"const {x} = require('{module}')",
                f"let {x}; {x} = require(`{module}`)",
                f"const {x} = {{ ...require('{module}') }}",
                f"const {x} = require(path.resolve(__dirname, '{module}'))",
                f"const {x} = require(__dirname + '/{module}')",
                f"const {x} = require(require.resolve('{module}'))",
                f"const {x} = module.require('{module}')",
            )
        )
        return self._random.choice(
            (
                *self._uses(x, y, e, required),
                f"const {{ remove: {x} }} = require('{module}'); {x}({e})",
                f"const {{ table: {{ tree: {x} }} }} = require('{module}'); {x}({e})",
                f"require('{module}').remove({e})",
                f"require('{module}').removeOwn()",
                f"import('{module if module.endswith('.js') else '@lib/tools.js'}').then({x} => {x}.default.remove({e}))",
                f"(() => {{ const {x} = require('{module}'); {x}.remove({e}) }})()",
            )
        )

    def _import(self) -> str:
        x, y, e = self.name(), self.name(), self.text(self.marker())
        module = self._random.choice(("@own/tools.mjs", "@own/again.mjs", "@lib/tools.js", "@other/tools.js"))
        imported = f"import {x} from '{module}'"
        if not module.startswith(("@lib", "@other")):
            imported = self._random.choice(
                (imported, f"import * as {x} from '{module}'", f"const {x} = await import('{module}')")
            )
        return self._random.choice(
            (
                *self._uses(x, y, e, imported),
                f"import {{ remove as {x} }} from '@own/tools.mjs'; {x}({e})",
                f"import {x}, {{ removeOwn as {y} }} from '@own/tools.mjs'; {y}(); {x}.remove({e})",
                f"const {{ default: {x} }} = await import('{module}'); {x}.remove({e})",
                f"import {{ createRequire as {y} }} from 'module'; {y}(import.meta.url)('@lib/tools').remove({e})",
            )
        )

    def _uses(self, x: str, y: str, e: str, bound: str) -> tuple[str, ...]:
        return (
            f"{bound}; {x}.remove({e})",
            f"{bound}; {x}['remove']({e})",
            f"{bound}; {x}.removeOwn()",
            f"{bound}; new {x}.Remover({e}).go()",
            f"{bound}; new {x}.Remover().go()",
            f"{bound}; {x}.Remover.now({e})",
            f"{bound}; {x}.table.remove({e})",
            f"{bound}; {x}.table['tree']({e})",
            f"{bound}; for (const {y} of Object.values({x}.table)) {y}({e})",
            f"{bound}; [{e}].forEach({x}.remove)",
            f"{bound}; const {y} = {x}.remove; {y}({e})",
            f"{bound}; class {y} extends {x}.Remover {{ }} new {y}({e}).go()",
            f"{bound}; chance() ? {x}.remove({e}) : {x}.removeOwn()",
        )
