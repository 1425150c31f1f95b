"""Generates whole JavaScript files around calls that are stubbed: modules with imports and exports, and scripts with what only a
file has: a first line for the system, and comments as HTML has them."""

from __future__ import annotations

import re

from differential.javascript_programs import Programs

_MODULE_HEAD = """{fs}
import path from 'path'; import child_process from 'node:child_process'; import util, {{ inspect }} from 'util';
import vm from 'vm'; import os, * as all_of_os from 'os'; import events from 'events'; import {{ createRequire }} from 'module';
const require = createRequire(import.meta.url);
function chance() {{ return Math.random() < 0.5 }}
"""
_FS_IMPORTS = (
    "import fs from 'fs';",
    "import * as fs from 'node:fs';",
    "import { default as fs } from 'fs';",
    "import fs, { constants } from 'node:fs';",
    "const fs = await import('fs');",
    "const { default: fs } = await import('node:fs');",
    "const fs = (await import('fs')).default;",
)
_ONLY_IN_SCRIPTS = re.compile(r"\bwith \(|\{ function v\d+\(w\)|\bmodule\b(?!')")


class Files(Programs):
    """Files for a seed, by number: half of them modules."""

    def __next__(self) -> str:
        return self._module() if self._random.random() < 0.5 else self._script()

    def _module(self) -> str:
        head = _MODULE_HEAD.format(fs=self._random.choice(_FS_IMPORTS))
        lines = [*(f"{{ {self._block(1)} }}" for _ in range(2)), *(self._module_statement() for _ in range(3))]
        lines = [line for line in lines if not _ONLY_IN_SCRIPTS.search(line)]
        self._random.shuffle(lines)
        return head + "\n".join((*lines, self._default_export())) + "\n"

    def _script(self) -> str:
        program = ";\n".join((super().__next__(), self._script_statement(), self._script_statement(), ""))
        strict = "" if _ONLY_IN_SCRIPTS.search(program) else "'use strict'\n"
        return self._random.choice(("", "#!/usr/bin/env node\n", strict)) + program

    def _module_statement(self) -> str:
        """Returns an import or an export at the top level of a module, with a call."""
        x, y, e = self.name(), self.name(), self.text(self.marker())
        return self._random.choice(
            (
                f"import {{ rmSync as {x} }} from 'fs'; {x}({e});",
                f"import {{ rmSync as {x}, unlinkSync as {y}, }} from 'node:fs'; chance() ? {x}({e}) : {y}({e});",
                f"import {{ 'unlinkSync' as {x} }} from 'fs'; {x}({e});",
                f"import {{ default as {x} }} from 'fs'; {x}.rmdirSync({e});",
                f"import * as {x} from 'fs'; {x}.rmSync({e});",
                f"import {x} from 'fs'; {x}.unlinkSync({e});",
                f"import {x}, {{ promises as {y} }} from 'fs'; await {y}.rm({e}); {x}.existsSync('/no');",
                f"import {x}, * as {y} from 'node:fs'; {y}.rmSync({e}); {x}.unlinkSync({e});",
                f"import {{ rm as {x} }} from 'fs/promises'; await {x}({e});",
                f"import {x} from 'node:fs/promises'; await {x}.rm({e});",
                f"import 'fs'; const {x} = {e}; require('fs').rmSync({x});",
                f"{x}({e}); import {{ rmSync as {x} }} from 'fs';",
                f"import {x} from 'data:application/json,{{\"k\":\"no\"}}' with {{ type: 'json' }}; fs.rmSync({x}.k && {e});",
                f"const {{ rmSync: {x} }} = await import('fs'); {x}({e});",
                f"for await (const {x} of [import('fs')]) {x}.unlinkSync({e});",
                f"export const {x} = {e}; fs.rmSync({x});",
                f"export let {x} = 'no', {y} = {e}; {x} = {y}; fs.rmSync({x});",
                f"export function {x}(w) {{ fs.rmSync(w) }} {x}({e});",
                f"export async function {x}(w) {{ await null; fs.rmSync(w) }} await {x}({e});",
                f"export function* {x}() {{ yield {e} }} for (const {y} of {x}()) fs.unlinkSync({y});",
                f"export class {x} {{ static go(w) {{ fs.unlinkSync(w) }} }} {x}.go({e});",
                f"const {x} = w => fs.rmSync(w); export {{ {x} as {y} }}; {x}({e});",
                f"const {x} = {{ a: [{e}] }}; export const {{ a: [{y}] }} = {x}; fs.rmdirSync({y});",
                f"export {{ tmpdir as {x} }} from 'os'; fs.rmSync({e});",
                f"export * as {x} from 'path'; fs.rmSync({e});",
                f"if (import.meta.url) fs.rmSync({e});",
            )
        )

    def _default_export(self) -> str:
        x, e = self.name(), self.text(self.marker())
        return self._random.choice(
            (
                f"export default fs.rmSync({e});",
                f"export default function {x}(w) {{ fs.rmSync(w) }} {x}({e});",
                f"export default class {x} {{ static {{ fs.unlinkSync({e}) }} }}",
                f"const {x} = () => fs.rmSync({e}); {x}(); export {{ {x} as default }};",
                f"export default {{ go: fs.rmSync({e}) }}; export * from 'node:os';",
            )
        )

    def _script_statement(self) -> str:
        x, e = self.name(), self.text(self.marker())
        return self._random.choice(
            (
                f"<!-- fs.rmSync('no')\nfs.rmSync({e})",
                f"/* */ --> fs.rmSync('no')\nfs.rmSync({e})",
                f"--> fs.rmSync('no')\nfs.unlinkSync({e})",
                f"const {x} = {e}; fs.rmSync({{ {x} }}.{x})",
                f"const {x} = {e}; (({{ {x}: w }}) => fs.unlinkSync(w))({{ {x} }})",
                f"/a/gi.test('A') && fs.rmSync({e})",
                f"module.exports = {{ {x}: () => fs.rmSync({e}) }}; module.exports.{x}()",
                f"exports.{x} = fs.rmSync; exports.{x}({e})",
            )
        )
